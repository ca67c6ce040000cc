internal import Dispatch
internal import ErrandLocks

/// Checks periodically whether a job of a simulation has been running for too long.
///
/// One instance serves all simulations of the process, so that its cost per run is negligible. It checks only while
/// there are runs. It counts checks instead of measuring time, so that a process that a debugger has stopped is not
/// considered late.
final class StepWatch: Sendable {
    static let shared = StepWatch()

    private static let interval = Duration.milliseconds(250)

    private struct Watched {
        let executor: SimulationExecutor
        let timeout: Duration
        let onBlocked: @Sendable () -> Void
        /// The job that ran at the last check, and the number of checks that have seen it.
        var progress: Int?
        var looks = 0
    }

    private struct State {
        var watched: [ObjectIdentifier: Watched] = [:]
        var isLooking = false
    }

    private let state = Locked(unobserved: State())

    /// Watches a run until it is removed, or one of its jobs has taken longer than the timeout.
    func add(_ executor: SimulationExecutor, timeout: Duration, onBlocked: @escaping @Sendable () -> Void) {
        let isFirst = self.state.withLock { state in
            let watched = Watched(executor: executor, timeout: timeout, onBlocked: onBlocked)
            state.watched[ObjectIdentifier(executor)] = watched
            defer { state.isLooking = true }
            return !state.isLooking
        }
        if isFirst { self.lookLater() }
    }

    /// Stops watching a run.
    func remove(_ executor: SimulationExecutor) {
        self.state.withLock { $0.watched[ObjectIdentifier(executor)] = nil }
    }

    // MARK: - Private helpers

    private func lookLater() {
        DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(Self.interval.wholeNanoseconds)) {
            if self.look() { self.lookLater() }
        }
    }

    /// Checks all runs; returns `false` if there are none.
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
