internal import TestEffort
internal import Testing

@testable internal import ErrandTimeline

/// Amounts in words, and the marks of the axis.
@Suite(.timeLimit(.minutes(60)), .paced)
struct WordsTests {
    @Test(arguments: [
        (Duration.zero, "0 ns"), (.nanoseconds(1), "1 ns"), (.nanoseconds(999), "999 ns"),
        (.nanoseconds(1000), "1.00 µs"),
        (.nanoseconds(999_400), "999 µs"), (.nanoseconds(999_600), "1.00 ms"), (.microseconds(12_345), "12.3 ms"),
        (.milliseconds(123), "123 ms"), (.milliseconds(9_996), "10.0 s"), (.seconds(59.94), "59.9 s"),
        (.seconds(60), "1 min 00 s"), (.seconds(125), "2 min 05 s"), (.seconds(3720), "1 h 02 min"),
        (.milliseconds(-5), "-5.00 ms"),
    ])
    func `durations have three digits and the unit that fits`(duration: Duration, words: String) {
        #expect(Words.duration(duration) == words)
    }

    @Test(arguments: [Duration.seconds(Int64.max), .seconds(Int64.min), .seconds(Int64.min) - .seconds(Int64.max)])
    func `durations beyond all measure are written somehow`(duration: Duration) {
        #expect(!Words.duration(duration).isEmpty)
    }

    @Test(arguments: [
        (Int64(0), "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1536, "1.5 KiB"), (1 << 20, "1.0 MiB"),
        (102_348, "99.9 KiB"), (.max, "8.0 EiB"), (-1, "-1 B"),
    ])
    func `sizes have the unit that fits`(count: Int64, words: String) {
        #expect(Words.bytes(count) == words)
    }

    @Test(arguments: [(0, "0"), (999, "999"), (1000, "1\u{A0}000"), (-1_234_567, "-1\u{A0}234\u{A0}567")])
    func `counts have a space between thousands`(count: Int, words: String) {
        #expect(Words.count(count) == words)
    }

    @Test(arguments: [
        (0.0, "0"), (1.04, "1"), (1.05, "1.1"), (-0.04, "0"), (-2.5, "-2.5"), (.nan, "0"), (.infinity, "0"),
    ])
    func `coordinates have one decimal at most`(value: Double, words: String) {
        #expect(Words.coordinate(value) == words)
    }

    @Test(arguments: [
        (Duration.nanoseconds(7), ["0", "2 ns", "4 ns", "6 ns"]),
        (.microseconds(50), ["0", "10 µs", "20 µs", "30 µs", "40 µs", "50 µs"]),
        (.milliseconds(560), ["0", "100 ms", "200 ms", "300 ms", "400 ms", "500 ms"]),
        (.seconds(3.6), ["0", "1 s", "2 s", "3 s"]), (.seconds(95), ["0", "30 s", "60 s", "90 s"]),
        (.seconds(600), ["0", "2 min", "4 min", "6 min", "8 min", "10 min"]),
        (.seconds(400_000), ["0", "24 h", "48 h", "72 h", "96 h"]),
    ])
    func `marks are round numbers of one unit`(length: Duration, labels: [String]) {
        let axis = TimeAxis(Timeline.Interval(start: .seconds(3), end: .seconds(3) + length), left: 100, width: 440)
        #expect(axis.ticks.map(\.label) == labels)
        #expect(axis.ticks.allSatisfy { $0.x >= 100 && $0.x <= 540.001 })
        #expect(axis.x(.seconds(3)) == 100 && axis.x(.seconds(3) + length) == 540)
        #expect(axis.x(.zero) == 100 && axis.x(.seconds(1_000_000)) == 540)
    }

    @Test func `labels are cut by their width, not by their count`() {
        #expect(Markup.cut("short", to: 10) == "short")
        #expect(Markup.cut("illillillill", to: 10) == "illillillill")
        #expect(Markup.cut("猫猫猫猫猫猫", to: 10) == "猫猫猫猫…")
        #expect(Markup.cut("MMMMMMMMMMM", to: 10).count < 8)
        #expect(Markup.cut("abc", to: 0) == "…" && Markup.cut("", to: 0).isEmpty)
    }
}
