internal import ErrandMachines
internal import Foundation

/// The way of a request to its answer: cache, slot, interceptors, transport, validation, decoding.
extension Request {
    func perform(_ request: HTTPRequest) async -> Outcome<Value> {
        let timeouts = self.endpoint.timeouts ?? self.environment.timeouts
        let deadline = timeouts.total.map { limit in
            self.environment.deadlines.set(
                self.run.startedAt + limit, stopping: self, because: .totalTimedOut(limit))
        }
        defer { deadline.map(self.environment.deadlines.clear) }
        do throws(ErrandError) {
            guard !Task.isCancelled else { throw ErrandError.cancelled() }
            let (response, source) = try await self.answer(to: request, timeouts: timeouts)
            let value = try await self.decode(response)
            return .success(
                TypedResponse(
                    value: value, head: response.head, source: source, timings: self.timings,
                    attempts: self.run.attempts, requestID: self.id))
        } catch {
            return .failure(self.complete(error))
        }
    }

    // MARK: - Cache or network

    private func answer(
        to request: HTTPRequest, timeouts: Timeouts
    ) async throws(ErrandError) -> (HTTPResponse, ResponseSource) {
        guard let lifetime = self.endpoint.caching.lifetime, let cache = self.environment.cache,
            let key = CacheKey(request)
        else { return (try await self.network(request, timeouts), .network) }
        if let entry = await cache.entry(for: key) {
            let age = self.age(of: entry)
            // A clock that was moved back makes an entry look as if it came from the future: it counts as expired.
            if age >= .zero, age <= lifetime {
                self.run.response = entry.response
                self.hooks.observe(.cacheHit(age: age), of: self.run.activity)
                try self.endpoint.validation.check(entry.response)
                return (entry.response, .cache(age: age))
            }
        }
        let response = try await self.network(request, timeouts)
        await cache.store(CacheEntry(response: response, storedAt: self.environment.date()), for: key)
        return (response, .network)
    }

    private func age(of entry: CacheEntry) -> Duration {
        .seconds(self.environment.date().timeIntervalSince(entry.storedAt))
    }

    private func network(_ request: HTTPRequest, _ timeouts: Timeouts) async throws(ErrandError) -> HTTPResponse {
        let own = self.endpoint.interceptors
        let interceptors = own.isEmpty ? self.environment.interceptors : self.environment.interceptors + own
        let response: HTTPResponse
        if interceptors.isEmpty {
            response = try await self.attempt(request, timeouts.attempt, isOnly: true)
        } else {
            let context = InterceptorContext(requestID: self.id, endpoint: E.self, tag: self.tag)
            response = try await self.pass(request, through: interceptors[...], context, timeouts.attempt)
        }
        self.run.response = response
        try self.endpoint.validation.check(response)
        return response
    }

    private func pass(
        _ request: HTTPRequest, through interceptors: ArraySlice<any Interceptor>, _ context: InterceptorContext,
        _ limit: Duration?
    ) async throws(ErrandError) -> HTTPResponse {
        guard let first = interceptors.first else {
            try request.validate()
            return try await self.attempt(request, limit, isOnly: false)
        }
        let rest = interceptors.dropFirst()
        let next = InterceptorNext { [self] request throws(ErrandError) in
            try await self.pass(request, through: rest, context, limit)
        }
        do {
            return try await first.intercept(request, context: context, next: next)
        } catch {
            throw ErrandError(wrapping: error, as: .interceptorFailed, "\(type(of: first)) failed")
        }
    }

    // MARK: - One attempt

    /// Takes a slot, goes to the transport, gives the slot back.
    private func attempt(
        _ request: HTTPRequest, _ limit: Duration?, isOnly: Bool
    ) async throws(ErrandError) -> HTTPResponse {
        let ticket = try await self.takeSlot(host: request.url.authority)
        self.run.attempts += 1
        let number = self.run.attempts
        self.hooks.observe(.attemptStarted(number), of: self.run.activity)
        let context = self.makeContext(attempt: number)
        let result =
            isOnly
            ? await self.exchange(request, context, limit)
            : await self.exchangeAlone(request, context, limit)
        await self.environment.scheduler.leave(ticket)
        switch result {
        case .success(let response):
            guard response.data.count <= self.environment.bodyLimit else {
                throw .bodyTooLarge(limit: self.environment.bodyLimit)
            }
            return response
        case .failure(let error):
            self.hooks.observe(.attemptFailed(number, self.complete(error)), of: self.run.activity)
            throw error
        }
    }

    /// The only attempt there is: its deadline is one of the whole run, so the run itself is what it stops.
    private func exchange(
        _ request: HTTPRequest, _ context: ExchangeContext, _ limit: Duration?
    ) async -> Result<HTTPResponse, ErrandError> {
        let deadline = limit.map { limit in
            self.environment.deadlines.set(
                self.environment.timebase.now + limit, stopping: self, because: .attemptTimedOut(limit))
        }
        defer { deadline.map(self.environment.deadlines.clear) }
        return await self.environment.transport.result(of: request, context)
    }

