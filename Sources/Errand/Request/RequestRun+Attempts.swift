internal import ErrandMachines

/// How a request goes to the transport: attempts, each with a slot and with deadlines of its own.
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
        do throws(ErrandError) {
            // Only now: what waited before it may have brought cookies.
            let isPlain = !self.environment.addsToRequests && self.plan?.credentials == nil
            try call.willSend(isPlain ? nil : await self.dressed(call.request, in: scope))
        } catch {
            self.environment.admission.leave(ticket)
            self.note(call.arrivingFrom)
            throw error
        }
        let (context, deadlines) = self.beginAttempt(sending: call.sent, stopping: scope)
        var result = await self.result(of: self.traced(call.sent), context, scope)
        if self.environment.cookies != nil { await self.keepCookies(of: result, from: call.sent.url, in: scope) }
        // Stopped by its deadline, the transport knows only that it was cancelled.
        if let reason = scope.stopReason { result = .failure(reason.error) }
        call.lease = self.settle(&result, ticket, deadlines)
        // Whoever reads the body now is stopped by what was to stop the attempt.
        if call.lease != nil, scope !== self.lifeline { scope.setPending(self.lifeline) }
        return try self.endAttempt(context.attempt, result)
    }

    /// Does one exchange so that a stop ends it: by the handle that the transport gives, or in a task that is cancelled.
    private func result(
        of request: HTTPRequest, _ context: ExchangeContext, _ scope: any StopScope
    ) async -> Result<HTTPResponse, ErrandError> {
        guard let owner = self.owner else { return .failure(.cancelled()) }
        let transport = self.environment.transport
        guard transport.handlesStops, context.isWhollyInMemory(request) else {
            return await owner.inCancellableTask(of: scope, immediately: true) {
                await transport.result(of: request, context, for: $0.endpoint)
            }
        }
        defer { scope.setPending(nil) }
        return await transport.result(of: request, context.stopped(by: scope), for: self.endpoint)
    }

    // MARK: - Cookies and credentials

    /// Answers a request with the cookies and the credential of the client's.
    @inline(never)
    private func dressed(_ request: HTTPRequest, in scope: any StopScope) async -> HTTPRequest {
        guard self.environment.cookiesMayWait, let owner = self.owner else { return await self.dress(request) }
        return await owner.inCancellableTask(of: scope, immediately: true) { run throws(Never) in
            await run.dress(request)
        }
    }

    func dress(_ request: HTTPRequest) async -> HTTPRequest {
        await self.environment.dress(request, of: self.endpoint, with: self.plan, self.generation)
    }

    /// Keeps the cookies that a response sets; before its slot is given back, so that what waits for that has them.
    @inline(never)
    private func keepCookies(
        of result: Result<HTTPResponse, ErrandError>, from url: HTTPURL, in scope: any StopScope
    ) async {
        guard let cookies = self.environment.cookies, case .success(let response) = result else { return }
        let (head, date) = (response.head, self.environment.date())
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
    private func beginAttempt(
        sending request: HTTPRequest, stopping target: any Stoppable
    ) -> (ExchangeContext, AttemptDeadlines?) {
        self.attempts += 1
        // Interceptors, hooks and challenges may have changed who asks, and so may what came while it waited.
        self.identity?.note(request)
        self.hooks.observe(.attemptStarted(self.attempts), of: self.activity)
        let deadlines = AttemptDeadlines(self.timeouts, self.environment, stopping: target)
        let context = ExchangeContext(
            requestID: self.id, attempt: self.attempts, destination: self.nextDestination(),
            observer: self.observer(deadlines))
        return (context, deadlines)
    }

    /// Answers a request as a part of its trace, if it has one; what redirections are compared with is without it.
    private func traced(_ request: HTTPRequest) -> HTTPRequest {
        guard let trace = request.trace else { return request }
        var request = request
        if let context = trace.mark(&request) { self.hooks.observe(.traced(context), of: self.activity) }
        return request
    }

    /// Who is told about the events of an exchange; nothing when nobody listens, so that none is built.
    private func observer(_ deadlines: AttemptDeadlines?) -> (@Sendable (ExchangeEvent) -> Void)? {
        guard let deadlines, deadlines.dependOnEvents else {
            guard let activity = self.activity else { return nil }
            return { [hooks] in hooks.observe(ActivityEvent($0), of: activity) }
        }
        guard let activity = self.activity else { return { deadlines.observe($0) } }
        return { [hooks] event in
            deadlines.observe(event)
            hooks.observe(ActivityEvent(event), of: activity)
        }
    }

    @inline(never)
    private func endAttempt(
        _ number: Int, _ result: consuming Result<HTTPResponse, ErrandError>
    ) throws(ErrandError) -> HTTPResponse {
        let error: ErrandError
        switch consume result {
        case .success(let response) where response.data.count <= self.environment.bodyLimit: return response
        case .success: error = .bodyTooLarge(limit: self.environment.bodyLimit)
        case .failure(let failure): error = failure
        }
        self.hooks.observe(.attemptFailed(number, self.complete(error)), of: self.activity)
        throw error
    }
}

extension ActivityEvent {
    /// The event that accessories see for what a transport reports.
    fileprivate init(_ event: ExchangeEvent) {
        switch event {
        case .connected: self = .connected
        case .responseHead(let head): self = .responseHead(head)
        case .sent(let progress): self = .sent(progress)
        case .received(let progress): self = .received(progress)
        case .finished(let metrics): self = .exchangeFinished(metrics)
        case .notice(let text): self = .notice(text)
        }
    }
}

extension Transport {
    /// Does one exchange; of a stream that is not accepted it receives no more than an error keeps.
    ///
    /// So nothing holds a slot while interceptors, authenticators and redirect policies think about such a response.
    /// Nothing is sent of a request whose body was read before and cannot be read again.
    fileprivate func result(
        of request: HTTPRequest, _ context: ExchangeContext, for endpoint: any Endpoint
    ) async -> Result<HTTPResponse, ErrandError> {
        do throws(ErrandError) {
            if case .stream(let body, _) = request.body, body.isUsedUp { throw .bodyAlreadyRead }
            var response = try await self.exchange(request, context)
            if case .stream = response.body { await response.cutUnlessAccepted(by: endpoint.validation) }
            return .success(response)
        } catch {
            return .failure(error)
        }
    }
}

extension HTTPResponse {
    @inline(never)
    fileprivate mutating func cutUnlessAccepted(by validation: ResponseValidation) async {
        guard case .stream(let body) = self.body, !validation.acceptsHead(of: self) else { return }
        self.body = .bytes(await body.beginning())
    }
}

extension ErrandError {
    package static func bodyTooLarge(limit: Int) -> ErrandError {
        ErrandError(.bodyTooLarge, "the response body is larger than the limit of \(limit) bytes")
    }
}
