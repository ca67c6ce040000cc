internal import ErrandLocks

/// The deadline for the next byte that is sent or received.
///
/// It runs while one is waited for. A reader of a stream that takes its time holds the transport back: then nothing
/// comes because nobody asks, and the deadline stands still until it is asked again.
final class IdleDeadline: Sendable {
    private enum State {
        /// Goes to `heldBack` or `over`.
        case running(DeadlineTimer.Token)
        /// Goes to `running` when someone waits again, or to `over`.
        case heldBack
        /// Terminal.
        case over
    }

    private let limit: Duration
    private let environment: RequestEnvironment
    private let target: any DeadlineTarget
    private let state: Locked<State>

    /// Sets the deadline, from now on.
    init(_ limit: Duration, _ environment: RequestEnvironment, stopping target: any DeadlineTarget) {
        self.limit = limit
        self.environment = environment
        self.target = target
        self.state = Locked(.running(Self.set(limit, environment, stopping: target)))
    }

    /// Something was sent or received.
    func postpone() {
        self.state.withLock { state in
            guard case .running(let token) = state else { return }
            self.environment.deadlines.postpone(token, self.limit, after: self.environment.timebase.now)
        }
    }

    /// Nobody asks for more for now.
    func holdBack() {
        self.state.withLock { state in
            guard case .running(let token) = state else { return }
            self.environment.deadlines.clear(token)
            state = .heldBack
        }
    }

    /// Someone waits for more.
    func goOn() {
        self.state.withLock { state in
            guard case .heldBack = state else { return }
            state = .running(Self.set(self.limit, self.environment, stopping: self.target))
        }
    }

    /// The attempt is over.
    func clear() {
        self.state.withLock { state in
            if case .running(let token) = state { self.environment.deadlines.clear(token) }
            state = .over
        }
    }

    private static func set(
        _ limit: Duration, _ environment: RequestEnvironment, stopping target: any DeadlineTarget
    ) -> DeadlineTimer.Token {
        environment.deadlines.set(
            limit, after: environment.timebase.now, stopping: target, because: .idleTimedOut(limit))
    }
}
