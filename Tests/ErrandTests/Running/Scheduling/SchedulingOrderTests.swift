internal import Errand
internal import ErrandTesting
internal import TestEffort
internal import Testing

@Suite("Scheduling: order (G8)", .timeLimit(.minutes(60)), .paced)
struct SchedulingOrderTests {
    private let world = FixtureWorld { $0.limits.concurrency = RequestScheduler.Limits(total: 1, perHost: 1) }

    /// Puts requests into the queue of a paused scheduler, one after another.
    private func queue(
        _ paths: [String], priority: (String) -> RequestPriority? = { _ in nil }
    ) async -> [Request<FixtureText>] {
        self.world.transport.route("*", .text("x"))
        await self.world.client.scheduler.pause()
        var requests: [Request<FixtureText>] = []
        for path in paths {
            let options = priority(path).map { RequestOptions.priority($0) } ?? RequestOptions()
            let request = self.world.client.request(FixtureText(path), options: options)
            await request.start()
            requests.append(request)
            await self.world.waitUntilQueued(requests.count)
        }
        return requests
    }

    private func finish(_ requests: [Request<FixtureText>]) async throws {
        await self.world.client.scheduler.resume()
        for request in requests { _ = try await request.value }
    }

    @Test func `is first in, first out`() async throws {
        let paths = (0..<20).map { "\($0)" }
        try await self.finish(await self.queue(paths))
        #expect(self.world.sentPaths == paths)
    }

    @Test func `is by priority first`() async throws {
        let priorities: [Character: RequestPriority] = ["l": .low, "n": .normal, "h": .high]
        let requests = await self.queue(["l1", "n1", "h1", "l2", "n2", "h2"]) { $0.first.flatMap { priorities[$0] } }
        try await self.finish(requests)
        #expect(self.world.sentPaths == ["h1", "h2", "n1", "n2", "l1", "l2"])
    }

    @Test func `takes the priority of the endpoint where the options have none`() async throws {
        self.world.transport.route("*", .text("x"))
        await self.world.client.scheduler.pause()
        let requests = [
            self.world.client.request(FixtureText("low") { $0.options = .priority(.low) }),
            self.world.client.request(FixtureText("normal")),
            self.world.client.request(FixtureText("high") { $0.options = .priority(.high) }),
            self.world.client.request(
                FixtureText("lowered") { $0.options = .priority(.high) }, options: .priority(.low)),
        ]
        for (index, request) in requests.enumerated() {
            await request.start()
            await self.world.waitUntilQueued(index + 1)
        }
        try await self.finish(requests)
        #expect(self.world.sentPaths == ["high", "normal", "low", "lowered"])
    }

    @Test func `follows a priority that is changed while it waits`() async throws {
        let requests = await self.queue(["1", "2", "3", "4"])
        await requests[2].setPriority(.high)
        await requests[0].setPriority(.low)
        try await self.finish(requests)
        #expect(self.world.sentPaths == ["3", "2", "4", "1"])
        await requests[0].setPriority(.high)
    }

    @Test func `follows a priority that is set before the start`() async throws {
        var requests = await self.queue(["1", "2"])
        let late = self.world.client.request(FixtureText("3"))
        await late.setPriority(.high)
        await late.start()
        await self.world.waitUntilQueued(3)
        requests.append(late)
        try await self.finish(requests)
        #expect(self.world.sentPaths == ["3", "1", "2"])
    }

    @Test func `closes up when one leaves`() async throws {
        let requests = await self.queue(["1", "2", "3"])
        requests[1].cancel()
        await #expect(throws: ErrandError.self) { try await requests[1].value }
        #expect(await self.world.client.scheduler.waitingCount == 2)
        await self.world.client.scheduler.resume()
        _ = try await requests[0].value
        _ = try await requests[2].value
        #expect(self.world.sentPaths == ["1", "3"])
    }

    @Test func `starves nobody`() async throws {
        let paths = ["low"] + (0..<30).map { "high\($0)" }
        let requests = await self.queue(paths) { $0 == "low" ? .low : .high }
        try await self.finish(requests)
        let place = try #require(self.world.sentPaths.firstIndex(of: "low"))
        #expect((1...20).contains(place), "\(place)")
    }

    @Test func `moves all that an interceptor sends at once`() async throws {
        let twice = FixtureInterceptor { request, _, next in
            async let first = next(request)
            async let second = next(request)
            _ = try await second
            return try await first
        }
        var requests = await self.queue(["1"])
        let pair = self.world.client.request(FixtureText("pair") { $0.options = .interceptors([twice]) })
        await pair.start()
        await self.world.waitUntilQueued(3)
        await pair.setPriority(.high)
        requests.append(pair)
        try await self.finish(requests)
        #expect(self.world.sentPaths == ["pair", "pair", "1"])
    }