    /// One attempt of perhaps several: its deadline must end it and leave the run alive, so it has a task of its own.
    private func exchangeAlone(
        _ request: HTTPRequest, _ context: ExchangeContext, _ limit: Duration?
    ) async -> Result<HTTPResponse, ErrandError> {
        let attempt = Attempt()
        let transport = self.environment.transport
        // Unstructured: a deadline must be able to cancel it alone. It is awaited right here.
        let task = spawn { await transport.result(of: request, context) }
        attempt.lifeline.attach(task)
        let deadline = limit.map { limit in
            self.environment.deadlines.set(
                self.environment.timebase.now + limit, stopping: attempt, because: .attemptTimedOut(limit))
        }
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            attempt.stop(.cancelled)
        }
        deadline.map(self.environment.deadlines.clear)
        if let reason = attempt.lifeline.stopReason { return .failure(reason.error) }
        return result
    }

    private func makeContext(attempt: Int) -> ExchangeContext {
        let destination = BodyDestination.memory(limit: self.environment.bodyLimit)
        guard let activity = self.run.activity else {
            return ExchangeContext(requestID: self.id, attempt: attempt, destination: destination)
        }
        return ExchangeContext(requestID: self.id, attempt: attempt, destination: destination) { [hooks] event in
            switch event {
            case .responseHead(let head): hooks.observe(.responseHead(head), of: activity)
            case .sent(let progress): hooks.observe(.sent(progress), of: activity)
            case .received(let progress): hooks.observe(.received(progress), of: activity)
            }
        }
    }

    // MARK: - Slots

    private func takeSlot(host: String) async throws(ErrandError) -> AdmissionMachine.Ticket {
        guard !Task.isCancelled else { throw .cancelled() }
        let scheduler = self.environment.scheduler
        let priority = self.run.priority ?? self.options.priority ?? self.endpoint.priority
        switch await scheduler.enter(host: host, priority: priority) {
        case .slot(let ticket):
            return ticket
        case .queue(let ticket, let waiter):
            let queuedAt = self.environment.timebase.now
            self.hooks.observe(.queued, of: self.run.activity)
            self.run.waitingTicket = ticket
            let isAdmitted = await self.wait(waiter, ticket)
            self.run.waitingTicket = nil
            let waited = self.environment.timebase.now - queuedAt
            self.run.queueTime += waited
            guard isAdmitted else {
                await scheduler.leave(ticket)
                throw .cancelled()
            }
            self.hooks.observe(.admitted(waited: waited), of: self.run.activity)
            return ticket
        }
    }

    /// Waits for a slot; a task that is escalated meanwhile takes its ticket along.
    private func wait(_ waiter: Waiter<Void>, _ ticket: AdmissionMachine.Ticket) async -> Bool {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else {
            return await waiter.wait() != nil
        }
        let scheduler = self.environment.scheduler
        return await withTaskPriorityEscalationHandler {
            await waiter.wait() != nil
        } onPriorityEscalated: { _, priority in
            // Unstructured: the handler cannot wait. Ends with that one call; a late one does nothing.
            _ = spawn { await scheduler.raise(ticket, to: RequestPriority(priority)) }
        }
    }

    // MARK: - Decoding

    private func decode(_ response: HTTPResponse) async throws(ErrandError) -> Value {
        // Up to this size decoding takes well under a millisecond: not worth leaving the actor for.
        if response.data.count <= 64 << 10 { return try self.endpoint.value(from: response) }
        return try await self.endpoint.valueOffActor(from: response)
    }
}

/// One attempt that can be stopped by itself.
private final class Attempt: DeadlineTarget {
    let lifeline = Lifeline<Result<HTTPResponse, ErrandError>>()

    func stop(_ reason: StopReason) {
        self.lifeline.stop(reason)
    }
}

extension Transport {
    fileprivate func result(
        of request: HTTPRequest, _ context: ExchangeContext
    ) async -> Result<HTTPResponse, ErrandError> {
        do {
            return .success(try await self.exchange(request, context))
        } catch {
            return .failure(error)
        }
    }
}

extension Endpoint {
    fileprivate func value(from response: HTTPResponse) throws(ErrandError) -> Response {
        do {
            return try self.decoder.decode(response)
        } catch {
            throw ErrandError(wrapping: error, as: .decodingFailed, "the body could not be decoded")
        }
    }

    @concurrent
    fileprivate func valueOffActor(from response: HTTPResponse) async throws(ErrandError) -> Response {
        try self.value(from: response)
    }
}

extension ErrandError {
    package static func bodyTooLarge(limit: Int) -> ErrandError {
        ErrandError(.bodyTooLarge, "the response body is larger than the limit of \(limit) bytes")
    }
}
