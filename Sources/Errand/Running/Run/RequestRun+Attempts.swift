internal import ErrandMachines

/// Attempts to send the request, each with a slot and deadlines of its own.
extension RequestRun {
    /// Performs one exchange with a slot, which is released whatever the outcome.
    ///
    /// - Parameters:
    ///   - call: The call to send.
    ///   - scope: The scope whose stop ends the exchange, and that is stopped by its deadlines.
    ///   - ticket: The slot.
    /// - Returns: The response.
    /// - Throws: ``ErrandError`` if there is none.
    func attempt(
        _ call: WireCall, in scope: any StopScope, holding ticket: AdmissionMachine.Ticket
    ) async throws(ErrandError) -> HTTPResponse {
        var complete: CompleteRequest?
        if self.environment.addsToRequests || self.terms.plan.credentials != nil {
            complete = await self.completed(call.request, in: scope)
        }
        try self.arrive(call, complete, holding: ticket)
        let deadlines = self.beginAttempt(call, stopping: scope)
        let began = self.environment.isAdaptive ? self.environment.timebase.now : .zero
        var result = await self.exchange(call, deadlines, in: scope)
        if self.environment.isAdaptive { self.learn(from: result, began, ticket, in: scope) }
        if self.pipeline.sendsApart { self.withJourney { $0.underWay -= 1 } }
        if self.environment.cookies != nil { await self.keepCookies(of: result, from: call, in: scope) }
        return try self.endAttempt(call, &result, holding: ticket, deadlines, in: scope)
    }

    /// Records the request to be sent; releases the slot if redirections form a loop.
    @inline(never)
    private func arrive(
        _ call: WireCall, _ complete: CompleteRequest?, holding ticket: AdmissionMachine.Ticket
    ) throws(ErrandError) {
        do throws(ErrandError) {
            try call.willSend(complete)
        } catch {
            self.environment.admission.leave(ticket)
            self.note(call.arrivingFrom)
            throw error
        }
    }

    /// Performs one exchange that a stop can end: with the transport's handle, or in a task that is cancelled.
    @inline(never)
    private func exchange(
        _ call: WireCall, _ deadlines: Deadlines?, in scope: any StopScope
    ) async -> Result<HTTPResponse, ErrandError> {
        let request = self.outgoing(call)
        guard self.environment.transport.handlesStops, self.options.isInMemory, request.body.isInMemory else {
            return await self.exchangeInTask(
                request, self.makeContext(call, deadlines, in: scope, stoppedBy: nil), in: scope)
        }
        let context = self.makeContext(call, deadlines, in: scope, stoppedBy: scope)
        let result = await self.exchange(request, context)
        scope.setPending(nil)
        guard case .success(let response) = result, case .stream = response.body else { return result }
        return await self.cutInTask(response, in: scope)
    }

    /// Cuts in a task, because the handle ends the exchange but not a read.
    @inline(never)
    private func cutInTask(
        _ response: HTTPResponse, in scope: any StopScope
    ) async -> Result<HTTPResponse, ErrandError> {
        .success(
            await scope.inTask(immediately: true) { () async throws(Never) in
                await self.cutUnlessAccepted(response)
            })
    }

    @inline(never)
    private func exchangeInTask(
        _ request: HTTPRequest, _ context: ExchangeContext, in scope: any StopScope
    ) async -> Result<HTTPResponse, ErrandError> {
        // An exchange in the scope of the whole request ends with the request's task, if it has one. A direct run may
        // lack one: a policy may have given it a body that is not in memory.
        guard self.isDirect || scope !== self.lifeline else { return await self.exchangeAndCut(request, context) }
        return await scope.inTask(immediately: true) { () async throws(Never) in
            await self.exchangeAndCut(request, context)
        }
    }

    private func exchangeAndCut(
        _ request: HTTPRequest, _ context: ExchangeContext
    ) async -> Result<HTTPResponse, ErrandError> {
        if case .stream(let body, _) = request.body, body.isUsedUp { return .failure(.bodyAlreadyRead) }
        let result = await self.exchange(request, context)
        guard case .success(let response) = result, case .stream = response.body else { return result }
        return .success(await self.cutUnlessAccepted(response))
    }

    @inline(__always)
    private func exchange(
        _ request: HTTPRequest, _ context: ExchangeContext
    ) async -> Result<HTTPResponse, ErrandError> {
        do throws(ErrandError) {
            return .success(try await self.environment.transport.exchange(request, context))
        } catch {
            return .failure(error)
        }
    }

    // MARK: - Cookies and credentials

