internal import Errand
internal import ErrandLocks
internal import ErrandMachines

/// Wakes the sender of a queue when a request was added, or when a retry is worthwhile.
final class Wakeup: Sendable {
    /// The reason for a wake-up.
    enum Reason: Int, Comparable {
        /// A request was added. Ignored by a sender that waits before it retries the first one.
        case added
        /// A network may be available again, or `sendNow()` was called.
        case retry

        static func < (left: Reason, right: Reason) -> Bool { left.rawValue < right.rawValue }
    }

    private struct State {
        var pending: Reason?
        var waiting: (waiter: Waiter<Void>, least: Reason)?
    }

    private let state = Locked(State())

    func signal(_ reason: Reason) {
        let waiter = self.state.withLock { state -> Waiter<Void>? in
            if let waiting = state.waiting, reason >= waiting.least {
                state.waiting = nil
                return waiting.waiter
            }
            state.pending = max(state.pending ?? reason, reason)
            return nil
        }
        waiter?.wake()
    }

    /// Waits for a reason, the time limit, the client's shutdown, or cancellation; one caller at a time.
    ///
    /// It is certain to be woken by one of these: a reason that was signaled since the last wait counts.
    ///
    /// - Parameters:
    ///   - least: The lowest reason to wake for; lower ones are left for the next wait.
    ///   - limit: The longest time to wait, on the client's clock; `nil` waits without limit.
    ///   - client: The client.
    func wait(for least: Reason, atMost limit: Duration?, _ client: Client) async {
        let waiter = Waiter<Void>()
        let isPending = self.state.withLock { state in
            guard let pending = state.pending, pending >= least else {
                state.waiting = (waiter, least)
                return false
            }
            state.pending = nil
            return true
        }
        guard !isPending else { return }
        let now = client.environment.timebase.now
        try? await client.environment.wait(for: waiter, until: limit.map { now + $0.bounded })
        self.state.withLock { $0.waiting = nil }
    }
}
