internal import Errand
internal import ErrandTesting
internal import TestEffort
internal import Testing

extension Documented {
    /// The examples of the article "How it stays race-free".
    @Suite(.timeLimit(.minutes(60)), .paced)
    struct RaceFreeExamples {
        @Test func `one outcome for all who wait`() async throws {
            try await Simulation.explore(schedules: 200) { simulation in
                let transport = StubTransport()
                transport.route("/*", .status(200).delayed(by: .seconds(1), on: simulation.clock))
                let client = Client(baseURL: "https://api.example.com/v1/") {
                    $0.transport = transport
                    $0.environment.clock = simulation.clock
                }
                let request = client.request(GetImage(name: "sun"))
                await request.start()

                let outcomes = await withTaskGroup(of: Bool.self, returning: Set<Bool>.self) { group in
                    for _ in 0..<3 { group.addTask { (try? await request.value) != nil } }
                    try? await simulation.clock.sleep(for: .milliseconds(simulation.random.int(in: 0..<2000)))
                    request.cancel()
                    return await group.reduce(into: []) { $0.insert($1) }
                }

                try #require(outcomes.count == 1)
            }
        }
    }
}
