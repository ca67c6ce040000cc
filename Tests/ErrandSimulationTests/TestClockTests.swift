import Dispatch
import ErrandSimulation
import TestEffort
import Testing

@Suite("Test clock", .timeLimit(.minutes(60)), .paced)
struct TestClockTests {
    @Test("The clock starts at zero and moves only when told")
    func moves() {
        let clock = TestClock()
        #expect(clock.now == .zero)
        clock.advance(by: .seconds(2))
        #expect(clock.now.offset == .seconds(2))
        clock.advance(to: TestClock.Instant(offset: .seconds(5)))
        #expect(clock.now.offset == .seconds(5))
        clock.advance(to: .zero)
        #expect(clock.now.offset == .seconds(5))
        #expect(!clock.advanceToNextSleeper())
        #expect(clock.now.offset == .seconds(5))
    }

    @Test("A sleep that is over already returns at once")
    func overAlready() async throws {
        let clock = TestClock()
        try await clock.sleep(for: .zero)
        try await clock.sleep(until: .zero)
        #expect(clock.sleeperCount == 0)
    }

    @Test("Sleepers are woken when the clock reaches their deadline, not before")
    func wakes() async throws {
        let clock = TestClock()
        let sleeper = Task { try await clock.sleep(for: .seconds(3)) }
        await clock.waitForSleeper()
        #expect(clock.nextSleeperDeadline?.offset == .seconds(3))
        clock.advance(by: .seconds(2))
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .seconds(1))
        #expect(clock.sleeperCount == 0)
        #expect(clock.nextSleeperDeadline == nil)
        try await sleeper.value
    }

    @Test("The clock moves from sleeper to sleeper in the order of their deadlines")
    func nextSleeper() async throws {
        let clock = TestClock()
        try await withThrowingTaskGroup { group in
            for seconds in [5, 1, 3, 1] {
                group.addTask { try await clock.sleep(for: .seconds(seconds)) }
            }
            await clock.waitForSleeper(count: 4)
            var stops: [Duration] = []
            while clock.advanceToNextSleeper() { stops.append(clock.now.offset) }
            #expect(stops == [.seconds(1), .seconds(3), .seconds(5)])
            try await group.waitForAll()
        }
    }

    @Test("Sleepers are resumed by deadline, and by registration where deadlines are equal")
    func order() async throws {
        let clock = TestClock()
        let executor = FirstInFirstOutExecutor()
        var generator = SplitMix64(seed: 11)
        let deadlines = (0..<50).map { _ in generator.next(below: 8) + 1 }
        let recorder = NumberRecorder()
        var tasks: [Task<Void, any Error>] = []
        for (index, deadline) in deadlines.enumerated() {
            let task = Task(executorPreference: executor) {
                try await clock.sleep(for: .seconds(deadline))
                await recorder.append(index)
            }
            tasks.append(task)
            await clock.waitForSleeper(count: index + 1)
        }
        // The last sleeper is registered, but its task may still be on its way to sleep.
        await executor.runAll()
        clock.advance(by: .seconds(10))
        for task in tasks { try await task.value }
        let expected = deadlines.indices.sorted { (deadlines[$0], $0) < (deadlines[$1], $1) }
        #expect(await recorder.numbers == expected)
    }

    @Test("A cancelled sleeper throws without the clock moving")
    func cancelled() async {
        let clock = TestClock()
        let sleepers = (1...20).map { seconds in
            Task { try await clock.sleep(for: .seconds(seconds)) }
        }
        await clock.waitForSleeper(count: 20)
        for sleeper in sleepers.reversed() { sleeper.cancel() }
        for sleeper in sleepers {
            await #expect(throws: CancellationError.self) { try await sleeper.value }
        }
        #expect(clock.sleeperCount == 0)
        #expect(clock.now == .zero)
    }

    @Test("A task cancelled before it goes to sleep does not sleep")
    func cancelledBefore() async {
        let clock = TestClock()
        let sleeper = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            try await clock.sleep(for: .seconds(1))
        }
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        #expect(clock.sleeperCount == 0)
    }

    @Test("A cancelled waiter stops waiting")
    func cancelledWaiter() async {
        let clock = TestClock()
        let waiter = Task { await clock.waitForSleeper(count: 2) }
        waiter.cancel()
        await waiter.value
        #expect(clock.sleeperCount == 0)
    }

    @Test("Waiters are woken by the sleeper that completes their count")
    func waiters() async throws {
        let clock = TestClock()
        await clock.waitForSleeper(count: 0)
        let waiters = (1...3).map { count in
            Task {
                await clock.waitForSleeper(count: count)
                return clock.sleeperCount
            }
        }
        let sleepers = (1...3).map { _ in Task { try await clock.sleep(for: .seconds(1)) } }
        for (index, waiter) in waiters.enumerated() { #expect(await waiter.value >= index + 1) }
        clock.advance(by: .seconds(1))
        for sleeper in sleepers { try await sleeper.value }
    }

    @Test("A loop of delays runs to its end when the clock follows it")
    func followed() async throws {
        let clock = TestClock()
        let loop = Task {
            for delay in [1, 2, 4, 8] { try await clock.sleep(for: .seconds(delay)) }
            return clock.now.offset
        }
        for _ in 0..<4 {
            await clock.waitForSleeper()
            clock.advanceToNextSleeper()
        }
        #expect(try await loop.value == .seconds(15))
    }
}

/// Runs jobs one by one in the order in which they come.
private final class FirstInFirstOutExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "first in, first out")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        self.queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Waits until all jobs that have come so far have been run.
    func runAll() async {
        await withCheckedContinuation { continuation in
            self.queue.async { continuation.resume() }
        }
    }
}
