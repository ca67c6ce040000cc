internal import Errand
internal import ErrandTesting
internal import TestEffort
internal import Testing

@Suite("The client: its end, for a batch", .timeLimit(.minutes(60)), .paced)
struct ShutdownBatchTests {
    @Test(arguments: [false, true])
    func `fails each request with the same word`(isRecording: Bool) async throws {
        for _ in 1...100 {
            let world = FixtureWorld(isRecording: isRecording)
            let gate = StubGate()
            world.transport.route("*", StubReply.text("x").held(by: gate))
            let batch = world.client.batch(of: (0..<12).map { FixtureText("http://\($0).test/") })
            try await batch.start()
            await gate.waitUntilReached(12)
            await world.client.shutdown()
            let codes = Set(await batch.outcomes.compactMap(\.fixtureFailure?.code))
            try #require(codes == [.clientShutDown])
        }
    }
}
