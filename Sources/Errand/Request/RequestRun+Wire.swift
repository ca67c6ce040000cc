internal import ErrandMachines
internal import Foundation

/// How far a run got before it could go to the transport.
enum Approach {
    /// The cache answered; the response is at hand.
    case cached(age: Duration)
    /// It has a slot.
    case slot(AdmissionMachine.Ticket)
    /// It waits for a slot, without a task.
    case parked(AdmissionMachine.Ticket)
    /// It waits for a slot, with a task.
    case queued(AdmissionMachine.Ticket, Waiter<Void>)
    /// Interceptors are to be asked; they decide when a slot is needed.
    case interceptors([any Interceptor])
    /// There is nothing to go for.
    case failed(ErrandError)
}

/// The way of a request to its answer: cache, slot, interceptors, transport, validation, decoding.
///
/// Functions take little and return little: what a run knows is in its fields, so that a task that waits holds little.
extension RequestRun {
    private var timeouts: Timeouts { self.endpoint.timeouts ?? self.environment.timeouts }

    // MARK: - To the slot

    /// From here on the deadline of the whole request can end it: in its first hooks too.
    func setTotalDeadline() {
        guard let owner = self.owner, let limit = self.timeouts.total else { return }
        self.totalDeadline = self.environment.deadlines.set(
            limit, after: self.startedAt, stopping: owner, because: .totalTimedOut(limit))
    }

    func takeWay(isHosted: Bool) async -> Approach {
        guard let owner = self.owner, owner.stopReason == nil, let request = self.request else {
            return .failed(.cancelled())
        }
        if let lifetime = self.endpoint.caching.lifetime, let answer = await self.askCache(lifetime) { return answer }
        let interceptors = self.interceptors
        guard interceptors.isEmpty else { return .interceptors(interceptors) }
        return await self.enterQueue(request.url.authority, isHosted: isHosted, isInRecord: true)
    }

    var interceptors: [any Interceptor] {
        let own = self.endpoint.interceptors
        return own.isEmpty ? self.environment.interceptors : self.environment.interceptors + own
    }

    /// Asks for the slot of the only attempt, in the same visit as for a place in the record if it has none yet.
    func enterQueue(_ authority: String, isHosted: Bool, isInRecord: Bool) async -> Approach {
        guard let owner = self.owner else { return .failed(.cancelled()) }
        let (rank, waiter) = (self.rank(), isHosted ? nil : Waiter<Void>())
        let place =
            if isInRecord {
                await self.environment.scheduler.enter(host: authority, priority: rank, waking: waiter ?? owner)
            } else {
                await self.environment.record.insert(
                    owner, self.id, entering: authority, priority: rank, waking: waiter ?? owner)
            }
        switch place {
        case .slot(let ticket):
            return .slot(ticket)
        case .queue(let ticket):
            await self.beginWaiting(ticket, rank)
            return waiter.map { .queued(ticket, $0) } ?? .parked(ticket)
        }
    }

    // MARK: - To the answer

    func perform(_ approach: Approach) async -> RunOutcome {
        do throws(ErrandError) {
            let source = try await self.answer(approach)
            self.clearTotalDeadline()
            return .success(
                // The response is kept until the end for accessories and errors.
                Answer(
                    head: self.response?.head ?? HTTPResponseHead(status: 0), source: source,
                    timings: self.timings, attempts: self.attempts))
        } catch {
            self.clearTotalDeadline()
            return .failure(self.complete(error))
        }
    }

    private func clearTotalDeadline() {
        if let deadline = self.totalDeadline.take() { self.environment.deadlines.clear(deadline) }
    }

    /// Gets a response that the endpoint accepts, decodes it, and tells where it came from.
    private func answer(_ approach: Approach) async throws(ErrandError) -> ResponseSource {
        let source: ResponseSource
        switch approach {
        case .failed(let error):
            throw error
        case .cached(let age):
            source = .cache(age: age)
        case .slot(let ticket):
            guard self.owner?.stopReason == nil else {
                await self.environment.scheduler.giveBack(ticket)
                throw .cancelled()
            }
            self.response = try await self.attempt(holding: ticket)
            source = .network
        case .parked(let ticket):
            try await self.endWaiting(ticket, since: self.queuedAt, isAdmitted: self.owner?.stopReason == nil)
            self.response = try await self.attempt(holding: ticket)
            source = .network
        case .queued(let ticket, let waiter):
            let isAdmitted = await self.wait(waiter, ticket)
            try await self.endWaiting(ticket, since: self.queuedAt, isAdmitted: isAdmitted)
            self.response = try await self.attempt(holding: ticket)
            source = .network
        case .interceptors(let interceptors):
            guard let request = self.request else { throw .cancelled() }
            self.response = try await self.pass(request, through: interceptors[...])
            source = .network
        }
        guard let response = self.response else { throw .cancelled() }
        try self.endpoint.validation.check(response)
        try await self.owner?.decode(response)
        if !source.isCache, self.endpoint.caching.lifetime != nil { await self.fillCache() }
        return source
    }

    // MARK: - Cache

    private var cacheKey: CacheKey? {
        self.request.flatMap { CacheKey($0, scope: self.endpoint.caching.scope) }
    }

    private func askCache(_ lifetime: Duration) async -> Approach? {
        guard let cache = self.environment.cache, let key = self.cacheKey, let entry = await cache.entry(for: key)
        else { return nil }
        let seconds = self.environment.date().timeIntervalSince(entry.storedAt)
        // A clock that was moved back makes an entry look as if it came from the future: it counts as expired, as does
        // one that has no sensible age at all.
        guard seconds >= 0, seconds < 1e12, .seconds(seconds) <= lifetime else { return nil }
        // What this endpoint would not accept from the network it does not take from the cache either.
        guard (try? self.endpoint.validation.check(entry.response)) != nil else { return nil }
        let age = Duration.seconds(seconds)
        self.response = entry.response
        self.hooks.observe(.cacheHit(age: age), of: self.activity)
        return .cached(age: age)
    }

