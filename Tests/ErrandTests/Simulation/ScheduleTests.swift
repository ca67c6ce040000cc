import Errand
import ErrandTesting
import TestEffort
import Testing

@Suite("Thousands of schedules (G1–G8, G11)", .timeLimit(.minutes(60)), .paced)
struct ScheduleTests {
    @Test("G4: a batch in which several children fail together reports one failure, the first")
    func failingBatch() async throws {
        try await Simulation.explore(schedules: TestEffort.schedules.count, Self.failingBatchScenario)
    }

    @Test("G5: a chain stopped inside a step starts no further step and ends as cancelled")
    func stoppedChain() async throws {
        try await Simulation.explore(schedules: TestEffort.schedules.count, Self.stoppedChainScenario)
    }

    @Test("G3, G6, G8: 200 requests through a width of four, a third of them cancelled")
    func crowd() async throws {
        try await Simulation.explore(schedules: TestEffort.schedules.count, Self.crowdScenario)
    }

    @Test("G7: cancelling all ends a batch and a chain as such")
    func cancelAll() async throws {
        try await Simulation.explore(schedules: TestEffort.schedules.count, Self.cancelAllScenario)
    }

    @Test("G10: a streamed batch that is left half-way leaves nothing behind")
    func abandonedStream() async throws {
        try await Simulation.explore(schedules: TestEffort.schedules.count, Self.abandonedStreamScenario)
    }

    @Test(
        "The same seed gives the same interleaving, and nothing escapes the simulation",
        arguments: [
            failingBatchScenario, stoppedChainScenario, crowdScenario, cancelAllScenario, abandonedStreamScenario,
        ])
    func repeatable(scenario: @escaping @Sendable (Simulation.Context) async throws -> Void) async throws {
        let first = await Simulation.report(seed: 7, scenario)
        let second = await Simulation.report(seed: 7, scenario)
        let other = await Simulation.report(seed: 8, scenario)
        #expect(first.failure == nil)
        #expect(first.escapedJobs == 0)
        #expect(first.fingerprint == second.fingerprint)
        #expect(first.steps == second.steps)
        #expect(first.fingerprint != other.fingerprint)
    }

    // MARK: - Scenarios

    @Sendable
    static func failingBatchScenario(_ simulation: Simulation.Context) async throws {
        let world = SimWorld(simulation, limits: RequestScheduler.Limits(total: 4, perHost: 4))
        world.stub.route(where: { _ in true }) { request, _ in
            let reply = request.url.path.hasPrefix("/bad") ? StubReply.status(500) : .text("good")
            return reply.delayed(by: .milliseconds(simulation.random.int(in: 0..<3)), on: simulation.clock)
        }
        let calls = (0..<8).map { SimCall(path: $0 % 3 == 1 ? "bad/\($0)" : "good/\($0)") }
        let batch = world.client.batch(of: calls)
        do {
            _ = try await batch.value
            throw SimProblem("a batch with failing children succeeded")
        } catch let error as ErrandError {
            let failed = await batch.failedRequest
            try #require(error.code == .unacceptableStatus)
            try #require(error.context.index == failed?.index)
            try #require([1, 4, 7].contains(failed?.index))
        }
        for outcome in await batch.outcomes {
            guard case .failure(let error) = outcome else { continue }
            try #require(error.code == .unacceptableStatus || error.code == .cancelled)
        }
        try #require(world.stub.peakCount <= 4)
        try await world.checkNothingIsLeft()
    }

    @Sendable
    static func stoppedChainScenario(_ simulation: Simulation.Context) async throws {
        let world = SimWorld(simulation)
        world.stub.route(where: { _ in true }) { request, _ in
            StubReply.text(request.url.path).delayed(by: .milliseconds(1), on: simulation.clock)
        }
        let chain = world.client.chain()
        let stopsInside = simulation.random.bool()
        try await chain.add(SimCall(path: "one")) { _, chain in
            try await chain.add(SimCall(path: "two")) { _, chain in
                if stopsInside { chain.cancel() }
                try? await chain.add(SimCall(path: "three"))
            }
        }
        await withTaskGroup { group in
            group.addTask {
                if !stopsInside {
                    try? await simulation.clock.sleep(for: .milliseconds(simulation.random.int(in: 0..<3)))
                    for _ in 0..<simulation.random.int(in: 0..<6) { await simulation.yield() }
                    chain.cancel()
                }
            }
            group.addTask { try? await chain.value }
        }
        let code = await #expect(throws: ErrandError.self) { try await chain.value }?.code
        let paths = world.stub.received.map(\.url.path)
        if stopsInside {
            try #require(code == .cancelled)
            try #require(paths == ["/one", "/two"])
        } else if code != nil {
            // The cancellation came in time; if it came before the start there are no hooks.
            try #require(code == .cancelled)
        }
        try #require(paths == Array(["/one", "/two", "/three"].prefix(paths.count)))
        try await world.checkNothingIsLeft()
    }

