internal import ErrandLocks
package import ErrandMachines

/// The timer for all deadlines of a client's requests, with one task that sleeps until the earliest.
///
/// Setting and clearing are synchronous and cheap. Clearing a deadline does not wake the timer: it wakes at its time,
/// finds no expired deadline, and sleeps until the next one or ends.
package final class DeadlineTimer: Sendable {
    package struct Token: Sendable {
        fileprivate let key: DeadlineQueue.Key
    }

    private struct Deadline {
        let target: any Stoppable
        let reason: StopReason
    }

    private struct State: ~Copyable {
        var queue = DeadlineQueue()
        /// The deadlines, at the index of their key.
        var deadlines: [Deadline?] = []
        /// Also `nil` while the task is being started.
        var timer: Task<Void, Never>?
        /// The number of the latest timer: actions of earlier ones are ignored.
        var timerNumber: UInt64 = 0
        /// The time at which the timer wakes; `nil` without a timer.
        var wakeTime: Duration?
    }

    /// A timer to start, which replaces another one.
    private struct Alarm {
        let number: UInt64
        let moment: Duration
        let replaced: Task<Void, Never>?
    }

    private let timebase: Timebase
    private let state = Locked<State>(State())

    package init(timebase: Timebase) {
        self.timebase = timebase
    }

    deinit {
        self.state.withLock { $0.timer.take() }?.cancel()
    }

    /// The number of deadlines.
    package var count: Int { self.state.withLock { $0.queue.count } }

    /// Stops a target a given time after a moment, unless the deadline is cleared first.
    package func set(
        _ limit: Duration, after moment: Duration, stopping target: any Stoppable, because reason: StopReason
    ) -> Token {
        self.set(moment + limit.bounded, stopping: target, because: reason)
    }

    /// Stops a target at a moment, unless the deadline is cleared first.
    package func set(_ due: Duration, stopping target: any Stoppable, because reason: StopReason) -> Token {
        let (token, alarm) = self.state.withLock { state -> (Token, Alarm?) in
            let key = state.queue.set(due: due)
            let index = Int(key.index)
            if index == state.deadlines.count { state.deadlines.append(nil) }
            state.deadlines[index] = Deadline(target: target, reason: reason)
            // A timer that wakes earlier then finds the earliest deadline.
            if let wakeTime = state.wakeTime, wakeTime <= due { return (Token(key: key), nil) }
            return (Token(key: key), Self.nextAlarm(&state))
        }
        if let alarm { self.start(alarm) }
        return token
    }

    /// Clears a deadline; has no effect after it has expired.
    package func clear(_ token: Token) {
        self.state.withLock { state in
            guard state.queue.clear(token.key) else { return }
            state.deadlines[Int(token.key.index)] = nil
        }
    }

    /// Ends the timer; remaining deadlines never expire.
    package func shutdown() {
        let timer = self.state.withLock { state in
            state.wakeTime = nil
            state.timerNumber += 1
            state.queue = DeadlineQueue()
            state.deadlines = []
            return state.timer.take()
        }
        timer?.cancel()
    }

    // MARK: - The timer

    /// Returns the timer to start for the earliest deadline, unless a timer wakes in time.
    private static func nextAlarm(_ state: inout State) -> Alarm? {
        guard let earliest = state.queue.earliest() else { return nil }
        if let wakeTime = state.wakeTime, wakeTime <= earliest { return nil }
        state.wakeTime = earliest
        state.timerNumber += 1
        return Alarm(number: state.timerNumber, moment: earliest, replaced: state.timer.take())
    }

    /// Starts a timer; outside the lock, because cancelling the previous one runs code of its clock.
    private func start(_ alarm: Alarm) {
        alarm.replaced?.cancel()
        let (number, moment) = (alarm.number, alarm.moment)
        // Unstructured: it outlives the request that set the deadline. It ends when no deadline is left, when an
        // earlier one replaces it, or with this object.
        let timer = spawn(priority: .high) { [weak self, timebase] in
            do {
                try await timebase.sleep(until: moment)
                self?.wake(number, moment)
            } catch {
                self?.forget(number)
            }
        }
        // Between the two locks, it may have woken, or another thread may have replaced or ended it, without finding a
        // task to cancel: so it is cancelled here.
        let isReplaced = self.state.withLock { state in
            guard state.timerNumber == number else { return true }
            if state.wakeTime != nil { state.timer = timer }
            return false
        }
        if isReplaced { timer.cancel() }
    }

    /// Handles that the timer ended without waking: the next deadline starts another one.
    private func forget(_ number: UInt64) {
        self.state.withLock { state in
            if state.timerNumber == number { state.wakeTime = nil }
        }
    }

    private func wake(_ number: UInt64, _ moment: Duration) {
        let now = max(self.timebase.now, moment)
        let (due, alarm) = self.state.withLock { state -> ([Deadline], Alarm?) in
            // A timer that was replaced while waking leaves the rest to its replacement.
            guard state.timerNumber == number else { return ([], nil) }
            state.wakeTime = nil
            state.timer = nil
            var due: [Deadline] = []
            while let key = state.queue.popDue(now: now) {
                if let deadline = state.deadlines[Int(key.index)].take() { due.append(deadline) }
            }
            return (due, Self.nextAlarm(&state))
        }
        if let alarm { self.start(alarm) }
        for deadline in due { deadline.target.stop(deadline.reason) }
    }
}
