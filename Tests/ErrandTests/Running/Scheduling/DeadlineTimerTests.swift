internal import Errand
internal import ErrandLocks
internal import ErrandMachines
internal import ErrandTesting
internal import TestEffort
internal import Testing

@Suite("The timer of deadlines", .timeLimit(.minutes(60)), .paced)
struct DeadlineTimerTests {
    /// A clock that says when a sleep on it is cancelled, from within the cancelling.
    private struct TellingClock: Clock {
        let base = TestClock()
        let cancelled: @Sendable () -> Void

        var now: TestClock.Instant { self.base.now }
        var minimumResolution: Duration { .zero }

        func sleep(until deadline: TestClock.Instant, tolerance: Duration?) async throws {
            try await withTaskCancellationHandler {
                try await self.base.sleep(until: deadline)
            } onCancel: {
                self.cancelled()
            }
        }
    }

    private final class Target: Stoppable {
        let reasons = Locked<[StopReason]>([])
        func stop(_ reason: StopReason) { self.reasons.withLock { $0.append(reason) } }
    }

    private final class Box: Sendable {
        let timer = Locked<DeadlineTimer?>(nil)
        let counts = Locked<[Int]>([])
    }

    @Test func `cancels the timer before while nobody waits for its lock`() async {
        let (box, target) = (Box(), Target())
        let clock = TellingClock { [weak box] in
            guard let count = box?.timer.withLock({ $0 })?.count else { return }
            box?.counts.withLock { $0.append(count) }
        }
        let timer = DeadlineTimer(timebase: Timebase(clock))
        box.timer.withLock { $0 = timer }
        _ = timer.set(.seconds(60), after: .zero, stopping: target, because: .cancelled)
        await clock.base.waitForSleeper()
        _ = timer.set(.seconds(30), after: .zero, stopping: target, because: .clientShutDown)
        #expect(box.counts.withLock { $0 } == [2])
        await fixtureUntil { clock.base.nextSleeperDeadline == TestClock.Instant(offset: .seconds(30)) }
        clock.base.advance(by: .seconds(30))
        await fixtureUntil { target.reasons.withLock { $0.count } == 1 }
        await clock.base.waitForSleeper()
        timer.shutdown()
        #expect(box.counts.withLock { $0 } == [2, 0])
        box.timer.withLock { $0 = nil }
    }

    @Test func `passes every deadline that threads set at once`() async {
        let (clock, target) = (TestClock(), Target())
        let timer = DeadlineTimer(timebase: Timebase(clock))
        await withTaskGroup(of: Void.self) { group in
            for lane in 0..<8 {
                group.addTask {
                    for number in (0..<200).reversed() {
                        let limit = Duration.milliseconds(1 + number * 8 + lane)
                        let token = timer.set(limit, after: .zero, stopping: target, because: .cancelled)
                        if number % 2 == 0 { timer.clear(token) }
                    }
                }
            }
        }
        await fixtureUntil {
            clock.advanceToNextSleeper()
            return target.reasons.withLock { $0.count } == 800
        }
        #expect(timer.count == 0)
        await fixtureUntil { clock.sleeperCount == 0 }
    }
}
