import Dispatch
import ErrandLocks
import ErrandSimulation
import TestEffort
import Testing

/// What a failure tells, and how bad scenarios end.
@Suite("Simulation failures", .timeLimit(.minutes(60)), .paced)
struct FailureTests {
    @Test("A failure explains itself")
    func text() async throws {
        let failure = try #require(
            try await expectFailure {
                try await Simulation.explore(PlantedBugs.checkThenAct)
            })
        let text = failure.description
        #expect(text.contains("PlantedError"))
        #expect(text.contains("Simulation.run(replaying: \"\(failure.schedule)\")"))
        #expect(text.contains("Switches:"))
        #expect(text.contains("Timeline"))
        #expect(failure.timeline.contains { $0.isSwitch })
        #expect(failure.timeline.filter(\.isSwitch).count == failure.schedule.count)
        #expect(failure.timeline.first?.events.contains(.started(task: "a")) == true)
        #if os(Linux) && compiler(>=6.3) && compiler(<6.4)
            #expect(failure.tasks.map(\.name) == [nil, "rent", "food"])
            #expect(text.contains("\"rent\""))
        #endif
    }

    @Test("The lines that a scenario notes are part of the timeline")
    func notes() async throws {
        let report = try await Simulation.report(replaying: "-") { simulation in
            simulation.trace("before")
            try await simulation.clock.sleep(for: .seconds(5))
            simulation.trace("after")
        }
        let noted = report.timeline.filter { !$0.events.isEmpty }
        #expect(noted.map(\.events).map(\.last) == [.noted("before"), .noted("after")])
        #expect(noted.map(\.time) == [.zero, .seconds(5)])
        #expect(report.trace == ["[0.0 seconds] before", "[5.0 seconds] after"])
    }

    @Test("A scenario that never ends is told with the tasks that ran last")
    func livelock() async throws {
        let failure = try await expectFailure {
            try await Simulation.explore(limits: .init(maxSteps: 300)) { simulation in
                await withTaskGroup { group in
                    for name in ["spinner", nil] {
                        group.addTask(name: name) { while true { await simulation.yield() } }
                    }
                }
            }
        }
        let error = failure?.underlying as? SimulationError
        #expect(error?.code == .tooManySteps)
        #expect(error?.message.contains("300") == true)
        #expect(error?.message.contains("Of the last 256 steps, ") == true)
        #expect(error?.message.contains(Self.title("a", "spinner") + " made ") == true)
        #expect(error?.message.contains("b made ") == true)
        #expect(failure?.schedule == .standard)
    }

    @Test("A job that blocks its thread is told with its task and step")
    func blocked() async throws {
        let semaphore = DispatchSemaphore(value: 0)
        let failure = try await expectFailure {
            try await Simulation.explore(limits: .init(stepTimeout: .seconds(3))) { simulation in
                simulation.trace("about to block")
                await withTaskGroup { group in
                    group.addTask {}
                    group.addTask(name: "blocker") {
                        await simulation.yield()
                        Self.block(on: semaphore)
                    }
                }
            }
        }
        semaphore.signal()
        let error = failure?.underlying as? SimulationError
        #expect(error?.code == .blocked)
        #expect(error?.message.contains("Task \(Self.title("b", "blocker")) has been in its step 3 ") == true)
        #expect(error?.message.contains("about to block") == true)
    }

    /// How a task with a name is called in a message, where names are known.
    private static func title(_ place: String, _ name: String) -> String {
        #if os(Linux) && compiler(>=6.3) && compiler(<6.4)
            "\(place) \"\(name)\""
        #else
            place
        #endif
    }

    private static func block(on semaphore: DispatchSemaphore) { semaphore.wait() }

    @Test("So is one of a task that outlives the scenario")
    func blockedAfterEnd() async throws {
        let semaphore = DispatchSemaphore(value: 0)
        let failure = try await expectFailure {
            try await Simulation.explore(schedules: 1, limits: .init(stepTimeout: .seconds(3))) { simulation in
                // Unstructured on purpose.
                Task(executorPreference: simulation.executor) {
                    for _ in 0..<20 { await Task.yield() }
                    Self.block(on: semaphore)
                }
            }
        }
        semaphore.signal()
        #expect((failure?.underlying as? SimulationError)?.code == .blocked)
    }

    /// A place for a continuation.
    private final class Waiting: Sendable {
        private let continuation = Locked<CheckedContinuation<Void, Never>?>(nil)

        var isEmpty: Bool { self.continuation.withLock { $0 == nil } }

        func put(_ continuation: CheckedContinuation<Void, Never>) {
            self.continuation.withLock { $0 = continuation }
        }

        func resume() { self.continuation.withLock { $0 }?.resume() }
    }

    @Test("A continuation resumed by another thread is counted, and its task named")
    func foreignThread() async throws {
        let failure = try await expectFailure {
            try await Simulation.explore(schedules: 5, limits: .init(patience: .seconds(600))) { simulation in
                let waiting = Waiting()
                await withTaskGroup { group in
                    group.addTask {
                        while waiting.isEmpty { await simulation.yield() }
                        // The step that has put the continuation there is over: its task is suspended.
                        DispatchQueue.global().async { waiting.resume() }
                    }
                    group.addTask { await withCheckedContinuation { waiting.put($0) } }
                }
                throw PlantedError()
            }
        }
        #expect(failure?.escapedJobs == 1)
        #expect(failure?.isRepeatable == false)
        #expect(failure?.description.contains("1 job came from other threads (task b)") == true)
        #expect(failure?.escapedTasks == ["b"])
    }

    /// An actor that two simulations use at once.
    private actor Shared {
        func hold(_ entered: AsyncStream<Void>.Continuation, until release: DispatchSemaphore) {
            entered.finish()
            FailureTests.block(on: release)
        }

        func touch() {}
    }

    @Test("An actor that another simulation uses as well brings jobs from another thread")
    func sharedActor() async throws {
        let (shared, release) = (Shared(), DispatchSemaphore(value: 0))
        let (entered, enter) = AsyncStream<Void>.makeStream()
        // Ends when the second simulation releases it.
        let first = Task {
            try await Simulation.run(replaying: "-", limits: .init(stepTimeout: .seconds(600))) { _ in
                await shared.hold(enter, until: release)
            }
        }
        for await _ in entered {}
        let report = try await Simulation.report(replaying: "-", limits: .init(patience: .seconds(600))) { simulation in
            await withTaskGroup { group in
                group.addTask {
                    await shared.touch()
                    simulation.trace("touched")
                }
                group.addTask { release.signal() }
            }
        }
        try await first.value
        #expect(report.failure == nil)
        #expect(report.escapedJobs == 1)
        #expect(report.escapedTasks == ["a"])
    }

    @Test("A scenario that does not repeat itself is told")
    func notRepeatable() async throws {
        let counter = NumberRecorder()
        let failure = try await expectFailure {
            try await Simulation.explore { simulation in
                await simulation.yield()
                if await counter.next() == 10 { throw PlantedError() }
            }
        }
        #expect(failure?.isRepeatable == false)
        #expect(failure?.description.contains("not seen again") == true)
    }

    @Test("A failure that was not run again, because each run has patience, does not say that it differed")
    func notRunAgain() async throws {
        let failure = try await expectFailure {
            try await Simulation.explore(limits: .init(patience: .milliseconds(1))) { simulation in
                // Nobody else goes to sleep.
                await simulation.clock.waitForSleeper()
            }
        }
        #expect(failure?.isRepeatable == false)
        #expect(failure?.description.contains("not seen again") == false)
        #expect(failure?.description.contains("each run would wait for its `patience`") == true)
    }

    private enum Noisy: Error, CustomStringConvertible {
        case odd

        private static let count = Locked(0)

        var description: String {
            let count = Self.count.withLock { count in
                count += 1
                return count
            }
            return "odd, \(count)"
        }
    }

    @Test("What an error says of itself need not be the same twice")
    func noisy() async throws {
        let failure = try await expectFailure {
            try await Simulation.explore { _ in throw Noisy.odd }
        }
        #expect(failure?.isRepeatable == true)
    }

    @Test("How to run it again says what it was run with")
    func replayArguments() async throws {
        let late = try await expectFailure {
            try await Simulation.explore(limits: .init(timeLimit: .seconds(1))) { simulation in
                try await simulation.clock.sleep(for: .seconds(2))
            }
        }
        #expect(late?.description.contains("and the same scenario, with the same `limits:`.") == true)
        guard Simulation.Reach.available.contains(.tasks) else { return }
        let reaching = try #require(
            try await expectFailure {
                try await Simulation.explore(reach: .tasks) { _ in
                    // Unstructured on purpose.
                    await Task {}.value
                    throw PlantedError()
                }
            })
        let call = "Simulation.run(replaying: \"\(reaching.schedule)\", reach: [.tasks])"
        #expect(reaching.description.contains("`\(call) { … }` and the same scenario."))
        let seeded = try await expectFailure {
            try await Simulation.explore(seeds: [7], reach: .tasks) { _ in throw PlantedError() }
        }
        #expect(seeded?.description.contains("Simulation.run(seed: 7, reach: [.tasks])") == true)
    }

    private enum Broken: Error {
        case early
        case late(by: Int)
    }

    @Test("A schedule is not cut down to one that fails with another case of an enumeration")
    func cases() async throws {
        var kept = 0
        for seed in 0..<20 {
            let failure = try await expectFailure {
                try await Simulation.explore(schedules: 1, by: .random, seed: UInt64(seed)) { _ in
                    let recorder = NumberRecorder()
                    await withTaskGroup { group in
                        for number in 0..<2 { group.addTask { await recorder.append(number) } }
                    }
                    // The default order is the early one.
                    throw await recorder.numbers == [1, 0] ? Broken.late(by: seed) : Broken.early
                }
            }
            if case .late = failure?.underlying as? Broken { kept += 1 }
        }
        #expect(kept > 0)
    }
}

extension NumberRecorder {
    /// Appends and returns how many there have been.
    fileprivate func next() -> Int {
        self.append(self.numbers.count + 1)
        return self.numbers.count
    }
}