    /// Returns the request with the client's current cookies for its URL, and with a credential.
    ///
    /// Called only with a slot, because requests it waited for may have brought cookies.
    @inline(never)
    private func completed(_ request: HTTPRequest, in scope: any StopScope) async -> CompleteRequest {
        // A user-supplied store may suspend, and must end with its call.
        guard self.environment.cookiesMayWait, scope !== self.lifeline else {
            return await self.environment.withCredentialsAndCookies(request, under: self.terms)
        }
        return await scope.inTask(immediately: true) { () async throws(Never) in
            await self.environment.withCredentialsAndCookies(request, under: self.terms)
        }
    }

    /// Returns the request as caches distinguish it.
    ///
    /// A keeper may have to load its credential first.
    func identified(_ request: HTTPRequest) async -> HTTPRequest {
        if let keeper = self.environment.unloadedKeeper(for: request, under: self.terms) {
            let deadline = self.setAuthenticationDeadline()
            defer { deadline?.clear() }
            try? await keeper.load()
        }
        return await self.environment.identified(request, under: self.terms)
    }

    /// Stores the cookies of a response, before its slot is released, so that the next request has them.
    @inline(never)
    private func keepCookies(
        of result: Result<HTTPResponse, ErrandError>, from call: WireCall, in scope: any StopScope
    ) async {
        guard let cookies = self.environment.cookies, case .success(let response) = result else { return }
        let (head, url, date) = (response.head, call.sent.url, self.environment.date())
        // A user-supplied store may suspend, and is stopped by the attempt's deadlines through its scope.
        guard self.environment.cookiesMayWait, scope !== self.lifeline else {
            return await cookies.receive(head, for: url, at: date)
        }
        await scope.inTask(immediately: true) { () async throws(Never) in
            await cookies.receive(head, for: url, at: date)
        }
    }

    // MARK: - Beginning and end

    /// Counts an attempt and sets its deadlines.
    @inline(never)
    private func beginAttempt(_ call: WireCall, stopping scope: any StopScope) -> Deadlines? {
        // Interceptors, hooks, challenges, and responses received while it waited may have changed the identity.
        if let identity = call.identity { identity.note(call.identified) }
        let shown = call.shown
        let (attempt, watch, last) = self.withJourney { journey in
            defer { journey.sent = shown }
            journey.attempts += 1
            journey.underWay += 1
            return (journey.attempts, journey.watch, journey.sent)
        }
        withExtendedLifetime(last) {}
        call.attempt = attempt
        if let watch { watch.hooks.observe(.attemptStarted(attempt), of: watch.activity) }
        return Deadlines(ofAttempt: self.timeouts, self.environment, stopping: scope, of: self.lifeline)
    }

    @inline(never)
    private func makeContext(
        _ call: WireCall, _ deadlines: Deadlines?, in whole: any StopScope, stoppedBy scope: (any StopScope)?
    ) -> ExchangeContext {
        let (destination, part) = self.nextDestination()
        return ExchangeContext(
            self.id, call.attempt, destination, part != nil && self.partial != nil,
            self.observer(of: call, into: part, stopping: whole),
            watcher: deadlines?.dependOnEvents == true ? deadlines : nil, gate: self.gate,
            connectLimit: self.connectLimit, stopReason: scope == nil ? Self.stopReason(of: whole) : nil, host: scope)
    }

    /// Returns a closure for the stop reason of a scope, which it does not retain.
    private static func stopReason(of scope: any StopScope) -> @Sendable () -> StopReason? {
        { [weak scope] in scope?.stopReason }
    }

    /// The longest time for the next attempt to wait for a connection, according to its deadlines.
    private var connectLimit: Duration? {
        let timeouts = self.timeouts
        var least = timeouts.connect
        func consider(_ limit: Duration?) {
            if let limit { least = min(least ?? limit, limit) }
        }
        consider(timeouts.firstByte)
        consider(timeouts.idle)
        consider(timeouts.attempt)
        consider(self.timeLeft)
        return least
    }

    /// The gate that admits body bytes of the next attempt.
    private var gate: any TransferGate {
        self.options.bandwidth.isEmpty
            ? self.lifeline : PacedGate(self.lifeline, limits: self.options.bandwidth)
    }

    /// The request as sent to the transport, with trace and deadline fields.
    ///
    /// Redirections are compared with the request without them.
    @inline(never)
    private func outgoing(_ call: WireCall) -> HTTPRequest {
        let request = self.marked(call)
        if let watch = self.watch, Self.isNew(request, to: watch) {
            watch.hooks.observe(.requestHead(request), of: watch.activity)
        }
        return request
    }

    /// True if accessories have not seen this request head.
    private static func isNew(_ request: HTTPRequest, to watch: Watch) -> Bool {
        guard let asked = watch.activity.request else { return false }
        return request.method != asked.method || request.url != asked.url
            || !request.headers.isWritten(like: asked.headers)
    }

