internal import Errand
internal import ErrandLocks
internal import ErrandTesting
internal import TestEffort
internal import Testing

/// A call that carries something whose end can be seen.
private struct TokenCall: Endpoint {
    typealias Response = String
    let token: FixtureToken
    var path: EndpointPath { "a" }
}

private final class WeakToken: Sendable {
    private struct Box {
        weak var token: FixtureToken?
    }

    private let box: Locked<Box>

    init(_ token: FixtureToken) {
        self.box = Locked(Box(token: token))
    }

    var isGone: Bool { self.box.withLock { $0.token == nil } }
}

@Suite("Requests: memory (G6, G10)", .timeLimit(.minutes(60)), .paced)
struct RequestMemoryTests {
    @Test(arguments: [true, false])
    func `cancelled while they are given a slot leave nothing`(isBatch: Bool) async {
        var tokens: [WeakToken] = []
        for round in 0..<300 {
            let world = FixtureWorld()
            world.transport.route("*", .text("x"))
            await world.client.scheduler.pause()
            let (task, token) = self.start(world.client, isBatch)
            tokens.append(token)
            await world.waitUntilQueued(1)
            task.cancel()
            for _ in 0..<(round % 12) { await Task.yield() }
            await world.client.scheduler.resume()
            await task.value
        }
        // What ends last lets go of its call a moment after its caller goes on.
        await fixtureUntil { tokens.allSatisfy(\.isGone) }
    }

    private func start(_ client: Client, _ isBatch: Bool) -> (Task<Void, Never>, WeakToken) {
        let token = FixtureToken()
        let call = TokenCall(token: token)
        let task = Task {
            if isBatch {
                _ = try? await client.batch(of: [call]).value
            } else {
                _ = try? await client.send(call)
            }
        }
        return (task, WeakToken(token))
    }
}
