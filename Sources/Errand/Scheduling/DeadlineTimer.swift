internal import ErrandLocks
internal import ErrandMachines

/// Something that is told to stop when its deadline passes.
package protocol DeadlineTarget: AnyObject, Sendable {
    func stop(_ reason: StopReason)
}

/// The deadlines of all requests of a client, kept by one task that sleeps to the earliest.
///
/// Setting and clearing are synchronous and cheap. The timer is not woken when its deadline is cleared: it wakes in its
/// own time, finds nothing, and sleeps on to the next one or ends.
package final class DeadlineTimer: Sendable {
    package struct Token: Sendable {
        fileprivate let key: DeadlineQueue.Key
    }

    private struct Deadline {
        let target: any DeadlineTarget
        let reason: StopReason
    }

    private struct State: ~Copyable {
        var queue = DeadlineQueue()
        /// What to do when a deadline passes, at the index of its key.
        var deadlines: [Deadline?] = []
        var timer: Task<Void, Never>?
        /// When the timer wakes up.
        var wakeTime: Duration?
    }

    private let timebase: Timebase
    private let state = Locked<State>(State())

    package init(timebase: Timebase) {
        self.timebase = timebase
    }

    deinit {
        self.state.withLock { $0.timer?.cancel() }
    }

    /// How many deadlines are set.
    package var count: Int { self.state.withLock { $0.queue.count } }

    /// Stops a target so long after a moment, unless the deadline is cleared before.
    package func set(
        _ limit: Duration, after moment: Duration, stopping target: any DeadlineTarget, because reason: StopReason
    ) -> Token {
        let due = Self.due(limit, after: moment)
        return self.state.withLock { state in
            let key = state.queue.set(due: due)
            let index = Int(key.index)
            if index == state.deadlines.count { state.deadlines.append(nil) }
            state.deadlines[index] = Deadline(target: target, reason: reason)
            self.arm(&state)
            return Token(key: key)
        }
    }

    /// Moves a deadline to so long after a later moment; does nothing when it was cleared or has passed.
    ///
    /// The timer is not woken: it wakes in its own time, and sleeps on.
    package func postpone(_ token: Token, _ limit: Duration, after moment: Duration) {
        let due = Self.due(limit, after: moment)
        self.state.withLock { $0.queue.postpone(token.key, to: due) }
    }

    private static func due(_ limit: Duration, after moment: Duration) -> Duration {
        // Longer than anyone waits; clocks trap on the far ends of what a duration can be.
        moment + min(max(limit, .seconds(-(1 << 40))), .seconds(1 << 40))
    }

    /// Clears a deadline; does nothing when it has passed.
    package func clear(_ token: Token) {
        self.state.withLock { state in
            guard state.queue.clear(token.key) else { return }
            state.deadlines[Int(token.key.index)] = nil
        }
    }

    /// Ends the timer; deadlines that are set never pass.
    package func shutdown() {
        self.state.withLock { state in
            state.timer?.cancel()
            state.timer = nil
            state.wakeTime = nil
            state.queue = DeadlineQueue()
            state.deadlines = []
        }
    }

    /// Makes sure that the timer wakes up in time for the earliest deadline.
    private func arm(_ state: inout State) {
        guard let earliest = state.queue.earliest() else { return }
        if let wakeTime = state.wakeTime, wakeTime <= earliest { return }
        state.timer?.cancel()
        state.wakeTime = earliest
        // Unstructured: it outlives the request that set the deadline. It ends when no deadline is left, when an
        // earlier one replaces it, or with this object.
        state.timer = spawn(priority: .high) { [weak self, timebase] in
            do {
                try await timebase.sleep(until: earliest)
                self?.wake(earliest)
            } catch {
                self?.forget(earliest)
            }
        }
    }

    /// The timer ended without having woken: the next deadline that is set makes another one.
    private func forget(_ wakeTime: Duration) {
        self.state.withLock { state in
            if state.wakeTime == wakeTime { state.wakeTime = nil }
        }
    }

    private func wake(_ wakeTime: Duration) {
        let now = max(self.timebase.now, wakeTime)
        let due = self.state.withLock { state in
            var due: [Deadline] = []
            // A timer that was replaced while it woke up leaves the rest to the one that replaced it.
            guard state.wakeTime == wakeTime else { return due }
            state.wakeTime = nil
            state.timer = nil
            while let key = state.queue.popDue(now: now) {
                if let deadline = state.deadlines[Int(key.index)].take() { due.append(deadline) }
            }
            self.arm(&state)
            return due
        }
        for deadline in due { deadline.target.stop(deadline.reason) }
    }
}
