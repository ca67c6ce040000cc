import ErrandSimulation
import Foundation
import TestEffort
import Testing

/// What is to be seen only from another process.
@Suite("Simulations in other processes", .timeLimit(.minutes(60)), .paced)
struct OtherProcessTests {
    /// Does a bit of everything that a run captures.
    @Sendable
    private static func scenario(_ simulation: Simulation.Context) async throws {
        let recorder = NumberRecorder()
        try await withThrowingTaskGroup { group in
            for number in 0..<4 {
                group.addTask {
                    try await simulation.clock.sleep(for: .seconds(simulation.random.int(in: 0..<3)))
                    await recorder.append(number)
                    if simulation.fault("lost \(number)", probability: 0.3) { await recorder.append(-number) }
                }
            }
            try await group.waitForAll()
        }
        if Simulation.Reach.available.contains(.all) {
            // Unstructured on purpose.
            let tasks = (10..<14).map { number in
                Task {
                    try await Task.sleep(for: .milliseconds(number % 2))
                    await MainActor.run { simulation.trace("main \(number)") }
                    await recorder.append(number)
                }
            }
            for task in tasks { try await task.value }
            simulation.trace("\(Date.now.timeIntervalSince1970)")
        }
        simulation.trace("\(await recorder.numbers)")
    }

    @Test("A thousand replays in ten processes are equal, with all that is captured")
    func replays() async throws {
        var outputs: Set<[UInt8]> = []
        for _ in 0..<10 {
            let result = try await #require(
                processExitsWith: .success, observing: [\.standardOutputContent]
            ) {
                let seeded = await Simulation.report(seed: 5, reach: .all, OtherProcessTests.scenario)
                for _ in 0..<100 {
                    let report = try await Simulation.report(
                        replaying: seeded.schedule, reach: .all, OtherProcessTests.scenario)
                    print(report.schedule, report.fingerprint, report.steps, report.trace, report.faults)
                }
            }
            outputs.insert(result.standardOutputContent)
        }
        let output = String(decoding: try #require(outputs.first), as: UTF8.self)
        #expect(outputs.count == 1)
        let lines = output.split(separator: "\n").filter { $0.hasPrefix("#5 ") }
        #expect(lines.count == 100)
        #expect(Set(lines).count == 1)
    }

    @Test("A process that crashes leaves the schedule that it was running, which crashes again")
    func trail() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "trail-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        await #expect(processExitsWith: .failure) { [folder = folder as String] in
            unsafe setenv("ERRAND_SIMULATION_TRAIL", folder, 1)
            try await Simulation.explore { simulation in try await OtherProcessTests.crash(simulation) }
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(names.count == 1)
        let file = URL(filePath: folder).appending(path: try #require(names.first))
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        try #require(lines.count == 2)
        #expect(lines[0] == "A scenario")
        let text = String(lines[1])
        #expect(text.contains(">"))
        await #expect(processExitsWith: .failure) { [text = text as String] in
            _ = try await Simulation.report(replaying: .init(parsing: text)) { try await OtherProcessTests.crash($0) }
        }
        // What ends well leaves nothing.
        let other = folder + "-other"
        defer { try? FileManager.default.removeItem(atPath: other) }
        await #expect(processExitsWith: .success) { [other = other as String] in
            unsafe setenv("ERRAND_SIMULATION_TRAIL", other, 1)
            try await Simulation.explore(schedules: 5) { simulation in
                // Unstructured on purpose: it is left behind.
                Task(executorPreference: simulation.executor) { await simulation.clock.waitForSleeper(count: 9) }
                await simulation.yield()
            }
            _ = try? await Simulation.explore { await $0.clock.waitForSleeper() }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: other).isEmpty)
    }

    /// Ends the process where the second of two tasks is the first to be heard.
    private static func crash(_ simulation: Simulation.Context) async throws {
        let recorder = NumberRecorder()
        await withTaskGroup { group in
            for number in 0..<2 { group.addTask { await recorder.append(number) } }
        }
        let numbers = await recorder.numbers
        precondition(numbers == [0, 1], "a planned crash")
    }
}
