internal import ErrandLocks
internal import ErrandMachines

/// The calls in flight made by interceptors.
final class InterceptedCalls: Sendable {
    private struct State {
        /// The calls that have not ended.
        var open: [CallStops] = []
        /// Wakes the run when the last of them has ended.
        var lastEnded: Waiter<Void>?
        /// The details of the last response received by any call.
        var last: Last?
        /// Set once no more calls may be made, and further responses are ignored.
        var isOver = false
    }

    /// The details of a response without its content: its origin, and whether it is truncated.
    struct Last {
        let origin: HTTPResponse.Origin?
        let isCut: Bool
    }

    private let state = Locked(State())

    var isOver: Bool { self.state.withLock { $0.isOver } }

    /// Begins a call; returns false if the request is over.
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

    /// Records the details of a response.
    func note(_ response: HTTPResponse) {
        let new = Last(origin: response.origin, isCut: response.isCut)
        let last = self.state.withLock { state in
            defer { state.last = new }
            return state.last
        }
        withExtendedLifetime(last) {}
    }

    /// The details of the last response received by any call.
    var last: Last? { self.state.withLock { $0.last } }

    /// Ignores the responses of other calls from now on, because there is a final response.
    func close() { self.state.withLock { $0.isOver = true } }

    /// Cancels calls that an interceptor did not wait for: a request that is over must have no exchange in flight.
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
        ErrandError(.interceptorFailed, "an interceptor called next after its request had ended")
    }
}

/// Stops a single call of an interceptor.
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
