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
        if self.environment.addsToRequests || self.terms.plan.credentials != nil {
            try await self.addCredentialsAndCookies(to: call, in: scope, holding: ticket)
        } else {
            try self.arrive(call, nil, holding: ticket)
        }
        let deadlines = self.beginAttempt(call, stopping: scope)
        self.exchanges.underWay += 1
        var result =
            self.environment.isAdaptive
            ? await self.exchangeAndLearn(call, deadlines, in: scope, holding: ticket)
            : await self.exchange(call, deadlines, in: scope)
        self.exchanges.underWay -= 1
        if self.environment.addsToRequests { await self.keepCookies(of: result, from: call, in: scope) }
        return try self.endAttempt(call, &result, holding: ticket, deadlines, in: scope)
    }

    /// Does one exchange so that a stop ends it: by the handle that the transport gives, or in a task that is cancelled.
    @inline(never)
    private func exchange(
        _ call: WireCall, _ deadlines: AttemptDeadlines?, in scope: any StopScope
    ) async -> Result<HTTPResponse, ErrandError> {
        guard self.isStoppedByHandle(call) else { return await self.exchangeInTask(call, deadlines, in: scope) }
        do throws(ErrandError) {
            let response = try await self.environment.transport.exchange(
                self.outgoing(call), self.makeContext(call, deadlines, in: scope, stoppedBy: scope))
            scope.setPending(nil)
            guard case .stream = response.body else { return .success(response) }
            return .success(await self.cutInTask(response, in: scope))
        } catch {
            scope.setPending(nil)
            return .failure(error)
        }
    }

    /// A transport may stream what was to come as a whole; its handle ends the exchange, not a read.
    @inline(never)
    private func cutInTask(_ response: HTTPResponse, in scope: any StopScope) async -> HTTPResponse {
        guard let owner = self.owner else { return response }
        return await owner.inCancellableTask(of: scope, immediately: true) { run throws(Never) in
            await run.cutUnlessAccepted(response)
        }
    }

    @inline(never)
    private func exchangeInTask(
        _ call: WireCall, _ deadlines: AttemptDeadlines?, in scope: any StopScope
    ) async -> Result<HTTPResponse, ErrandError> {
        guard let owner = self.owner else { return .failure(.cancelled()) }
        let (transport, request) = (self.environment.transport, self.outgoing(call))
        if case .stream(let body, _) = request.body, body.isUsedUp { return .failure(.bodyAlreadyRead) }
        let context = self.makeContext(call, deadlines, in: scope, stoppedBy: nil)
        do throws(ErrandError) {
            let response = try await owner.inCancellableTask(of: scope, immediately: true) { run throws(ErrandError) in
                await run.cutUnlessAccepted(try await transport.exchange(request, context))
            }
            return .success(response)
        } catch {
            return .failure(error)
        }
    }

    /// Whether nothing but memory is read and written, so that an exchange needs no task where the transport gives handles.
    private func isStoppedByHandle(_ call: WireCall) -> Bool {
        guard self.environment.transport.handlesStops, self.options.isInMemory else {
            return false
        }
        return call.isWhollyInMemory
    }

    // MARK: - Cookies and credentials

    /// Adds the cookies and the credential of the client's to what is sent.
    ///
    /// Only once it has its slot: what waited before it may have brought cookies.
    @inline(never)
    private func addCredentialsAndCookies(
        to call: WireCall, in scope: any StopScope, holding ticket: AdmissionMachine.Ticket
    ) async throws(ErrandError) {
        let complete: CompleteRequest
        if self.environment.cookiesMayWait, let owner = self.owner {
            let request = call.request
            complete = await owner.inCancellableTask(of: scope, immediately: true) { run throws(Never) in
                await run.withCredentialsAndCookies(request)
            }
        } else {
            complete = await self.withCredentialsAndCookies(call.request)
        }
        try self.arrive(call, complete, holding: ticket)
    }

    /// Notes what is about to be sent; gives the slot back where redirections have led in a circle.
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

    /// A request with the cookies that the client has for its URL at this moment, and with a credential.
    private func withCredentialsAndCookies(_ request: HTTPRequest) async -> CompleteRequest {
        await self.environment.withCredentialsAndCookies(request, under: self.terms)
    }

    /// The same request as a cache tells it from those of others; in a task that a stop cancels, for it may have to wait.
    func identified(_ request: HTTPRequest) async -> HTTPRequest {
        let environment = self.environment
        if let keeper = environment.unloadedKeeper(for: request, under: self.terms) {
            let deadline = self.setAuthenticationDeadline()
            defer { deadline?.clear() }
            try? await keeper.load()
        }
        return await self.environment.identified(request, under: self.terms)
    }

    /// The same, if nobody has to be waited for.
    func identifiedAtHand(_ request: HTTPRequest) -> HTTPRequest? {
        self.environment.identifiedAtHand(request, under: self.terms)
    }

    /// Keeps the cookies that a response sets; before its slot is given back, so that what waits for that has them.
    @inline(never)
    private func keepCookies(
        of result: Result<HTTPResponse, ErrandError>, from call: WireCall, in scope: any StopScope
    ) async {
        guard let cookies = self.environment.cookies, case .success(let response) = result else { return }
        let (head, url, date) = (response.head, call.sent.url, self.environment.date())
        guard self.environment.cookiesMayWait, let owner = self.owner else {
            return await cookies.receive(head, for: url, at: date)
        }
        await owner.inCancellableTask(of: scope, immediately: true) { _ throws(Never) in
            await cookies.receive(head, for: url, at: date)
        }
    }

    // MARK: - Beginning and end

    /// Counts an attempt and sets its deadlines.
    @inline(never)
    private func beginAttempt(_ call: WireCall, stopping scope: any StopScope) -> AttemptDeadlines? {
        // Closures that are handed on may leave the actor without the compiler saying so.
        self.owner?.assertIsolated()
        self.exchanges.attempts += 1
        self.exchanges.hasCutBody = false
        // Interceptors, hooks and challenges may have changed who asks, and so may what came while it waited.
        self.exchanges.identity?.note(call.identified)
        self.hooks.observe(.attemptStarted(self.exchanges.attempts), of: self.activity)
        return AttemptDeadlines(self.timeouts, self.environment, stopping: scope, of: self.lifeline)
    }

    @inline(never)
    private func makeContext(
        _ call: WireCall, _ deadlines: AttemptDeadlines?, in whole: any StopScope, stoppedBy scope: (any StopScope)?
    ) -> ExchangeContext {
        ExchangeContext(
            self.id, self.exchanges.attempts, self.nextDestination(), self.exchanges.reception.partial != nil,
            self.observer(of: self.activity, call, stopping: whole),
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
        self.hooks.observe(.requestHead(request), of: self.isNew(request) ? self.activity : nil)
        return request
    }

    /// Whether accessories have not seen this head.
    private func isNew(_ request: HTTPRequest) -> Bool {
        guard let asked = self.activity?.request else { return false }
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
        if let context = trace.mark(&request) { self.hooks.observe(.traced(context), of: self.activity) }
        return request
    }

    /// Gives back what an attempt held, now or with the end of its body, and looks at what came of it.
    @inline(never)
    private func endAttempt(
        _ call: WireCall, _ result: inout Result<HTTPResponse, ErrandError>, holding ticket: AdmissionMachine.Ticket,
        _ deadlines: AttemptDeadlines?, in scope: any StopScope
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
        self.hooks.observe(.attemptFailed(self.exchanges.attempts, self.complete(error)), of: self.activity)
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
    /// Does one exchange, and takes note of how long the server took, or that it has too much to do.
    @inline(never)
    private func exchangeAndLearn(
        _ call: WireCall, _ deadlines: AttemptDeadlines?, in scope: any StopScope,
        holding ticket: AdmissionMachine.Ticket
    ) async -> Result<HTTPResponse, ErrandError> {
        let began = self.environment.timebase.now
        let result = await self.exchange(call, deadlines, in: scope)
        self.learn(from: result, began, ticket, in: scope)
        return result
    }

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
        guard case .stream(let body) = received.body, !self.endpoint.validation.acceptsHead(of: received) else {
            return received
        }
        self.exchanges.hasCutBody = true
        var response = received
        response.body = .bytes(await body.beginning())
        return response
    }
}

extension ErrandError {
    package static func bodyTooLarge(limit: Int) -> ErrandError {
        ErrandError(.bodyTooLarge, "the response body is larger than the limit of \(limit) bytes")
    }
}
