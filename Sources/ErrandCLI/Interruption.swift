internal import Errand
internal import ErrandLocks

/// Why the program must end before its work is done, known everywhere at once.
final class Interruption: Sendable {
    /// The reasons to end early.
    enum Reason: Sendable, Hashable {
        /// A signal asked for it.
        case signal(Int32)
        /// Results can no longer be written.
        case outputLost(FileProblem)

        /// What the program exits with, as a shell counts it: 128 and the number of the signal.
        var exitCode: Int32 {
            switch self {
            case .signal(let number): 128 + number
            case .outputLost(let error): error.isBrokenPipe ? 128 + 13 : 1
            }
        }

        /// What is said about it; `nil` when whoever reads the results has had enough.
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

    /// The first reason there was.
    var reason: Reason? { self.state.withLock { $0.reason } }

    /// Ends the work early; a second reason changes nothing.
    func raise(_ reason: Reason) {
        let handlers = self.state.withLock { state in
            guard state.reason == nil else { return [@Sendable () -> Void]() }
            state.reason = reason
            return state.handlers
        }
        for handler in handlers { handler() }
    }

    /// Calls a closure as soon as there is a reason: at once if there is one.
    func onRaise(_ handler: @escaping @Sendable () -> Void) {
        let isRaised = self.state.withLock { state in
            state.handlers.append(handler)
            return state.reason != nil
        }
        if isRaised { handler() }
    }
}
