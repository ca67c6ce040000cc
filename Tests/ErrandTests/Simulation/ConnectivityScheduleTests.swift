import Errand
import ErrandTesting
import TestEffort
import Testing

@Suite("Thousands of schedules: a network that comes and goes (G1–G3, G6)", .timeLimit(.minutes(60)), .paced)
struct ConnectivityScheduleTests {
    @Test("Each request ends, with a response when a network comes and stays, and nothing is left")
    func comesAndGoes() async throws {
        try await Simulation.explore(schedules: TestEffort.schedules.count) { try await Self.scenario($0) }
    }

    @Sendable
    private static func scenario(_ simulation: Simulation.Context) async throws {
        let network = TestPathMonitor(.none)
        let comesBack = simulation.random.int(in: 0..<2) == 0
        let world = SimWorld(simulation, limits: RequestScheduler.Limits(total: 2, perHost: 2)) {
            $0.options = $0.options.connectivity(.wait(upTo: .seconds(1_000)))
            $0.environment.pathMonitor = network
        }
        world.stub.route(where: { _ in true }) { _, _ in
            network.path.isSatisfied ? .text("x") : .failure(.cannotConnect, "no network")
        }
        let requests = (0..<3).map { world.client.request(SimCall(path: "\($0)")) }
        await withTaskGroup(of: Void.self) { group in
            for request in requests {
                group.addTask {
                    await simulation.pause(yields: 20)
                    await request.start()
                }
            }
            group.addTask {
                await simulation.pause(yields: 20)
                requests[0].suspend()
                await simulation.pause(yields: 20)
                requests[0].resume()
                await simulation.pause(yields: 20)
                requests[1].cancel()
            }
            group.addTask {
                for _ in 0..<(comesBack ? 3 : 0) {
                    network.set(NetworkPath(interfaces: [.wifi]))
                    await simulation.pause(yields: 20)
                    network.set(.none)
                    await simulation.pause(yields: 20)
                }
                await simulation.pause(yields: 20)
                network.set(NetworkPath(interfaces: [.cellular]))
            }
        }
        for (number, request) in requests.enumerated() {
            let value = try? await request.value
            // One that fails in a moment without a network, and looks in the next one, cannot know why it failed.
            try #require(value == "x" || number == 1 || comesBack, "sent when there is a network")
        }
        try await world.checkNothingIsLeft()
        try #require(network.readerCount == 0, "nobody watches any more")
    }
}
