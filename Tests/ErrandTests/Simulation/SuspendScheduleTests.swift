import Errand
import ErrandTesting
import TestEffort
import Testing

@Suite("Thousands of schedules: suspending (G1–G3, G6, G7)", .timeLimit(.minutes(60)), .paced)
struct SuspendScheduleTests {
    @Test("Whatever is suspended, goes on and is cancelled, and when the client is reset, all ends and nothing is left")
    func ends() async throws {
        try await Simulation.explore(schedules: TestEffort.schedules.count) { try await Self.scenario($0) }
    }

    @Test("What is suspended outlives its deadline, and is sent once it goes on")
    func outlives() async throws {
        try await Simulation.explore(schedules: TestEffort.schedules.count) { try await Self.deadlineScenario($0) }
    }

    @Sendable
    private static func scenario(_ simulation: Simulation.Context) async throws {
        let world = SimWorld(simulation, limits: RequestScheduler.Limits(total: 2, perHost: 2)) {
            $0.options = $0.options.timeouts(Timeouts(idle: .seconds(5), attempt: .seconds(20), total: .seconds(1_000)))
        }
        world.stub.route(where: { _ in true }) { _, _ in
            StubReply.text("x").delayed(by: .seconds(1), on: simulation.clock)
        }
        let requests = (0..<3).map { number in
            world.client.request(SimCall(path: "\(number)"), options: .tag("\(number % 2)"))
        }
        let batch = world.client.batch(of: (0..<3).map { SimCall(path: "b\($0)") })
        await withTaskGroup(of: Void.self) { group in
            for request in requests {
                group.addTask {
                    await simulation.pause(yields: 20)
                    await request.start()
                }
                group.addTask {
                    await simulation.pause(yields: 20)
                    request.suspend()
                    await simulation.pause(yields: 20)
                    request.resume()
                }
            }
            group.addTask { try? await batch.start() }
            group.addTask {
                await simulation.pause(yields: 20)
                batch.suspend()
                await simulation.pause(yields: 20)
                batch.resume()
            }
            group.addTask {
                await simulation.pause(yields: 20)
                await world.client.record.suspend(tag: "0")
                await simulation.pause(yields: 20)
                await world.client.record.resume(tag: "0")
            }
            group.addTask {
                await simulation.pause(yields: 20)
                world.client.suspendAll()
                await simulation.pause(yields: 20)
                world.client.resumeAll()
            }
            group.addTask {
                await simulation.pause(yields: 20)
                await world.client.reset(removingCookies: true)
            }
            if simulation.random.int(in: 0..<2) == 0 {
                group.addTask {
                    await simulation.pause(yields: 20)
                    requests[0].cancel()
                }
            }
        }
        // Who was suspended last decides; now all go on.
        world.client.resumeAll()
        for request in requests { request.resume() }
        batch.resume()
        for request in requests.dropFirst() { try #require(try await request.value == "x") }
        try #require(try await batch.value == ["x", "x", "x"])
        _ = try? await requests[0].value
        try await world.checkNothingIsLeft()
    }

    @Sendable
    private static func deadlineScenario(_ simulation: Simulation.Context) async throws {
        let world = SimWorld(simulation) { $0.options = $0.options.timeouts(Timeouts(total: .seconds(10))) }
        world.stub.route(where: { _ in true }) { _, _ in .text("x") }
        let request = world.client.request(SimCall(path: "a"))
        request.suspend()
        await request.start()
        try await simulation.clock.sleep(for: .seconds(simulation.random.int(in: 1..<100)))
        try #require(await request.state == .running)
        try #require(world.stub.received.isEmpty)
        request.resume()
        try #require(try await request.value == "x")
        try await world.checkNothingIsLeft()
    }
}
