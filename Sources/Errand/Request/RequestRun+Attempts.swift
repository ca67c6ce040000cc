internal import ErrandLocks
internal import ErrandMachines

/// How a request goes to the transport: attempts, each with a slot and with deadlines of its own.
extension RequestRun {
    // MARK: - The only attempt

    /// Most often there is one attempt: its deadlines are those of the whole run, so the run itself is what they stop.
    func exchange(holding ticket: AdmissionMachine.Ticket) async throws(ErrandError) -> HTTPResponse {
        guard let owner = self.owner else { throw .cancelled() }
        if self.environment.cookiesMayWait {
            await owner.inCancellableTask(immediately: true) { run throws(Never) in await run.dressOnly() }
        } else if self.environment.addsToRequests || self.plan?.credentials != nil {
            await self.dressOnly()
        }
        guard let request = self.wireCall?.sent ?? self.request else { throw .cancelled() }
        let (context, deadlines) = self.beginAttempt(sending: request, stopping: owner)
        var result = await self.result(of: request, context, owner)
        if self.environment.cookiesMayWait {
            let received = result
            await owner.inCancellableTask(immediately: true) { run throws(Never) in
                await run.keepCookies(of: received, from: request.url)
            }
        } else if self.environment.cookies != nil {
            await self.keepCookies(of: result, from: request.url)
        }
        let lease = self.settle(&result, ticket, deadlines)
        // Stopped by its deadline, the transport knows only that it was cancelled.
        let response = try self.endAttempt(context.attempt, result.mapError { owner.stopReason?.error ?? $0 })
        guard response.status.mayLeadOn else { return response }
        return try await owner.inCancellableTask(immediately: false) { run throws(ErrandError) in
            try await run.carryOn(from: response, lease)
        }
    }

    /// Does one exchange so that a stop ends it: by the handle that the transport gives, or in a task that is cancelled.
    private func result(
        of request: HTTPRequest, _ context: ExchangeContext, _ owner: any RequestOwner
    ) async -> Result<HTTPResponse, ErrandError> {
        let transport = self.environment.transport
        guard transport.handlesStops, context.isWhollyInMemory(request) else {
            return await owner.inCancellableTask(immediately: true) {
                await transport.result(of: request, context, for: $0.endpoint)
            }
        }
        defer { owner.setPending(nil) }
        return await transport.result(of: request, context.stopped(by: owner), for: self.endpoint)
    }

    @inline(never)
    private func dressOnly() async {
        guard let request = self.request else { return }
        let call = WireCall(request)
        call.sent = await self.dress(request)
        self.wireCall = call
    }

    /// Answers a request with the cookies and the credential of the client's.
    func dress(_ request: HTTPRequest) async -> HTTPRequest {
        await self.environment.dress(request, of: self.endpoint, with: self.plan, self.generation)
    }

    // MARK: - One of several

    /// One attempt of perhaps several: a deadline must end it and leave the run alive, so it has a task of its own.
    func attempt(_ call: WireCall) async throws(ErrandError) -> HTTPResponse {
        let attempt = Attempt()
        self.openAttempts.append(attempt)
        defer { self.close(attempt) }
        let ticket = try await self.takeSlot(host: call.request.url.authority, attempt)
        do throws(ErrandError) {
            // Only now: what waited before it may have brought cookies.
            try call.willSend(await self.dress(call.request))
        } catch {
            self.environment.admission.leave(ticket)
            self.note(call.arrivingFrom)
            throw error
        }
        let (context, deadlines) = self.beginAttempt(sending: call.sent, stopping: attempt)
        await self.exchange(self.traced(call.sent), context, attempt)
        let error = attempt.lifeline.stopReason?.error ?? .cancelled()
        var result = (attempt.lifeline.stopReason == nil ? attempt.lifeline.outcome : nil) ?? .failure(error)
        await self.keepCookies(of: result, from: call.sent.url)
        call.lease = self.settle(&result, ticket, deadlines)
        if call.lease != nil, let owner = self.owner { attempt.passStops(to: owner) }
        return try self.endAttempt(context.attempt, result)
    }

    private func exchange(_ request: HTTPRequest, _ context: ExchangeContext, _ attempt: Attempt) async {
        let (transport, endpoint) = (self.environment.transport, self.endpoint)
        // Unstructured: a deadline must be able to cancel it alone. It is awaited right here.
        let task = spawn { attempt.lifeline.resolve(await transport.result(of: request, context, for: endpoint)) }
        attempt.lifeline.attach(task)
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            attempt.stop(.cancelled)
        }
    }

    /// Ends what an interceptor sent on and did not wait for: a request that is over has nothing on the way.
    func endStrayAttempts() async {
        self.isOver = true
        guard !self.openAttempts.isEmpty else { return }
        let ended = Waiter<Void>()
        self.lastAttemptEnded = ended
        for attempt in self.openAttempts { attempt.stop(.cancelled) }
        _ = await ended.waitThroughCancellation()
    }

    private func close(_ attempt: Attempt) {
        self.openAttempts.removeAll { $0 === attempt }
        if self.openAttempts.isEmpty { self.lastAttemptEnded?.resume(()) }
    }

    // MARK: - Beginning and end

    /// Counts an attempt and sets its deadlines.
    @inline(never)
    private func beginAttempt(
        sending request: HTTPRequest, stopping target: any Stoppable
    ) -> (ExchangeContext, AttemptDeadlines?) {
        self.attempts += 1
        // Interceptors, hooks and challenges may have changed who asks, and so may what came while it waited.
        if let place = self.cachePlace, !place.belongs(to: request) { self.isSentAsAnother = true }
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

/// One attempt that can be stopped by itself.
final class Attempt: Stoppable {
    let lifeline = Lifeline<Result<HTTPResponse, ErrandError>>()
    /// Wakes it while it waits for a slot.
    let waiter = Waiter<Void>()
    private let passing = Locked(Passing())

    private struct Passing {
        /// What is stopped in its place once its body is being read: there is no other attempt any more.
        var reader: (any Stoppable)?
        /// The deadline that passed first.
        var reason: StopReason?
    }

    func stop(_ reason: StopReason) {
        self.lifeline.stop(reason)
        self.waiter.resume(())
        let reader = self.passing.withLock { passing in
            // An attempt is cancelled alone when an interceptor has no use for it; who reads another one goes on.
            if reason != .cancelled { passing.reason = passing.reason ?? reason }
            return passing.reader
        }
        reader?.stop(reason)
    }

    /// From now on stops another one too; a deadline that passed after the exchange and before this reaches it now.
    func passStops(to reader: any Stoppable) {
        let reason = self.passing.withLock { passing in
            passing.reader = reader
            return passing.reason
        }
        if let reason { reader.stop(reason) }
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