    @Sendable
    static func crowdScenario(_ simulation: Simulation.Context) async throws {
        // Half of the seeds without hooks: then requests wait without a task of their own.
        let world = SimWorld(
            simulation, limits: RequestScheduler.Limits(total: 4, perHost: 3), hooks: simulation.seed % 2 == 0)
        world.stub.route(where: { _ in true }) { _, _ in
            let reply = StubReply.text("good")
            let delay = simulation.random.int(in: 0..<3)
            return delay == 0 ? reply : reply.delayed(by: .milliseconds(delay), on: simulation.clock)
        }
        let outcomes = await withTaskGroup(of: SimOutcome.self) { group in
            for number in 0..<200 {
                let request = world.client.request(
                    SimCall(path: "http://host\(number % 3).invalid/\(number)"),
                    options: .priority(RequestPriority.allCases[number % 3]))
                let isCancelled = number % 3 == 0
                group.addTask { await SimOutcome(number, isCancelled: isCancelled, of: request) }
                guard isCancelled else { continue }
                group.addTask {
                    for _ in 0..<simulation.random.int(in: 0..<20) { await simulation.yield() }
                    request.cancel()
                    return .other
                }
            }
            return await group.reduce(into: [SimOutcome]()) { $0.append($1) }
        }
        try #require(outcomes.count { $0 == .good } >= 133)
        try #require(!outcomes.contains(.wrong))
        try #require(world.stub.peakCount <= 4, "G8")
        try await world.checkNothingIsLeft()
    }

    @Sendable
    static func cancelAllScenario(_ simulation: Simulation.Context) async throws {
        let world = SimWorld(simulation, limits: RequestScheduler.Limits(total: 2, perHost: 2))
        let gate = StubGate()
        world.stub.route(where: { _ in true }) { request, _ in
            request.url.path.hasSuffix("last") ? StubReply.text("held").held(by: gate) : .text("good")
        }
        let client = world.client
        let batch = client.batch(of: ["1", "2", "3", "last"].map { SimCall(path: $0) }, failure: .collectAll)
        let chain = client.chain(SimCall(path: "a")).then { _ in SimCall(path: "b-last") }.then { SimCall(path: $0) }
        try await batch.start()
        try await chain.start()
        for _ in 0..<simulation.random.int(in: 0..<60) { await simulation.yield() }
        await client.cancelAll()
        let ends = [
            await #expect(throws: ErrandError.self) { try await batch.value }?.code,
            await #expect(throws: ErrandError.self) { try await chain.value }?.code,
        ]
        // What was not yet in the record when all was cancelled is not what was cancelled: let go of it.
        try #require(ends == [.cancelled, .cancelled])
        try await world.checkNothingIsLeft()
        let received = world.stub.receivedCount
        for _ in 0..<50 { await simulation.yield() }
        try #require(world.stub.receivedCount == received, "nothing starts after the end")
    }

    @Sendable
    static func abandonedStreamScenario(_ simulation: Simulation.Context) async throws {
        let world = SimWorld(
            simulation, limits: RequestScheduler.Limits(total: 3, perHost: 3), hooks: simulation.seed % 2 == 0)
        world.stub.route(where: { _ in true }) { _, _ in
            StubReply.text("good").delayed(by: .milliseconds(simulation.random.int(in: 0..<2)), on: simulation.clock)
        }
        let leaveAfter = simulation.random.int(in: 0..<30)
        var read = 0
        for await outcome in world.client.outcomes(
            of: 0..<40, width: 5, order: simulation.random.bool() ? .input : .completion,
            making: { SimCall(path: "\($0)") })
        {
            guard case .success = outcome.result else { throw SimProblem("\(outcome)") }
            read += 1
            if read > leaveAfter { break }
        }
        for await count in await world.client.record.counts where count == 0 { break }
        while await world.client.scheduler.activeCount > 0 { await simulation.yield() }
        // Nobody can wait for the end of what was left: it is looked for as often as it takes.
        while !world.hasEndedAll { await simulation.yield() }
        try await world.checkNothingIsLeft()
    }
}

/// What became of one request of the crowd.
enum SimOutcome: Sendable, Equatable {
    case good, cancelled, wrong, other

    init(_ number: Int, isCancelled: Bool, of request: Request<SimCall>) async {
        do {
            self = try await request.value == "good" ? .good : .wrong
        } catch {
            self = error.code == .cancelled && isCancelled ? .cancelled : .wrong
        }
    }

    /// Sends so many requests at once, the first few of which are cancelled at any moment.
    static func all(of count: Int, cancelling cancelled: Int, in world: SimWorld) async -> [SimOutcome] {
        let simulation = world.simulation
        return await withTaskGroup(of: SimOutcome.self) { group in
            for number in 0..<count {
                let request = world.client.request(SimCall(path: "\(number)"))
                let isCancelled = number < cancelled
                group.addTask { await SimOutcome(number, isCancelled: isCancelled, of: request) }
                guard isCancelled else { continue }
                group.addTask {
                    await simulation.pause(yields: 60)
                    request.cancel()
                    return .other
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }
}

/// Something that must not happen did.
struct SimProblem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
