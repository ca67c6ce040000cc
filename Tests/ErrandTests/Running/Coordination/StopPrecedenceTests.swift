internal import Errand
internal import ErrandTesting
internal import TestEffort
internal import Testing

@Suite("A stop that was accepted decides over what comes at the same time (G4, G7)", .timeLimit(.minutes(60)), .paced)
struct StopPrecedenceTests {
    /// A client whose responses are there, and held in an interceptor.
    private func world(
        _ hold: FixtureGate, _ configure: (inout Client.Configuration) -> Void = { _ in }
    ) -> FixtureWorld {
        let world = FixtureWorld {
            $0.interceptors = [
                FixtureInterceptor { request, _, next in
                    let response = try await next(request)
                    await hold.pass(isPatient: true)
                    return response
                }
            ]
            configure(&$0)
        }
        world.transport.route("bad", .status(500))
        world.transport.route("*", .text("x"))
        return world
    }

    @Test(arguments: ["a", "bad"])
    func `cancelling over a response that has come`(path: String) async throws {
        let hold = FixtureGate()
        let world = self.world(hold)
        let request = world.client.request(FixtureText(path))
        await request.start()
        await hold.waitUntilReached()
        request.cancel()
        hold.open()
        let error = await #expect(throws: ErrandError.self) { try await request.value }
        #expect(error?.code == .cancelled)
        await world.expectAtRest()
    }

    @Test(arguments: ["a", "bad"])
    func `shutting down over a response that has come`(path: String) async throws {
        let hold = FixtureGate()
        let world = self.world(hold)
        let request = world.client.request(FixtureText(path))
        await request.start()
        await hold.waitUntilReached()
        await world.client.shutdown()
        hold.open()
        let error = await #expect(throws: ErrandError.self) { try await request.value }
        #expect(error?.code == .clientShutDown)
    }

    @Test(arguments: [FailurePolicy.failFast, .collectAll])
    func `cancelling a batch over children that fail`(policy: FailurePolicy) async throws {
        let hold = FixtureGate()
        let world = self.world(hold)
        let batch = world.client.batch(of: (0..<3).map { _ in FixtureText("bad") }, failure: policy)
        try await batch.start()
        await hold.waitUntilReached(3)
        batch.cancel()
        hold.open()
        let error = await #expect(throws: ErrandError.self) { try await batch.value }
        #expect(error?.code == .cancelled)
        #expect(error?.context.index == nil)
        #expect(await batch.failedRequest == nil)
        await world.expectAtRest()
    }
}