    @Test func `is that of the batch or the chain for those that belong to it`() async throws {
        let requests = await self.queue(["1", "2"])
        let urgent = RequestOptions.priority(.high)
        let batch = self.world.client.batch(of: [FixtureText("child")], options: urgent)
        try await batch.start()
        await self.world.waitUntilQueued(3)
        let chain = self.world.client.chain(FixtureText("step"), options: urgent)
        try await chain.start()
        await self.world.waitUntilQueued(4)
        try await self.finish(requests)
        #expect(self.world.sentPaths == ["child", "step", "1", "2"])
        _ = try await (batch.value, chain.value)
    }

    // MARK: - Escalation

    @Test func `rises with a task that is escalated while it sends`() async throws {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
        try await Simulation.run(seed: 1) { simulation in
            let requests = await self.queue(["1", "2"])
            let client = self.world.client
            let task = Task(executorPreference: simulation.executor, priority: .low) {
                try await client.send(FixtureText("urgent"), options: .priority(.low))
            }
            await self.world.waitUntilQueued(3)
            await self.escalate(task, simulation)
            try await self.finish(requests)
            _ = try await task.value
        }
        #expect(self.world.sentPaths == ["urgent", "1", "2"])
    }

    @Test func `rises with a task that is escalated while it waits for the value`() async throws {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
        try await Simulation.run(seed: 1) { simulation in
            let requests = await self.queue(["1", "2"])
            let late = self.world.client.request(FixtureText("urgent"), options: .priority(.low))
            let task = Task(executorPreference: simulation.executor, priority: .low) { try await late.value }
            await self.world.waitUntilQueued(3)
            await self.escalate(task, simulation)
            try await self.finish(requests)
            _ = try await task.value
        }
        #expect(self.world.sentPaths == ["urgent", "1", "2"])
    }

    @Test func `does not fall with a task that is escalated to less than it has`() async throws {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
        try await Simulation.run(seed: 1) { simulation in
            let requests = await self.queue(["1", "2"])
            let client = self.world.client
            let task = Task(executorPreference: simulation.executor, priority: .low) {
                try await client.send(FixtureText("urgent"), options: .priority(.high))
            }
            await self.world.waitUntilQueued(3)
            await self.escalate(task, to: .medium, simulation)
            try await self.finish(requests)
            _ = try await task.value
        }
        #expect(self.world.sentPaths == ["urgent", "1", "2"])
    }

    @Test func `does not fall for what is sent later either`() async throws {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
        let (first, other) = (StubGate(), StubGate())
        self.world.transport.route(
            "urgent", StubReply.status(302, headers: ["Location": "target"]).held(by: first))
        self.world.transport.route("1", StubReply.text("x").held(by: other))
        self.world.transport.route("*", .text("x"))
        try await Simulation.run(seed: 1) { simulation in
            let client = self.world.client
            let urgent = client.request(FixtureText("urgent"), options: .priority(.high))
            let task = Task(executorPreference: simulation.executor, priority: .low) { try await urgent.value }
            await first.waitUntilReached()
            let requests = ["1", "2"].map { client.request(FixtureText($0)) }
            for (index, request) in requests.enumerated() {
                await request.start()
                await self.world.waitUntilQueued(index + 1)
            }
            await self.escalate(task, to: .medium, simulation)
            first.open()
            await other.waitUntilReached()
            // Behind the redirection it waits anew.
            await self.world.waitUntilQueued(2)
            other.open()
            _ = try await task.value
            for request in requests { _ = try await request.value }
        }
        #expect(self.world.sentPaths == ["urgent", "1", "target", "2"])
    }

    /// Escalates a task whose request waits; what is ready in a simulation has run after so many turns.
    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    private func escalate(
        _ task: Task<String, any Error>, to priority: TaskPriority = .high, _ simulation: Simulation.Context
    ) async {
        // The task may not have come to its wait yet, though its request has.
        for _ in 0..<200 { await simulation.yield() }
        task.escalatePriority(to: priority)
        // That its ticket has moved takes a task of its own.
        for _ in 0..<200 { await simulation.yield() }
    }

    @Test func `all requests of a batch rise with a waiting task that is escalated`() async throws {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
        try await Simulation.run(seed: 1) { simulation in
            let requests = await self.queue(["1", "2"])
            let batch = self.world.client.batch(
                of: ["first", "last"].map { FixtureText($0) }, options: .priority(.low))
            let task = Task(executorPreference: simulation.executor, priority: .low) {
                try await batch.value.joined()
            }
            await self.world.waitUntilQueued(4)
            await self.escalate(task, simulation)
            try await self.finish(requests)
            _ = try await task.value
        }
        #expect(Set(self.world.sentPaths.prefix(2)) == ["first", "last"])
    }
}
