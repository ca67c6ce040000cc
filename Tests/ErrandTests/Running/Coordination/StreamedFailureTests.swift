internal import Errand
internal import ErrandTesting
internal import TestEffort
internal import Testing

@Suite("Streamed outcomes: the first failure (G4)", .timeLimit(.minutes(60)), .paced)
struct StreamedFailureTests {
    @Test func `ends them though the source keeps them waiting`() async {
        let (stream, continuation) = AsyncStream.makeStream(of: FixtureText.self)
        let world = FixtureWorld()
        world.transport.route("*", .status(500))
        continuation.yield(FixtureText("1"))
        var codes: [ErrandError.Code?] = []
        for await outcome in world.client.outcomes(of: stream, failure: .failFast) {
            codes.append(outcome.response.fixtureFailure?.code)
        }
        // The time limit would have ended the loop as well.
        #expect(!Task.isCancelled)
        #expect(codes == [.unacceptableStatus])
        await world.expectAtRest()
        continuation.finish()
    }

    @Test func `is the one that accessories are told of`() async throws {
        let world = FixtureWorld(isRecording: true)
        world.transport.route("*", .status(500))
        for await _ in world.client.outcomes(of: [FixtureText("1")], failure: .failFast) {}
        let id = try #require(world.recorder.ids(of: .batch).first)
        #expect(world.recorder.end(of: id)?.error?.code == .unacceptableStatus)
        #expect(world.recorder.end(of: id)?.error?.context.index == 0)
        #expect(world.recorder.end(of: id)?.isCancelled == false)
    }
}
