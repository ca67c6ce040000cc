internal import ErrandLocks
internal import ErrandMachines

/// One direction of a bandwidth limit: the queue of waiting shares, and the timer for their turns.
final class BandwidthLane: Stoppable {
    private struct State: ~Copyable {
        var machine: BandwidthMachine
        var shares: [UInt64: Waiting] = [:]
        var lastKey: UInt64 = 0
        var hasTimer = false
    }

    private struct Waiting {
        weak var share: BandwidthShare?
    }

    private let timebase: Timebase
    private let timer: DeadlineTimer
    private let state: Locked<State>

    init(bytesPerSecond: Int, _ timebase: Timebase) {
        self.timebase = timebase
        self.timer = DeadlineTimer(timebase: timebase)
        self.state = Locked(State(machine: BandwidthMachine(bytesPerSecond: bytesPerSecond)))
    }

    var waitingCount: Int { self.state.withLock { $0.machine.waitingCount } }

    func makeKey() -> UInt64 {
        self.state.withLock { state in
            state.lastKey += 1
            return state.lastKey
        }
    }

    /// Asks for a piece; if it returns false, the share is granted the piece in its turn.
    func ask(_ count: Int, for share: BandwidthShare) -> Bool {
        let now = self.timebase.now
        let (isOpen, alarm) = self.state.withLock { state -> (Bool, Duration?) in
            guard !state.machine.ask(BandwidthMachine.Piece(key: share.key, count: count), at: now) else {
                return (true, nil)
            }
            state.shares[share.key] = Waiting(share: share)
            return (false, Self.nextAlarm(&state))
        }
        if let alarm { self.set(alarm) }
        return isOpen
    }

    /// Removes a transfer that is over, and returns its unused bytes.
    func leave(_ key: UInt64, unused: Int) {
        self.state.withLock { state in
            state.machine.leave(key, unused: unused)
            state.shares[key] = nil
        }
    }

    private static func nextAlarm(_ state: inout State) -> Duration? {
        guard !state.hasTimer, let due = state.machine.due else { return nil }
        state.hasTimer = true
        return due
    }

    private func set(_ alarm: Duration) {
        _ = self.timer.set(alarm, stopping: self, because: .cancelled)
    }

    /// The timer fired: grants the pieces that are due.
    func stop(_ reason: StopReason) {
        let now = self.timebase.now
        let (ready, alarm) = self.state.withLock { state -> ([(BandwidthShare, Int)], Duration?) in
            state.hasTimer = false
            var ready: [(BandwidthShare, Int)] = []
            while let piece = state.machine.next(at: now) {
                if let share = state.shares.removeValue(forKey: piece.key)?.share { ready.append((share, piece.count)) }
            }
            return (ready, Self.nextAlarm(&state))
        }
        if let alarm { self.set(alarm) }
        for (share, count) in ready { share.grant(count) }
    }
}

/// The share of one exchange in one direction of a limit.
final class BandwidthShare: Sendable {
    private struct State {
        /// The bytes granted and not yet used.
        var granted = 0
        /// The waiter to wake on the next grant; weak, because it may retain this object.
        weak var waiter: (any Wakeable)?
        var isQueued = false
    }

    let key: UInt64
    private let lane: BandwidthLane
    private let state = Locked(State())

    init(of lane: BandwidthLane) {
        self.lane = lane
        self.key = lane.makeKey()
    }

    deinit {
        self.lane.leave(self.key, unused: self.state.withLock { $0.granted })
    }

    /// Reserves a piece without using it up; if it returns false, the waiter is woken when the piece is granted.
    func reserve(_ count: Int, waking waiter: any Wakeable) -> Bool {
        let missing = self.state.withLock { state -> Int in
            let missing = count - state.granted
            guard missing > 0 else { return 0 }
            state.waiter = waiter
            defer { state.isQueued = true }
            return state.isQueued ? -1 : missing
        }
        guard missing > 0 else { return missing == 0 }
        guard self.lane.ask(missing, for: self) else { return false }
        self.state.withLock { state in
            state.granted += missing
            (state.isQueued, state.waiter) = (false, nil)
        }
        return true
    }

    /// Uses up reserved bytes.
    func use(_ count: Int) {
        self.state.withLock { $0.granted = max(0, $0.granted - count) }
    }

    /// Adds granted bytes, and wakes the waiter.
    func grant(_ count: Int) {
        let waiter = self.state.withLock { state in
            state.granted += count
            state.isQueued = false
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.wake()
    }
}
