import ErrandSimulation
import TestEffort
import Testing

/// Whether a seed gives the interleaving that it gave in earlier versions: seeds stand in bug reports.
@Suite("Old seeds", .timeLimit(.minutes(60)), .paced)
struct OldSeedsTests {
    private struct Recorded: Sendable {
        let seed: UInt64
        let fingerprint: UInt64
        let steps: Int
        let order: [Int]
    }

    /// Written down when seeds were all there was.
    private static let recorded = [
        Recorded(
            seed: 0, fingerprint: 15518983367597922190, steps: 48,
            order: [2, 1, 4, 5, 3, 102, 105, 0, 100, 104, 101, 103, 200, 201]),
        Recorded(
            seed: 1, fingerprint: 13785668293070617963, steps: 44,
            order: [4, 3, 1, 5, 0, 2, 101, 100, 102, 105, 103, 104, 201, 200]),
        Recorded(
            seed: 2, fingerprint: 15899957623720891326, steps: 47,
            order: [3, 5, 2, 103, 1, 4, 0, 100, 101, 104, 105, 102, 201, 200]),
        Recorded(
            seed: 42, fingerprint: 18213140202678294454, steps: 51,
            order: [4, 1, 5, 3, 0, 2, 105, 102, 103, 104, 101, 100, 200, 201]),
        Recorded(
            seed: 1000003, fingerprint: 10008757019781900921, steps: 46,
            order: [0, 2, 5, 100, 3, 1, 4, 104, 105, 101, 103, 102, 201, 200]),
        Recorded(
            seed: 18446744073709551615, fingerprint: 6202860480560902648, steps: 44,
            order: [2, 5, 3, 0, 4, 1, 100, 101, 103, 102, 105, 104, 201, 200]),
    ]

    /// Tasks, groups, an actor, sleeps, yields and chance between them.
    private static func scenario(
        _ recorder: NumberRecorder
    ) -> @Sendable (Simulation.Context) async throws -> Void {
        { simulation in
            await withTaskGroup { group in
                for number in 0..<6 {
                    group.addTask {
                        await simulation.yield()
                        await recorder.append(number)
                        try? await simulation.clock.sleep(for: .seconds(simulation.random.int(in: 0..<3)))
                        await recorder.append(number + 100)
                    }
                }
            }
            async let first: Void = recorder.append(200)
            async let second: Void = recorder.append(201)
            _ = await (first, second)
        }
    }

    @Test("A seed gives the steps and the fingerprint that it gave before")
    func recorded() async {
        for recorded in Self.recorded {
            let recorder = NumberRecorder()
            let report = await Simulation.report(seed: recorded.seed, Self.scenario(recorder))
            #expect(report.fingerprint == recorded.fingerprint)
            #expect(report.steps == recorded.steps)
            #expect(await recorder.numbers == recorded.order)
        }
    }
}
