import TestEffort
import Testing

@testable import ErrandSimulation

/// Checks that a verification runs each class of schedules once, and that each part of the dependence is needed.
@Suite("Verified classes", .timeLimit(.minutes(60)), .paced, .enabled(if: ScheduleTree.isExact))
struct VerificationClassesTests {
    /// A program with its number of classes, and of all its schedules.
    struct Litmus: Sendable, CustomStringConvertible {
        let description: String
        let classes: Int
        let schedules: Int
        let program: LitmusProgram

        init(_ name: String, classes: Int, schedules: Int, _ tasks: [LitmusProgram.Operation]...) {
            (self.description, self.classes, self.schedules) = (name, classes, schedules)
            self.program = LitmusProgram(tasks: tasks)
        }
    }

    /// Programs whose classes were counted by hand.
    static let counted: [Litmus] = [
        Litmus("a task that does nothing", classes: 1, schedules: 1, []),
        // The last steps of two tasks are ordered, since the body collects their results. The body's step for the first
        // result comes before or after the second task's last step: two times two classes.
        Litmus("two tasks that do nothing", classes: 4, schedules: 4, [], []),
        Litmus("two actors", classes: 4, schedules: 50, [.visit(0)], [.visit(1)]),
        Litmus(
            "two locks, in steps that are not the last", classes: 4, schedules: 50,
            [.lock(0), .yield], [.lock(1), .yield]),
        Litmus(
            "two readers of a flag, in steps that are not the last", classes: 4, schedules: 50,
            [.readFlag, .yield], [.readFlag, .yield]),
        // With c for the end of a task and R for a step of the body: cRcRcR, cRccR, ccRcR or cccR, in six orders.
        Litmus("three tasks that do nothing", classes: 24, schedules: 24, [], [], []),
        // The first steps of the tasks are ordered as well: two times four.
        Litmus(
            "a lock, in steps that are not the last", classes: 8, schedules: 50,
            [.lock(0), .yield], [.lock(0), .yield]),
        Litmus("a clock that is read and moved", classes: 8, schedules: 50, [.now, .yield], [.advance, .yield]),
        // If a ends before b, the first step of b comes before or after that end: two times two, and the same for b.
        Litmus(
            "store buffering", classes: 8, schedules: 50,
            [.lock(0), .yield, .lock(1)], [.lock(1), .yield, .lock(0)]),
        // The body, which cancels the second child, comes before or after each of its three steps, for both children.
        Litmus("children of a group", classes: 8, schedules: 50, [.group([[.visit(0)], [.visit(1)]])]),
    ]

    static let others: [Litmus] = [
        Litmus("one actor", classes: 16, schedules: 30, [.visit(0)], [.visit(0)]),
        Litmus("message passing", classes: 18, schedules: 30, [.visit(0), .setFlag], [.readFlag, .visit(0)]),
        Litmus("a gate", classes: 16, schedules: 37, [.wait(0)], [.open(0)]),
        Litmus(
            "a gate that cancellation passes", classes: 44, schedules: 243,
            [.start(0, [.waitSafely(0)])], [.cancel(0), .open(0)]),
        Litmus("a child of an async let", classes: 12, schedules: 54, [.asyncLet([])], []),
        Litmus(
            "a group within an async let of a child that is cancelled", classes: 96, schedules: 338,
            [.group([[.asyncLet([.group([[.isCancelled]])])], []])]),
        Litmus(
            "a handle of a task that is cancelled after its end", classes: 8, schedules: 11,
            [.start(0, []), .join(0), .cancel(0)], [.isHandleCancelled(0)]),
        Litmus("a task that is joined", classes: 4, schedules: 154, [.start(0, [.yield]), .join(0)], [.yield]),
        Litmus(
            "a task that is cancelled", classes: 20, schedules: 154,
            [.start(0, [.isCancelled, .yield]), .join(0)], [.cancel(0), .yield]),
        Litmus("two sleepers", classes: 8, schedules: 8, [.sleep(1)], [.sleep(1)]),
        Litmus("a task within an actor", classes: 28, schedules: 74, [.startOn(0), .visit(0)], [.visit(0)]),
        Litmus("an actor that waits for another", classes: 16, schedules: 100, [.through(0)], [.visit(1)]),
    ]

    @Test("Each class is run once, and no others", arguments: counted + others)
    func classes(_ litmus: Litmus) async throws {
        let tree = ScheduleTree(reach: [.tasks], litmus.program.body)
        let all = try #require(await tree.all())
        let classes = try #require(await tree.classes())
        #expect(classes.schedules == litmus.classes)
        #expect(all.schedules == litmus.schedules)
        #expect(classes.classes == all.classes && classes.schedules == all.classes.count)
        #expect(classes.outcomes == all.outcomes)
        let full = try await Simulation.verify(reach: [.tasks], limits: .init(maxSteps: 2_000)) { simulation in
            try? await litmus.program.body(simulation)
        }
        #expect(full.classes == all.schedules)
    }

    /// An actor that is deinitialized on another actor's queue.
    @available(macOS 15.4, iOS 18.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *)
    private actor Guest {
        private let simulation: Simulation.Context

        init(_ simulation: Simulation.Context) {
            self.simulation = simulation
        }

        func visit() async { await self.simulation.yield() }

        isolated deinit {
            self.simulation.reached("gone")
        }
    }

    @Test("The job of an isolated deinitializer is a job like others")
    func deinitializer() async throws {
        guard #available(macOS 15.4, iOS 18.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *) else { return }
        let tree = ScheduleTree(reach: [.tasks]) { simulation in
            await withTaskGroup { group in
                let guest = Guest(simulation)
                group.addTask { await guest.visit() }
                group.addTask { await guest.visit() }
            }
            await simulation.yield()
        }
        let (all, classes) = (try #require(await tree.all()), try #require(await tree.classes()))
        #expect(classes.outcomes == all.outcomes)
        #expect(classes.classes == all.classes && classes.schedules == all.classes.count)
    }

    @MainActor private static var visitors = ""

    @Test("Visits to the main actor are ordered", .enabled(if: Simulation.Reach.available.contains(.mainActor)))
    func mainActor() async throws {
        let tree = ScheduleTree(reach: [.tasks, .mainActor]) { simulation in
            await MainActor.run { Self.visitors = "" }
            await withTaskGroup { group in
                for name in ["a", "b"] {
                    group.addTask {
                        await MainActor.run { Self.visitors += name }
                        await simulation.yield()
                    }
                }
            }
            simulation.reached(await MainActor.run { Self.visitors })
        }
        let (all, classes) = (try #require(await tree.all()), try #require(await tree.classes()))
        #expect(all.outcomes == ["ab", "ba"] && classes.outcomes == all.outcomes)
        #expect(classes.classes == all.classes && classes.schedules == all.classes.count)
        // As for a lock: two orders of the visits, times four for the ends.
        #expect(classes.schedules == 8)
    }

    @Test("Random programs have the outcomes and classes of all their schedules")
    func programs() async throws {
        var checked = 0
        for seed in 0..<UInt64(TestEffort.isDeep ? 1_000 : 60) {
            let program = LitmusProgram(seed: seed, count: 2 + Int(seed % 3))
            let tree = ScheduleTree(limit: 150, reach: [.tasks], program.body)
            guard let all = await tree.all() else { continue }
            let classes = try #require(await tree.classes(), "\(program)")
            #expect(classes.classes == all.classes && classes.schedules == all.classes.count, "\(program)")
            #expect(classes.outcomes == all.outcomes, "\(program)")
            checked += 1
        }
        #expect(checked >= 20)
    }
}
