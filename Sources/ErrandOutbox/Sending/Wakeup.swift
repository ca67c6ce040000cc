internal import Errand
internal import ErrandLocks
internal import ErrandMachines

/// Wakes whoever sends a queue: because something was added, or because it is worth trying again.
final class Wakeup: Sendable {
    /// Why there is something to do.
    enum Reason: Int, Comparable {
        /// Something was added: nothing to whoever waits before it tries the first request again.
        case added
        /// There may be a network again, or somebody asks for it.
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

    /// Waits for a reason, or until a time is over, the client is shut down, or the task is cancelled; one at a time.
    ///
    /// Certain to be woken by one of these: a reason that came since the last wait counts.
    ///
    /// - Parameters:
    ///   - least: Reasons below it are left for the next wait.
    ///   - limit: How long to wait at most, on the client's clock; `nil` for as long as it takes.
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
