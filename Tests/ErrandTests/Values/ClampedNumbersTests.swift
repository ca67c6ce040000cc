internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

@Suite("Numbers that are too large are the largest (G12)", .timeLimit(.minutes(60)), .paced)
struct ClampedNumbersTests {
    @Test(
        arguments: [
            (0.9, 0), (-0.9, 0), (1e300, .max), (-1e300, .min), (.infinity, .max), (-.infinity, .min), (.nan, 0),
            (9.3e18, .max), (123_456.7, 123_456),
        ] as [(Double, Int)])
    func `a number becomes the nearest whole one`(number: Double, whole: Int) {
        #expect(Int(clamping: number) == whole)
    }

    @Test func `sums end at the bounds`() {
        #expect(Int64.max.adding(1) == .max)
        #expect(Int64.min.adding(-1) == .min)
        #expect(Int64(3).adding(-5) == -2)
        #expect(UInt64.max.adding(.max) == .max)
    }

    @Test(arguments: [Double.infinity, -.infinity, .nan, 1e300, -1e300, 5, -5])
    func `durations and dates are those that can be computed with`(seconds: Double) {
        let duration = Duration.seconds(clamping: seconds)
        #expect(abs(duration / .seconds(1)) <= 0x1p38)
        let date = Date(timeIntervalSince1970: seconds).bounded
        #expect(date.timeIntervalSince1970.isFinite)
        if abs(seconds) < 10 { #expect(date.timeIntervalSince1970 == seconds && duration == .seconds(seconds)) }
    }
}
