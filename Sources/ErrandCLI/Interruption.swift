internal import Errand
internal import ErrandLocks

/// The reason why the program must end early, shared by all parts of the program.
final class Interruption: Sendable {
    /// The reasons to end early.
    enum Reason: Sendable, Hashable {
        /// A signal.
        case signal(Int32)
        /// Results can no longer be written.
        case outputLost(FileProblem)

        /// The exit code, as in a shell: 128 plus the number of the signal.
        var exitCode: Int32 {
            switch self {
            case .signal(let number): 128 + number
            case .outputLost(let error): error.isBrokenPipe ? 128 + 13 : 1
            }
        }

        /// The message; `nil` if the reader of the results has closed the pipe.
        var message: String? {
            switch self {
            case .signal: "interrupted"
            case .outputLost(let error): error.isBrokenPipe ? nil : "cannot write results: \(error)"
            }
        }
    }

    private struct State {
        var reason: Reason?
        var handlers: [@Sendable () -> Void] = []
    }

    private let state = Locked(State())

    /// The first reason, if any.
    var reason: Reason? { self.state.withLock { $0.reason } }

    /// Ends the work early; further reasons are ignored.
    func raise(_ reason: Reason) {
        let handlers = self.state.withLock { state in
            guard state.reason == nil else { return [@Sendable () -> Void]() }
            state.reason = reason
            return state.handlers
        }
        for handler in handlers { handler() }
    }

    /// Calls a closure once there is a reason: at once if there already is one.
    func onRaise(_ handler: @escaping @Sendable () -> Void) {
        let isRaised = self.state.withLock { state in
            state.handlers.append(handler)
            return state.reason != nil
        }
        if isRaised { handler() }
    }
}