    private func marked(_ call: WireCall) -> HTTPRequest {
        let deadline = self.options.deadlineHeader
        guard call.request.trace != nil || deadline != nil else { return call.sent }
        var request = call.sent
        if let deadline, let left = self.timeLeft, !request.headers.contains(deadline.name) {
            request.headers.append(name: deadline.name, value: deadline.value(for: left))
        }
        guard let trace = call.request.trace else { return request }
        if let context = trace.mark(&request) { self.observe(.traced(context)) }
        return request
    }

    /// Releases the resources of an attempt, now or with the end of its body, and evaluates the result.
    @inline(never)
    private func endAttempt(
        _ call: WireCall, _ result: inout Result<HTTPResponse, ErrandError>, holding ticket: AdmissionMachine.Ticket,
        _ deadlines: Deadlines?, in scope: any StopScope
    ) throws(ErrandError) -> HTTPResponse {
        // For an exchange stopped by a deadline, the transport reports only a cancellation.
        if let reason = scope.stopReason { result = .failure(reason.error) }
        // Before releasing the slot, because the next request must respect the hints.
        if let hold = self.environment.serverHold { self.heedHints(of: result, from: call.sent.url, atMost: hold) }
        call.lease = self.settle(&result, ticket, deadlines)
        // From now on a stop of the attempt stops the whole request, and with it the reader of the body.
        if call.lease != nil, scope !== self.lifeline { scope.setPending(self.lifeline) }
        let error: ErrandError
        switch result {
        case .success(let response) where response.data.count <= self.environment.bodyLimit: return response
        case .success: error = .bodyTooLarge(limit: self.environment.bodyLimit)
        case .failure(let failure): error = failure
        }
        self.observe(.attemptFailed(call.attempt, self.complete(error)))
        throw error
    }
}

extension RequestRun {
    /// Applies the quota that a host announces for itself.
    @inline(never)
    private func heedHints(of result: Result<HTTPResponse, ErrandError>, from url: HTTPURL, atMost hold: Duration) {
        guard case .success(let response) = result else { return }
        let admission = self.environment.admission
        if let field = RateLimitField(response.headers) {
            admission.setQuota(field.left, for: min(field.time, hold), host: url.authority)
        }
        guard response.status == .tooManyRequests || response.status == .serviceUnavailable,
            let time = response.head.retryAfter(at: self.environment.date()), time > .zero
        else { return }
        admission.setQuota(0, for: min(time, hold), host: url.authority)
    }
}

extension RequestRun {
    /// Records the response time of the server, or that it is overloaded.
    @inline(never)
    private func learn(
        from result: Result<HTTPResponse, ErrandError>, _ began: Duration, _ ticket: AdmissionMachine.Ticket,
        in scope: any StopScope
    ) {
        let admission = self.environment.admission
        switch (result, scope.stopReason) {
        case (.success(let response), _)
        where response.status == .tooManyRequests || response.status == .serviceUnavailable:
            admission.note(ticket, answeredAfter: nil)
        case (.success(let response), _):
            let time = response.metrics?.firstByte ?? self.environment.timebase.now - began
            admission.note(ticket, answeredAfter: time)
        case (.failure, let reason?) where reason.error.code == .timedOut:
            admission.note(ticket, answeredAfter: nil)
        case (.failure(let error), nil) where error.code == .connectionLost || error.code == .timedOut:
            admission.note(ticket, answeredAfter: nil)
        case (.failure, _): break
        }
    }
}

extension Hooks {
    /// Returns a closure that reports the events of an exchange.
    func observer(of activity: RequestActivity) -> @Sendable (ExchangeEvent) -> Void {
        { self.observe(RequestActivity.Event($0), of: activity) }
    }
}

extension RequestActivity.Event {
    /// Creates the event for accessories from an event of a transport.
    fileprivate init(_ event: ExchangeEvent) {
        switch event {
        case .connected: self = .connected
        case .interimResponse(let head): self = .interimResponse(head)
        case .responseHead(let head): self = .responseHead(head)
        case .sent(let progress): self = .sent(progress)
        case .received(let progress): self = .received(progress)
        case .finished(let metrics): self = .exchangeFinished(metrics)
        case .notice(let text): self = .notice(text)
        }
    }
}

extension RequestRun {
    /// Truncates the body of a response that is not accepted to the part that an error keeps.
    ///
    /// No slot is then held while interceptors, authenticators, and redirect policies process it.
    fileprivate func cutUnlessAccepted(_ received: HTTPResponse) async -> HTTPResponse {
        guard case .stream(let body) = received.body, !self.call.endpoint.validation.acceptsHead(of: received) else {
            return received
        }
        var response = received
        response.body = .bytes(await body.beginning())
        response.isCut = true
        return response
    }
}

extension ErrandError {
    package static func bodyTooLarge(limit: Int) -> ErrandError {
        ErrandError(.bodyTooLarge, "the response body is larger than the limit of \(limit) bytes")
    }
}
