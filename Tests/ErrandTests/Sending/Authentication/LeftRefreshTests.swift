internal import Errand
internal import ErrandLocks
internal import ErrandTesting
internal import TestEffort
internal import Testing

@Suite("Credentials that are refreshed: a question that everyone has left (G18)", .timeLimit(.minutes(60)), .paced)
struct LeftRefreshTests {
    private let late = FixtureGate()
    private let second = FixtureGate()
    private let isAnswered = FixtureLog()

    /// An authenticator whose first answer comes late, whoever has left, and a server that takes the second one alone.
    private func world() -> FixtureWorld {
        let (late, second, isAnswered, questions) = (self.late, self.second, self.isAnswered, QuestionCount())
        let world = FixtureWorld {
            $0.credentials.origin = .bearer("t0")
            $0.credentials.authenticator = FixtureAuthenticator { _ in
                let number = questions.next()
                await (number == 1 ? late : second).pass(isPatient: true)
                isAnswered.add("t\(number)")
                return .bearer("t\(number)")
            }
        }
        world.transport.route(where: { _ in true }) { request, _ in
            request.headers["Authorization"] == "Bearer t2" ? .text("in") : .status(401)
        }
        return world
    }

    @Test func `gives nothing to those who ask anew`() async throws {
        let world = self.world()
        let first = world.client.request(FixtureText("1"))
        await first.start()
        await self.late.waitUntilReached()
        first.cancel()
        await #expect(throws: ErrandError.self) { try await first.value }
        let next = world.client.request(FixtureText("2"))
        await next.start()
        await self.second.waitUntilReached()
        // The answer that nobody waits for any more is there before the one that is waited for.
        self.late.open()
        await self.isAnswered.wait(for: 1)
        for _ in 0..<1_000 { await Task.yield() }
        let later = world.client.request(FixtureText("3"))
        await later.start()
        await fixtureUntil { world.transport.receivedCount >= 3 && world.transport.activeCount == 0 }
        self.second.open()
        for request in [next, later] { #expect(try await request.value == "in") }
        #expect(self.isAnswered.lines == ["t1", "t2"])
        #expect(world.transport.received.map { $0.headers["Authorization"] }.contains("Bearer t1") == false)
        await world.expectAtRest()
    }
}

/// Counts questions.
private final class QuestionCount: Sendable {
    private let count = Locked(0)

    func next() -> Int {
        self.count.withLock { count in
            count += 1
            return count
        }
    }
}
