import ErrandSimulation
import TestEffort
import Testing

/// The text of schedules, and the names of tasks in it.
@Suite("Schedules", .timeLimit(.minutes(60)), .paced)
struct ScheduleTests {
    @Test(
        "A schedule's text gives the schedule again",
        arguments: [
            "-", "b6>f", "b6>f.2", ".1>a", ".12>.", ".3>..2", "za1>zzb", "bac10>.", "b6>f c1>a.12 .4>ba",
            "#42 -", "#18446744073709551615 a1>b",
        ])
    func roundTrip(text: String) throws {
        let schedule = try #require(Simulation.Schedule(text))
        #expect(schedule.description == text)
        #expect(Simulation.Schedule(schedule.description) == schedule)
        #expect(try Simulation.Schedule(parsing: text) == schedule)
    }

    @Test("White space between the entries has no meaning")
    func whiteSpace() {
        #expect(Simulation.Schedule("  b6>f\n\tc1>a ") == "b6>f c1>a")
    }

    @Test("The number of entries is counted")
    func count() {
        #expect(Simulation.Schedule.standard.count == 0)
        #expect(Simulation.Schedule.standard.description == "-")
        #expect(("#1 b6>f c1>a" as Simulation.Schedule).count == 2)
    }

    @Test(
        "A text that is no schedule is told, with the entry",
        arguments: [
            ("", "no entries"), ("  ", "no entries"), ("#1", "no entries"), ("b6", "`b6`"), ("b>f", "`b>f`"),
            ("6>f", "`6>f`"), ("b6>", "`b6>`"), (">f", "`>f`"), ("b6>f>g", "`b6>f>g`"), ("b6>f.", "`b6>f.`"),
            ("b6>f.0", "`b6>f.0`"), ("b6>f.x", "`b6>f.x`"), ("b6>f.1.2", "`b6>f.1.2`"), ("B6>f", "`B6>f`"),
            ("z6>f", "`z6>f`"), ("b6>az", "`b6>az`"), ("b-6>f", "`b-6>f`"), ("b٦>f", "`b٦>f`"), ("é1>a", "`é1>a`"),
            ("b99999999999999999999>f", "`b99999999999999999999>f`"), ("- b6>f", "`-`"), ("b6>f b6>g", "`b6>g`"),
            ("#x b6>f", "`#x`"), ("# b6>f", "`#`"), ("#-1 b6>f", "`#-1`"), ("b6>f #1", "`#1`"),
            ("a0>b", "`a0>b`"), ("#18446744073709551616 -", "`#18446744073709551616`"), ("...", "`...`"),
            ("a1>...", "`a1>...`"),
        ])
    func badText(text: String, named: String) async throws {
        #expect(Simulation.Schedule(text) == nil)
        let error = try #require(
            #expect(throws: SimulationError.self) { try Simulation.Schedule(parsing: text) })
        #expect(error.code == .invalidSchedule)
        #expect(error.message.contains(named))
        let literal = Simulation.Schedule(stringLiteral: text)
        #expect(literal.description == text)
        await #expect(throws: error) { try await Simulation.run(replaying: literal) { _ in } }
        await #expect(throws: error) { try await Simulation.report(replaying: literal) { _ in } }
    }

    @Test("Tasks are named by their place in the tree of tasks")
    func names() async throws {
        let report = try await Simulation.report(replaying: "-") { simulation in
            await withTaskGroup { group in
                for _ in 0..<53 { group.addTask {} }
            }
            await withTaskGroup { group in
                group.addTask(name: "parent") {
                    async let first: Void = simulation.yield()
                    async let second: Void = simulation.yield()
                    _ = await (first, second)
                }
            }
        }
        let letters = "abcdefghijklmnopqrstuvwxy".map { String($0) }
        let children = ["", "z", "zz"].flatMap { skipped in letters.map { skipped + $0 } }
        let parent = children[53]
        let expected = ["."] + children[..<54] + [parent + "a", parent + "b"]
        #expect(report.tasks.map(\.id) == expected)
        #expect(parent == "zzd")
        #expect(report.failure == nil)
    }

    @Test("A task that the code names has that name")
    func givenNames() async throws {
        let report = try await Simulation.report(replaying: "-") { simulation in
            let recorder = NumberRecorder()
            await withTaskGroup { group in
                group.addTask(name: "first") { await recorder.append(1) }
                group.addTask { await recorder.append(2) }
                group.addTask(name: "third") {}
            }
            await Task(name: "fourth", executorPreference: simulation.executor) {}.value
        }
        #if os(Linux) && compiler(>=6.3) && compiler(<6.4)
            #expect(report.tasks.map(\.name) == [nil, "first", nil, "third", "fourth"])
            #expect(report.timeline.contains { $0.name == "first" && $0.task == "a" && $0.kind == .actor })
        #endif
        #expect(report.tasks.map(\.id) == [".", "a", "b", "c", "d"])
        #expect(report.tasks.map(\.steps).reduce(0, +) == report.steps)
        #expect(report.timeline.count == report.steps)
    }
}
