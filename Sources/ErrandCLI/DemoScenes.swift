internal import Errand
internal import ErrandTesting
internal import Foundation

/// The scenes about single requests, batches and chains, in order.
enum DemoScenes {
    static let all = [
        DemoScene(title: "one request", play: oneRequest),
        DemoScene(title: "a batch of four types", play: typedBatch),
        DemoScene(title: "a batch that fails fast", play: failFastBatch),
        DemoScene(title: "a batch that collects every outcome", play: collectAllBatch),
        DemoScene(title: "a chain: register, then ask for the user", play: chain),
        DemoScene(title: "a cancelled request", play: cancelledRequest),
    ]

    @Sendable private static func oneRequest(_ stage: DemoStage) async throws {
        let response = try await stage.client.response(for: GetGreeting())
        await stage.checks.expect(response.value, equals: DemoServer.greeting, "the value is what the server sent")
        await stage.checks.expect(response.head.status.code, equals: 200, "the status is 200")
        await stage.expectOrder(of: 1)
    }

    @Sendable private static func typedBatch(_ stage: DemoStage) async throws {
        let batch = stage.client.batch(
            GetImage(name: "sun.png"), GetImage(name: "moon.png"), GetUserInfo(userID: DemoServer.userID), GetNote())
        let (sun, moon, user, note) = try await batch.value
        await stage.checks.expect(
            sun == DemoServer.sun && moon == DemoServer.moon, "two images came, each in its place")
        await stage.checks.expect(user, equals: DemoServer.user, "the user came as a value of its own type")
        await stage.checks.expect(note, equals: DemoServer.note, "the note came as a text")
        await stage.checks.expect(await batch.progress.finished, equals: 4, "the progress counts 4")
        await stage.expectOrder(of: 5)
    }

    @Sendable private static func failFastBatch(_ stage: DemoStage) async throws {
        let batch = stage.client.batch(of: (0..<4).map { GetPart(kind: "held", number: $0) })
        try await batch.start()
        // The failure arrives when the other three have reached the server.
        let gate = stage.server.heldParts
        await stage.wait({ await gate.waitUntilReached(times: 3) }, while: await batch.states)
        stage.server.failingPart.open()
        let outcomes = await batch.outcomes.map(\.word)
        await stage.checks.expect(
            outcomes, equals: ["cancelled", "cancelled", "unacceptableStatus", "cancelled"],
            "one answered 500, the others were cancelled while the server held them")
        let failed = await batch.failedRequest
        await stage.checks.expect(failed?.index, equals: 2, "the batch names position 2")
        await stage.checks.expect(failed?.error.context.status?.code, equals: 500, "its error has the status 500")
        await stage.checks.expect(await batch.state, equals: .failed, "the batch failed")
        await stage.expectOrder(of: 5)
    }

    @Sendable private static func collectAllBatch(_ stage: DemoStage) async throws {
        let parts = (0..<4).map { GetPart(kind: "mixed", number: $0) }
        let batch = stage.client.batch(of: parts, failure: .collectAll)
        let outcomes = await batch.outcomes
        await stage.checks.expect(
            outcomes.map(\.word), equals: ["ok", "unacceptableStatus", "decodingFailed", "ok"],
            "two are ok, one was not found, one is not what was declared")
        await stage.checks.expect(
            outcomes.map { try? $0.get().part }, equals: [0, nil, nil, 3], "the values are in the order of the calls")
        await stage.checks.expect(await batch.state, equals: .finished, "the batch finished")
        await stage.expectOrder(of: 5)
    }

    @Sendable private static func chain(_ stage: DemoStage) async throws {
        let chain = stage.client.chain(Register(account: DemoServer.account))
            .then { GetUserInfo(userID: $0.userID) }
        let user = try await chain.value
        await stage.checks.expect(user, equals: DemoServer.user, "the user is the one that was registered")
        let paths = stage.server.loopback.received.suffix(2).map(\.path)
        await stage.checks.expect(paths, equals: ["/register", "/users"], "the server saw one step after the other")
        await stage.checks.expect(await chain.state, equals: .finished, "the chain finished")
        await stage.expectOrder(of: 3)
    }

    @Sendable private static func cancelledRequest(_ stage: DemoStage) async throws {
        let server = stage.server.loopback
        let received = server.receivedCount
        let request = stage.client.request(GetNothing())
        await request.start()
        // Cancelled when it has reached the server, which never responds.
        await stage.wait({ await server.waitForRequests(received + 1) }, while: await request.states)
        await stage.checks.expect(await stage.client.record.count, equals: 1, "the record knows it while it runs")
        request.cancel()
        await stage.checks.expect(await Self.code(of: request), equals: .cancelled, "it ended as cancelled")
        await stage.checks.expect(await request.state, equals: .failed, "its state is failed")
        await stage.expectOrder(of: 1)
    }

    /// The error code of a failed request, or `nil` if it succeeds.
    private static func code<E: Endpoint>(of request: Request<E>) async -> ErrandError.Code? {
        do throws(ErrandError) {
            _ = try await request.value
            return nil
        } catch {
            return error.code
        }
    }
}
