internal import Errand
internal import ErrandTesting
internal import TestEffort
internal import Testing

@Suite("What requests pay into the budget for retries, and how long it is known", .timeLimit(.minutes(60)), .paced)
struct RetryBudgetTests {
    private func world(
        _ budget: RetryBudget, _ configure: (inout Client.Configuration) -> Void = { _ in }
    ) -> FixtureWorld {
        FixtureWorld {
            $0.limits.retryBudget = budget
            $0.options = $0.options.withoutTimeout()
            $0.options = $0.options.retries(RetryPolicy(limit: 5, backoff: Backoff(base: .zero)))
            configure(&$0)
        }
    }

    /// How often each call to a path is sent in vain, one after another.
    private func attempts(_ paths: [String], in world: FixtureWorld) async -> [Int] {
        var counts: [Int] = []
        for path in paths {
            let count = world.transport.receivedCount
            _ = try? await world.client.send(FixtureText(path))
            counts.append(world.transport.receivedCount - count)
        }
        return counts
    }

    @Test(arguments: [false, true])
    func `a request pays once, whether or not it may be hedged`(isHedged: Bool) async throws {
        let world = self.world(RetryBudget(ratio: 0.5, perSecond: 0, window: .seconds(60))) {
            if isHedged { $0.options = $0.options.hedging(.after(.seconds(1_000))) }
        }
        world.transport.route("*", .status(503))
        #expect(await self.attempts(["a", "a", "a", "a"], in: world) == [1, 2, 1, 2])
        await world.expectAtRest()
    }

    @Test func `a budget that is spent is not forgotten among many others`() async throws {
        let world = self.world(RetryBudget(ratio: 0, perSecond: 0.1, window: .seconds(10)))
        world.transport.route("/a", .status(503))
        world.transport.route("*", .text("x"))
        #expect(await self.attempts(["a", "a"], in: world) == [2, 1])
        for number in 0..<300 {
            #expect(try await world.client.send(FixtureText("https://host\(number).test/x")) == "x")
        }
        #expect(await self.attempts(["a"], in: world) == [1])
        world.clock.advance(by: .seconds(11))
        #expect(await self.attempts(["a"], in: world) == [2])
        await world.expectAtRest()
    }
}
