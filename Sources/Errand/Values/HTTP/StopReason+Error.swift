package import ErrandMachines

extension StopReason {
    /// The error for a request stopped for this reason.
    package var error: ErrandError {
        switch self {
        case .cancelled, .abandoned: .cancelled()
        case .connectTimedOut(let limit): ErrandError(.timedOut, "there was no connection after \(limit)")
        case .firstByteTimedOut(let limit): ErrandError(.timedOut, "there was no response after \(limit)")
        case .idleTimedOut(let limit): ErrandError(.timedOut, "nothing was sent or received for \(limit)")
        case .attemptTimedOut(let limit): ErrandError(.timedOut, "an attempt took longer than \(limit)")
        case .totalTimedOut(let limit): ErrandError(.timedOut, "the request took longer than \(limit)")
        case .authenticationTimedOut(let limit):
            ErrandError(
                .timedOut,
                """
                the authenticator gave no answer for \(limit); if it waits for a request of the same client that was \
                started elsewhere, in a detached task or before, the two wait for each other
                """)
        case .clientShutDown: ErrandError(.clientShutDown, "the client was shut down")
        }
    }
}
