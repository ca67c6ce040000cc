import ErrandLocks
import TestEffort
import Testing

@testable import ErrandSimulation

/// Checks that each part of the dependence is needed: without it, a scenario that fails in one order is verified.
@Suite("Verification rules", .timeLimit(.minutes(60)), .paced, .enabled(if: ScheduleTree.isExact))
struct VerificationRulesTests {
    /// A scenario with an outcome that is only found with a rule.
    struct Case: Sendable, CustomStringConvertible {
        let description: String
        let rule: SharingRules
        let outcome: String
        let body: ScheduleTree.Body

        init(_ name: String, _ rule: SharingRules, finds outcome: String, _ tasks: [LitmusProgram.Operation]...) {
            self.init(name, rule, finds: outcome, LitmusProgram(tasks: tasks).body)
        }

        init(_ name: String, _ rule: SharingRules, finds outcome: String, _ body: @escaping ScheduleTree.Body) {
            (self.description, self.rule, self.outcome, self.body) = (name, rule, outcome, body)
        }
    }

    static let cases: [Case] = [
        Case("locks", .locks, finds: "settrue,|flagfalse,", [.setFlag, .yield], [.readFlag, .yield]),
        Case("context", .context, finds: "1.0 seconds,0|", [.now, .visit(1)], [.advance]),
        Case("completion", .completion, finds: "{01;00}", [.group([[.visit(0)], [.visit(1)]])]),
        Case("queues", .queues, finds: "1,slept|opened", [.open(0), .sleep(1)], [.wait(0)]),
        Case("flags", .flags, finds: "uncancelled", Self.flags),
        Case("scopes", .scopes, finds: "cancelled", Self.scopes),
        Case("scopes of a parent's parent", .scopes, finds: "late", Self.nestedScopes),
        Case("flags of a task that has ended", [.flags, .handles], finds: "uncancelled", Self.endedFlags),
        Case("the handle of a task that was cancelled before", .handles, finds: "handled", Self.cancelledTwice),
        Case("ending", [.ending, .completion], finds: "", Self.ending),
    ]

    /// A case in which a schedule finds the failure that is taken for equivalent to another, but is run to its end.
    static let lucky = Case("the handle of a task that has ended", .handles, finds: "between", Self.awaited)

    @Test("Each rule finds a failure that is missed without it", arguments: cases + [lucky])
    func rule(_ single: Case) async throws {
        let tree = ScheduleTree(limit: 20_000, reach: [.tasks], single.body)
        let all = try #require(await tree.classes())
        let some = try #require(await tree.classes(SharingRules.all.subtracting(single.rule)))
        #expect(all.outcomes.contains(single.outcome), "\(all.outcomes)")
        #expect(!some.outcomes.contains(single.outcome), "\(some.outcomes)")
    }

    @Test("A scenario that fails in one order is verified without a rule, and fails with it", arguments: cases)
    func proof(_ single: Case) async throws {
        let explorer = Explorer(reach: [.tasks], limits: .init(maxSteps: 2_000)) { simulation in
            try await single.body(simulation)
            let outcome = simulation.points.names.sorted().joined(separator: " ")
            if outcome == single.outcome { throw PlantedError() }
        }
        var plan = VerificationPlan(schedules: 20_000, sharing: .seen, time: nil, seed: 0, points: [])
        // A random schedule would find it without the rule, too.
        plan.samples = 0
        try await expectFailure { try await explorer.verify(plan) }
        plan.rules = SharingRules.all.subtracting(single.rule)
        #expect(try await explorer.verify(plan).isComplete)
    }

    // MARK: - Scenarios

    /// A child that may look before it is cancelled, and ends long after that.
    private static let flags: ScheduleTree.Body = { simulation in
        let signal = Signal()
        await withTaskGroup { group in
            group.addTask {
                if !Task.isCancelled { simulation.reached("uncancelled") }
                await simulation.yield()
                await signal.wait()
            }
            await simulation.yield()
            group.cancelAll()
            await simulation.yield()
            await signal.send()
        }
    }

