internal import Dispatch
internal import ErrandLocks

/// Looks now and then whether a job of a simulation has been running for too long.
///
/// There is one for all simulations of the process, so that a run costs it next to nothing. It looks only while there
/// are runs. It counts how often it has looked, not the time: a process that stands still, for a debugger, is not late.
final class StepWatch: Sendable {
    static let shared = StepWatch()

    private static let interval = Duration.milliseconds(250)

    private struct Watched {
        let executor: SimulationExecutor
        let timeout: Duration
        let onBlocked: @Sendable () -> Void
        /// Which job ran when it was looked at, and how often the same one has been seen since.
        var progress: Int?
        var looks = 0
    }

    private struct State {
        var watched: [ObjectIdentifier: Watched] = [:]
        var isLooking = false
    }

    private let state = Locked(State())

    /// Watches a run until it is removed or one of its jobs has taken longer than the timeout.
    func add(_ executor: SimulationExecutor, timeout: Duration, onBlocked: @escaping @Sendable () -> Void) {
        let isFirst = self.state.withLock { state in
            let watched = Watched(executor: executor, timeout: timeout, onBlocked: onBlocked)
            state.watched[ObjectIdentifier(executor)] = watched
            defer { state.isLooking = true }
            return !state.isLooking
        }
        if isFirst { self.lookLater() }
    }

    /// Watches a run no more.
    func remove(_ executor: SimulationExecutor) {
        self.state.withLock { $0.watched[ObjectIdentifier(executor)] = nil }
    }

    // MARK: - Private helpers

    private func lookLater() {
        DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(Self.interval.wholeNanoseconds)) {
            if self.look() { self.lookLater() }
        }
    }

    /// Looks at all runs and returns whether there are any.
    private func look() -> Bool {
        let (blocked, goesOn) = self.state.withLock { state in
            let blocked = state.watched.keys.filter { Self.isBlocked(&state.watched[$0]) }
                .compactMap { state.watched.removeValue(forKey: $0) }
            state.isLooking = !state.watched.isEmpty
            return (blocked, state.isLooking)
        }
        for watched in blocked { watched.onBlocked() }
        return goesOn
    }

    private static func isBlocked(_ watched: inout Watched?) -> Bool {
        guard let current = watched else { return false }
        let progress = current.executor.progress
        let isSame = progress != nil && progress == current.progress
        watched?.progress = progress
        watched?.looks = isSame ? current.looks + 1 : 0
        return isSame && Self.interval * (current.looks + 1) >= current.timeout
    }
}
