internal import ErrandLocks
internal import ErrandMachines

/// An interceptor on the way of a request.
final class InterceptorStage: Stage {
    let interceptor: any Interceptor

    init(interceptor: any Interceptor) {
        self.interceptor = interceptor
    }

    func handle(
        _ request: HTTPRequest, _ run: RequestRun, _ next: NextStages
    ) async throws(ErrandError) -> HTTPResponse {
        guard let owner = run.owner else { throw .cancelled() }
        // To the cache a request with another URL is another one, unless the key says so.
        let mayChange = self.interceptor.hasOwnCachePartition
        let sendOn = InterceptorNext { [url = request.url] request throws(ErrandError) in
            try await owner.pass(request, to: next, isAnother: request.url != url && !mayChange)
        }
        let context = InterceptorContext(
            requestID: run.id, endpoint: run.endpoint, options: run.shared, attempt: run.exchanges.attempts + 1)
        return try await run.json.useThroughout { [interceptor] () async throws(ErrandError) in
            do {
                return try await interceptor.intercept(request, context: context, next: sendOn)
            } catch {
                throw ErrandError(wrapping: error, as: .interceptorFailed, "\(type(of: interceptor)) failed")
            }
        }
    }
}

/// The calls that interceptors have under way.
final class InterceptedCalls {
    /// Those that have not ended.
    private var open: [CallStops] = []
    /// Wakes the run when the last of those has ended.
    private var lastEnded: Waiter<Void>?
    /// Where the last response came from that any call brought.
    var lastOrigin: HTTPResponse.Origin?
    /// Nothing may be sent on any more, and what still comes is not the response.
    var isOver = false

    func begin() -> CallStops {
        let call = CallStops()
        self.open.append(call)
        return call
    }

    func end(_ call: CallStops) {
        self.open.removeAll { $0 === call }
        if self.open.isEmpty { self.lastEnded?.resume(()) }
    }

    /// Ends what an interceptor sent on and did not wait for: a request that is over has nothing on the way.
    func endStrays() async {
        self.isOver = true
        guard !self.open.isEmpty else { return }
        let ended = Waiter<Void>()
        self.lastEnded = ended
        for call in self.open { call.stop(.cancelled) }
        _ = await ended.waitThroughCancellation()
    }
}

extension RequestRun {
    /// Sends on for an interceptor; the way back into the actor for code that left it leads here.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - next: What follows.
    ///   - isAnother: Whether the interceptor has made another one of it, and the key of a cache does not say so.
    /// - Returns: The response.
    /// - Throws: ``ErrandError`` when there is none.
    func pass(
        _ request: HTTPRequest, to next: NextStages, isAnother: Bool
    ) async throws(ErrandError) -> HTTPResponse {
        guard self.exchanges.intercepted?.isOver == false else {
            throw ErrandError(.interceptorFailed, "an interceptor sent on a request that was over")
        }
        if isAnother { self.exchanges.identity?.noteAnother() }
        return try await next.pass(request, self)
    }

    /// Sends what interceptors made of the request.
    ///
    /// They may go on with something else when a deadline ends that. So the call is stopped by itself, and its request goes
    /// on.
    @inline(never)
    func sendApart(_ request: HTTPRequest) async throws(ErrandError) -> HTTPResponse {
        guard let calls = self.exchanges.intercepted, let asked = self.request else {
            throw .cancelled()
        }
        let request = try self.terms.plan.checked(request, with: self.shared, insteadOf: asked.url)
        self.endEarlierBodies()
        self.exchanges.identity?.note(request, madeOf: asked)
        guard let owner = self.owner else { throw .cancelled() }
        let stops = calls.begin()
        defer { calls.end(stops) }
        let response = try await owner.whileNotCancelled(stops) { run throws(ErrandError) in
            let call = WireCall(request)
            run.exchanges.call = call
            return try await run.perform(call, in: stops)
        }
        calls.lastOrigin = response.origin
        return response
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
