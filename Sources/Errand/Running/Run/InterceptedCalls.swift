internal import ErrandLocks
internal import ErrandMachines

/// The calls that interceptors have under way.
final class InterceptedCalls: Sendable {
    private struct State {
        /// Those that have not ended.
        var open: [CallStops] = []
        /// Wakes the run when the last of those has ended.
        var lastEnded: Waiter<Void>?
        /// The facts of the last response that any call brought.
        var last: Last?
        /// Nothing may be sent on any more, and what still comes is not the response.
        var isOver = false
    }

    /// The facts of a response, apart from its content: its origin, and whether it is whole.
    struct Last {
        let origin: HTTPResponse.Origin?
        let isCut: Bool
    }

    private let state = Locked(State())

    var isOver: Bool { self.state.withLock { $0.isOver } }

    /// Begins a call; returns false when the request is over.
    func begin(_ call: CallStops) -> Bool {
        self.state.withLock { state in
            if !state.isOver { state.open.append(call) }
            return !state.isOver
        }
    }

    func end(_ call: CallStops) {
        let lastEnded = self.state.withLock { state -> Waiter<Void>? in
            state.open.removeAll { $0 === call }
            return state.open.isEmpty ? state.lastEnded : nil
        }
        lastEnded?.wake()
    }

    /// Notes what is known of a response.
    func note(_ response: HTTPResponse) {
        let new = Last(origin: response.origin, isCut: response.isCut)
        let last = self.state.withLock { state in
            defer { state.last = new }
            return state.last
        }
        withExtendedLifetime(last) {}
    }

    /// The facts of the last response that any call brought.
    var last: Last? { self.state.withLock { $0.last } }

    /// There is a response: what comes of the other calls from now on is not it.
    func close() { self.state.withLock { $0.isOver = true } }

    /// Ends what an interceptor sent on and did not wait for: a request that is over has nothing on the way.
    func endStrays() async {
        let ended = Waiter<Void>()
        let open = self.state.withLock { state in
            state.isOver = true
            state.lastEnded = ended
            return state.open
        }
        guard !open.isEmpty else { return }
        for call in open { call.stop(.cancelled) }
        _ = await ended.waitThroughCancellation()
    }
}

extension ErrandError {
    static var sentOnTooLate: ErrandError {
        ErrandError(.interceptorFailed, "an interceptor sent on a request that was over")
    }
}

/// Stops one call of an interceptor and nothing else.
final class CallStops: StopScope {
    private struct State {
        var reason: StopReason?
        var pending: (any Stoppable)?
    }

    private let state = Locked(State())

    var stopReason: StopReason? { self.state.withLock { $0.reason } }

    func stop(_ reason: StopReason) {
        let pending = self.state.withLock { state -> (any Stoppable)? in
            guard state.reason == nil else { return nil }
            state.reason = reason
            return state.pending
        }
        pending?.stop(reason)
    }

    func setPending(_ pending: (any Stoppable)?) {
        let (reason, last) = self.state.withLock { state in
            defer { state.pending = pending }
            return (state.reason, state.pending)
        }
        if let reason { pending?.stop(reason) }
        withExtendedLifetime(last) {}
    }
}
