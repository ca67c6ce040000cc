import Errand
import ErrandTesting
import TestEffort
import Testing

@Suite("Thousands of schedules: a network that comes and goes (G1–G3, G6)", .timeLimit(.minutes(60)), .paced)
struct ConnectivityScheduleTests {
    @Test("Each request ends, with a response when there is a network at last, and nothing is left")
    func comesAndGoes() async throws {
        try await Simulation.explore(schedules: TestEffort.schedules.count) { try await Self.scenario($0) }
    }

    @Sendable
    private static func scenario(_ simulation: Simulation.Context) async throws {
        let network = TestPathMonitor(.none)
        let world = SimWorld(simulation, limits: Scheduler.Limits(total: 2, perHost: 2)) {
            $0.connectivity = .wait(upTo: .seconds(1_000))
            $0.pathMonitor = network
        }
        world.stub.route(where: { _ in true }) { _, _ in
            network.path.isSatisfied ? .text("x") : .failure(.cannotConnect, "no network")
        }
        let requests = (0..<3).map { world.client.request(SimCall(path: "\($0)")) }
        await withTaskGroup(of: Void.self) { group in
            for request in requests {
                group.addTask {
                    await Self.pause(simulation)
                    await request.start()
                }
            }
            group.addTask {
                await Self.pause(simulation)
                requests[0].suspend()
                await Self.pause(simulation)
                requests[0].resume()
                await Self.pause(simulation)
                await requests[1].cancel()
            }
            group.addTask {
                for _ in 0..<3 {
                    network.set(NetworkPath(interfaces: [.wifi]))
                    await Self.pause(simulation)
                    network.set(.none)
                    await Self.pause(simulation)
                }
            }
        }
        network.set(NetworkPath(interfaces: [.cellular]))
        try #require(try await requests[0].value == "x")
        try #require(try await requests[2].value == "x")
        _ = try? await requests[1].value
        try await world.checkNothingIsLeft()
        try #require(network.readerCount == 0, "nobody watches any more")
    }

    private static func pause(_ simulation: Simulation.Context) async {
        for _ in 0..<simulation.random.int(in: 0..<20) { await simulation.yield() }
    }
}
