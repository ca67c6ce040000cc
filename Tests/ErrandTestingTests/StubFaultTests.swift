import Errand
import ErrandTesting
import Foundation
import TestEffort
import Testing

/// Whether stubbed replies fail where a simulation decides so.
@Suite("Faults of stubbed replies", .timeLimit(.minutes(60)), .paced)
struct StubFaultTests {
    private struct GetA: Endpoint {
        var path: EndpointPath { "a" }
    }

    /// Sends a request to a reply and returns what came of it, with what was seen on the way.
    private static func outcome(
        _ seed: UInt64, _ reply: @escaping @Sendable (Simulation.Context) -> StubReply
    ) async throws -> (result: Result<Data, ErrandError>, received: Int) {
        try await Simulation.run(seed: seed) { simulation in
            let transport = StubTransport()
            transport.route("/a", reply(simulation))
            let client = Client(baseURL: "https://api.example.com/") {
                $0.transport = transport
                $0.environment.clock = simulation.clock
            }
            do throws(ErrandError) {
                return (.success(try await client.send(GetA())), transport.receivedCount)
            } catch {
                return (.failure(error), transport.receivedCount)
            }
        }
    }

    @Test("A fault that always strikes gives its error at each point", arguments: StubReply.Point.allCases)
    func always(point: StubReply.Point) async throws {
        let outcome = try await Self.outcome(1) { simulation in
            .text("a").failing(.connectionLost, probability: 1, in: simulation, at: point)
        }
        guard case .failure(let error) = outcome.result else {
            Issue.record("no failure")
            return
        }
        #expect(error.code == .connectionLost)
        #expect(error.description.contains("a fault of the simulation: connectionLost at \(point)"))
        #expect(outcome.received == 1)
    }

    @Test("One that never strikes leaves the reply as it is")
    func never() async throws {
        let outcome = try await Self.outcome(1) { simulation in
            .text("a").failing(.connectionLost, probability: 0, in: simulation)
        }
        #expect(try outcome.result.get() == Data("a".utf8))
    }

    @Test("What strikes follows from the seed and is told with the failure")
    func seeds() async throws {
        let reply: @Sendable (Simulation.Context) -> StubReply = { simulation in
            .text("a").failing(.timedOut, probability: 0.5, in: simulation, name: "slow")
        }
        var strikes: [Bool] = []
        for seed in 0..<20 {
            let (first, second) = (
                try await Self.outcome(UInt64(seed), reply), try await Self.outcome(UInt64(seed), reply)
            )
            #expect((try? first.result.get()) == (try? second.result.get()))
            strikes.append((try? first.result.get()) == nil)
        }
        #expect(Set(strikes).count == 2)
        let failure = await #expect(throws: SimulationFailure.self) {
            try await Simulation.explore { simulation in
                let transport = StubTransport()
                transport.route("/a", reply(simulation))
                let client = Client(baseURL: "https://api.example.com/") {
                    $0.transport = transport
                    $0.environment.clock = simulation.clock
                }
                _ = try await client.send(GetA())
            }
        }
        #expect(failure?.faults.map(\.description) == ["slow (call 1)"])
        #expect(failure?.isRepeatable == true)
    }
}