    private func fillCache() async {
        guard let cache = self.environment.cache, let key = self.cacheKey, let response = self.response else { return }
        await cache.store(CacheEntry(response: response, storedAt: self.environment.date()), for: key)
    }

    // MARK: - Interceptors

    /// Sends a request through the interceptors that are left, then to the transport.
    func pass(
        _ request: HTTPRequest, through interceptors: ArraySlice<any Interceptor>
    ) async throws(ErrandError) -> HTTPResponse {
        guard !self.isOver else {
            throw ErrandError(.interceptorFailed, "an interceptor sent on a request that was over")
        }
        guard let first = interceptors.first else {
            try request.validate()
            return try await self.attempt(request)
        }
        guard let owner = self.owner else { throw .cancelled() }
        let rest = interceptors.dropFirst()
        let next = InterceptorNext { request throws(ErrandError) in
            try await owner.pass(request, through: rest)
        }
        let context = InterceptorContext(
            requestID: self.id, endpoint: type(of: self.endpoint), tag: owner.options.tag)
        do {
            return try await first.intercept(request, context: context, next: next)
        } catch {
            throw ErrandError(wrapping: error, as: .interceptorFailed, "\(type(of: first)) failed")
        }
    }

    // MARK: - One attempt

    /// The only attempt there is: its deadline is one of the whole run, so the run itself is what it stops.
    private func attempt(
        holding ticket: AdmissionMachine.Ticket
    ) async throws(ErrandError) -> HTTPResponse {
        guard let owner = self.owner, let request = self.request else { throw .cancelled() }
        let context = self.beginAttempt()
        let deadline = self.timeouts.attempt.map { limit in
            self.environment.deadlines.set(
                limit, after: self.environment.timebase.now, stopping: owner, because: .attemptTimedOut(limit))
        }
        let result = await self.environment.transport.result(of: request, context)
        if let deadline { self.environment.deadlines.clear(deadline) }
        await self.environment.scheduler.giveBack(ticket)
        // Stopped by its deadline, the transport knows only that it was cancelled.
        return try self.endAttempt(context.attempt, result.mapError { owner.stopReason?.error ?? $0 })
    }

    /// One attempt of perhaps several: its deadline must end it and leave the run alive, so it has a task of its own.
    private func attempt(
        _ request: HTTPRequest
    ) async throws(ErrandError) -> HTTPResponse {
        let attempt = Attempt()
        self.openAttempts.append(attempt)
        defer { self.close(attempt) }
        let ticket = try await self.takeSlot(host: request.url.authority, attempt)
        let context = self.beginAttempt()
        let transport = self.environment.transport
        // Unstructured: a deadline must be able to cancel it alone. It is awaited right here.
        let task = spawn { attempt.lifeline.resolve(await transport.result(of: request, context)) }
        attempt.lifeline.attach(task)
        let deadline = self.timeouts.attempt.map { limit in
            self.environment.deadlines.set(
                limit, after: self.environment.timebase.now, stopping: attempt, because: .attemptTimedOut(limit))
        }
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            attempt.stop(.cancelled)
        }
        if let deadline { self.environment.deadlines.clear(deadline) }
        await self.environment.scheduler.giveBack(ticket)
        let error = attempt.lifeline.stopReason?.error ?? .cancelled()
        let result = attempt.lifeline.stopReason == nil ? attempt.lifeline.outcome : nil
        return try self.endAttempt(context.attempt, result ?? .failure(error))
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

    private func beginAttempt() -> ExchangeContext {
        self.attempts += 1
        self.hooks.observe(.attemptStarted(self.attempts), of: self.activity)
        let destination = BodyDestination.memory(limit: self.environment.bodyLimit)
        guard let activity = self.activity else {
            return ExchangeContext(requestID: self.id, attempt: self.attempts, destination: destination)
        }
        return ExchangeContext(
            requestID: self.id, attempt: self.attempts, destination: destination
        ) { [hooks] event in
            switch event {
            case .responseHead(let head): hooks.observe(.responseHead(head), of: activity)
            case .sent(let progress): hooks.observe(.sent(progress), of: activity)
            case .received(let progress): hooks.observe(.received(progress), of: activity)
            case .connected: hooks.observe(.connected, of: activity)
            case .finished(let metrics): hooks.observe(.exchangeFinished(metrics), of: activity)
            case .notice(let text): hooks.observe(.notice(text), of: activity)
            }
        }
    }

    private func endAttempt(
        _ number: Int, _ result: Result<HTTPResponse, ErrandError>
    ) throws(ErrandError) -> HTTPResponse {
        do throws(ErrandError) {
            let response = try result.get()
            guard response.data.count <= self.environment.bodyLimit else {
                throw ErrandError.bodyTooLarge(limit: self.environment.bodyLimit)
            }
            return response
        } catch {
            self.hooks.observe(.attemptFailed(number, self.complete(error)), of: self.activity)
            throw error
        }
    }
}

/// One attempt that can be stopped by itself.
final class Attempt: DeadlineTarget {
    let lifeline = Lifeline<Result<HTTPResponse, ErrandError>>()
    /// Wakes it while it waits for a slot.
    let waiter = Waiter<Void>()

    func stop(_ reason: StopReason) {
        self.lifeline.stop(reason)
        self.waiter.resume(())
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

extension ErrandError {
    package static func bodyTooLarge(limit: Int) -> ErrandError {
        ErrandError(.bodyTooLarge, "the response body is larger than the limit of \(limit) bytes")
    }
}
