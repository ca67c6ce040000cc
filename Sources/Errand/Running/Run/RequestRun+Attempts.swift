internal import ErrandMachines

/// Attempts to send the request, each with a slot and with deadlines of its own.
extension RequestRun {
    /// Does one exchange with the slot that it holds, which is given back whatever comes of it.
    ///
    /// - Parameters:
    ///   - call: What is sent.
    ///   - scope: Whose stops end it, and what its deadlines stop.
    ///   - ticket: The slot.
    /// - Returns: The response.
    /// - Throws: ``ErrandError`` when there is none.
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

    /// Notes what is about to be sent; gives the slot back where redirections have led in a circle.
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

    /// Does one exchange so that a stop ends it: by the handle that the transport gives, or in a task that is cancelled.
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

    /// The handle ends the exchange, and not a read.
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
        // What is stopped with the whole request ends with the task of that, if it has one: a policy may have given a direct
        // run a body that is not in memory.
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

    /// A request with the cookies that the client has for its URL at this moment, and with a credential.
    ///
    /// Only once it has its slot: what waited before it may have brought cookies.
    @inline(never)
    private func completed(_ request: HTTPRequest, in scope: any StopScope) async -> CompleteRequest {
        // A store of others may wait, and so that must end with its call.
        guard self.environment.cookiesMayWait, scope !== self.lifeline else {
            return await self.environment.withCredentialsAndCookies(request, under: self.terms)
        }
        return await scope.inTask(immediately: true) { () async throws(Never) in
            await self.environment.withCredentialsAndCookies(request, under: self.terms)
        }
    }

    /// A request as a cache tells it from those of others; what keeps a credential may have to load it first.
    func identified(_ request: HTTPRequest) async -> HTTPRequest {
        if let keeper = self.environment.unloadedKeeper(for: request, under: self.terms) {
            let deadline = self.setAuthenticationDeadline()
            defer { deadline?.clear() }
            try? await keeper.load()
        }
        return await self.environment.identified(request, under: self.terms)
    }

    /// Keeps the cookies that a response sets; before its slot is given back, so that what waits for that has them.
    @inline(never)
    private func keepCookies(
        of result: Result<HTTPResponse, ErrandError>, from call: WireCall, in scope: any StopScope
    ) async {
        guard let cookies = self.environment.cookies, case .success(let response) = result else { return }
        let (head, url, date) = (response.head, call.sent.url, self.environment.date())
        // A store of others may wait, and a deadline of the attempt stops that with its scope.
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
        // Interceptors, hooks and challenges may have changed who asks, and so may what came while it waited.
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

    /// Tells why something was told to stop, for as long as it is there.
    private static func stopReason(of scope: any StopScope) -> @Sendable () -> StopReason? {
        { [weak scope] in scope?.stopReason }
    }

    /// The longest wait of the next attempt for a connection, by the deadlines that it has.
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

    /// What says when bytes of the bodies of the next attempt may move.
    private var gate: any TransferGate {
        self.options.bandwidth.isEmpty
            ? self.lifeline : PacedGate(self.lifeline, limits: self.options.bandwidth)
    }

    /// What goes to the transport: the request as a part of its trace, if it has one, and with the time that is left; what
    /// redirections are compared with is without them.
    @inline(never)
    private func outgoing(_ call: WireCall) -> HTTPRequest {
        let request = self.marked(call)
        if let watch = self.watch, Self.isNew(request, to: watch) {
            watch.hooks.observe(.requestHead(request), of: watch.activity)
        }
        return request
    }

    /// Whether accessories have not seen this head.
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

    /// Gives back what an attempt held, now or with the end of its body, and looks at what came of it.
    @inline(never)
    private func endAttempt(
        _ call: WireCall, _ result: inout Result<HTTPResponse, ErrandError>, holding ticket: AdmissionMachine.Ticket,
        _ deadlines: Deadlines?, in scope: any StopScope
    ) throws(ErrandError) -> HTTPResponse {
        // Stopped by its deadline, the transport knows only that it was cancelled.
        if let reason = scope.stopReason { result = .failure(reason.error) }
        // Before the slot is given back: the next one who gets it has to know.
        if let hold = self.environment.serverHold { self.heedHints(of: result, from: call.sent.url, atMost: hold) }
        call.lease = self.settle(&result, ticket, deadlines)
        // Whoever reads the body now is stopped by what was to stop the attempt.
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
    /// Takes note of how many requests a host takes by its own word.
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
    /// Takes note of how long the server took, or that it has too much to do.
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
    /// Who is told about the events of an exchange.
    func observer(of activity: RequestActivity) -> @Sendable (ExchangeEvent) -> Void {
        { self.observe(RequestActivity.Event($0), of: activity) }
    }
}

extension RequestActivity.Event {
    /// The event that accessories see for what a transport reports.
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
    /// The response, with no more of a stream that is not accepted than an error keeps.
    ///
    /// So nothing holds a slot while interceptors, authenticators and redirect policies think about it.
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
