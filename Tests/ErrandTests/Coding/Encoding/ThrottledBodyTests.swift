internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Bodies that are sent slowly", .timeLimit(.minutes(60)), .paced)
struct ThrottledBodyTests {
    private static let content = Data((0..<10_000).map { UInt8(truncatingIfNeeded: $0) })

    @Test func `take as long as they should`() async throws {
        let clock = TestClock()
        let encoded = try #require(
            try RequestBody.bytes(Self.content).throttled(bytesPerSecond: 1000, clock: clock).encoded())
        guard case .stream(let stream, 10_000) = encoded.body else {
            Issue.record("the body is no stream of a known length")
            return
        }
        let reading = Task { try await FixtureBody.all(of: stream) }
        // 50 packets of 200 bytes, the first of them at once.
        for _ in 1..<50 {
            await clock.waitForSleeper()
            clock.advance(by: .milliseconds(200))
        }
        #expect(try await reading.value == Self.content)
    }

    @Test func `keep what they are`() throws {
        let body = try #require(try RequestBody.text("abc").throttled(bytesPerSecond: 1).encoded())
        #expect(body.contentType == "text/plain; charset=utf-8")
        #expect(try RequestBody.none.throttled(bytesPerSecond: 1).encoded().map { _ in 1 } == nil)
    }

    @Test func `end when their task is cancelled`() async throws {
        let body = RequestBody.bytes(Self.content).throttled(bytesPerSecond: 1000, clock: TestClock())
        let reading = Task { try await FixtureBody.content(of: body) }
        reading.cancel()
        await #expect(throws: ErrandError.self) { try await reading.value }
    }

    @Test(arguments: [0, -1])
    func `fail without a speed`(speed: Int) {
        let body = RequestBody.text("a").throttled(bytesPerSecond: speed)
        #expect(FixtureBody.failure(of: body)?.code == .encodingFailed)
    }
}