    /// A child whose scope may end before it looks whether it is cancelled.
    private static let scopes: ScheduleTree.Body = { simulation in
        let signal = Signal()
        async let child: Void = {
            await simulation.yield()
            if Task.isCancelled { simulation.reached("cancelled") }
            await simulation.yield()
        }()
        async let sender: Void = signal.send()
        await signal.wait()
    }

    /// A child of a group within an `async let`, whose only step may come after the outer group is cancelled.
    private static let nestedScopes: ScheduleTree.Body = { simulation in
        let isLate = await withTaskGroup(of: Bool.self) { group in
            await withCheckedContinuation { started in
                group.addTask {
                    async let part = withTaskGroup(of: Bool.self) { inner in
                        let isEarly = !Task.isCancelled
                        inner.addTask { Task.isCancelled }
                        started.resume()
                        return await inner.next() == true && isEarly
                    }
                    return await part
                }
            }
            group.cancelAll()
            return await group.next() == true
        }
        if isLate { simulation.reached("late") }
    }

    /// A task that is cancelled after its end, which its handle shows.
    private static let endedFlags: ScheduleTree.Body = { simulation in
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        // Has ended before it is cancelled.
        let task = Task(executorPreference: simulation.executor) {}
        await task.value
        await withTaskGroup { group in
            group.addTask {
                task.cancel()
                await simulation.yield()
            }
            group.addTask {
                if !task.isCancelled { simulation.reached("uncancelled") }
                await simulation.yield()
            }
        }
    }

    /// A task that is awaited after its end in the default order, so that who waits is not suspended.
    private static let awaited: ScheduleTree.Body = { simulation in
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        let mark = Mark()
        // Ends with its only step.
        let task = Task(executorPreference: simulation.executor) {}
        await withTaskGroup { group in
            group.addTask {
                mark.value.withLock { $0 = 1 }
                await task.value
                mark.value.withLock { $0 = 2 }
            }
            group.addTask {
                if mark.value.withLock({ $0 }) == 1 { simulation.reached("between") }
                await simulation.yield()
            }
        }
    }

    /// A task that two others cancel: its handler runs in the step of the first, and changes what one of them reads.
    private static let cancelledTwice: ScheduleTree.Body = { simulation in
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        let (mark, signal) = (Mark(), Signal())
        var task: Task<Void, Never>?
        await withCheckedContinuation { started in
            // Ends with the signal.
            task = Task(executorPreference: simulation.executor) {
                await withTaskCancellationHandler {
                    started.resume()
                    await signal.wait()
                } onCancel: {
                    mark.value.withLock { $0 = 1 }
                }
            }
        }
        await withTaskGroup { [task] group in
            group.addTask {
                if mark.value.withLock({ $0 }) == 1 { simulation.reached("handled") }
                task?.cancel()
                await simulation.yield()
            }
            group.addTask {
                task?.cancel()
                await simulation.yield()
            }
        }
        await signal.send()
        await task?.value
    }

    /// A task that may come before the end or not at all.
    private static let ending: ScheduleTree.Body = { simulation in
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        await withCheckedContinuation { continuation in
            // Ends by itself, or with the run.
            _ = Task(executorPreference: simulation.executor) {
                continuation.resume()
                await simulation.yield()
                simulation.reached("late")
                await simulation.yield()
            }
        }
    }
}

/// A number in a lock that the simulation sees.
private final class Mark: Sendable {
    let value = Locked(0)
}

/// Something that is sent once.
private actor Signal {
    private var isSent = false
    private var waiting: CheckedContinuation<Void, Never>?

    func wait() async {
        if !self.isSent { await withCheckedContinuation { self.waiting = $0 } }
    }

    func send() {
        self.isSent = true
        self.waiting?.resume()
    }
}
