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
/// What few requests need is in functions that are never inlined: a task has room for all that its functions hold at
/// once, and most tasks get by with little.
extension RequestRun {
    var timeouts: Timeouts {
        if case .own(let timeouts) = self.endpoint.timeouts { timeouts } else { self.environment.timeouts }
    }

    // MARK: - To the slot

    /// From here on the deadline of the whole request can end it: in its first hooks too.
    func setTotalDeadline() {
        guard let owner = self.owner, let limit = self.timeouts.total else { return }
        self.totalDeadline = self.environment.deadlines.set(
            limit, after: self.startedAt, stopping: owner, because: .totalTimedOut(limit))
    }

    func takeWay(isHosted: Bool) async -> Approach {
        guard let owner = self.owner, owner.stopReason == nil else { return .failed(.cancelled()) }
        if let processing = self.endpoint.processing, let error = await self.prepare(for: processing) {
            return .failed(error)
        }
        if self.asksCache {
            if let answer = await self.askCache() { return answer }
            self.removalWatch = self.cachePlace?.watchRemovals()
        }
        let interceptors = self.interceptors
        guard interceptors.isEmpty else { return .interceptors(interceptors) }
        guard let request = self.request else { return .failed(.cancelled()) }
        return self.enterQueue(request.url.authority, isHosted: isHosted)
    }

    var interceptors: [any Interceptor] {
        let own = self.endpoint.interceptors
        return own.isEmpty ? self.environment.interceptors : self.environment.interceptors + own
    }

    /// Asks for the slot of the only attempt.
    func enterQueue(_ authority: String, isHosted: Bool) -> Approach {
        guard let owner = self.owner else { return .failed(.cancelled()) }
        var waiter: Waiter<Void>?
        func makeWakeable() -> any Wakeable {
            guard !isHosted else { return owner }
            let own = Waiter<Void>()
            waiter = own
            return own
        }
        switch self.environment.admission.enter(host: authority, priority: self.rank(), waking: makeWakeable()) {
        case .slot(let ticket):
            return .slot(ticket)
        case .queue(let ticket):
            self.beginWaiting(ticket)
            return waiter.map { .queued(ticket, $0) } ?? .parked(ticket)
        }
    }

    // MARK: - To the answer

    func perform(_ approach: Approach) async -> RunOutcome {
        do throws(ErrandError) {
            let source = try await self.answer(approach)
            self.clearTotalDeadline()
            return .success(self.makeAnswer(source))
        } catch {
            self.clearTotalDeadline()
            return .failure(self.complete(error))
        }
    }

    func clearTotalDeadline() {
        if let deadline = self.totalDeadline.take() { self.environment.deadlines.clear(deadline) }
    }

    /// Gets a response that the endpoint accepts, decodes it, and tells where it came from.
    private func answer(_ approach: Approach) async throws(ErrandError) -> ResponseSource {
        switch approach {
        case .failed(let error):
            throw error
        case .cached(let age):
            // Its value is there already.
            return .cache(age: age)
        case .slot(let ticket):
            if self.owner?.stopReason != nil { try self.decline(ticket) }
            self.response = try await self.exchange(holding: ticket)
        case .parked(let ticket):
            try self.endWaiting(ticket, since: self.queuedAt, isAdmitted: self.owner?.stopReason == nil)
            self.response = try await self.exchange(holding: ticket)
        case .queued(let ticket, let waiter):
            self.owner?.setPending(waiter)
            let isAdmitted = await self.wait(waiter, ticket) && self.owner?.stopReason == nil
            self.owner?.setPending(nil)
            try self.endWaiting(ticket, since: self.queuedAt, isAdmitted: isAdmitted)
            self.response = try await self.exchange(holding: ticket)
        case .interceptors(let interceptors):
            try await self.owner?.inCancellableTask(immediately: false) { run throws(ErrandError) in
                try await run.passFirst(through: interceptors)
            }
        }
        if let response = self.response, self.cachePlace == nil, self.isAccepted(response),
            response.data.count <= HTTPResponse.smallBody
        {
            try await self.owner?.decode(response)
        } else {
            try await self.owner?.inCancellableTask(immediately: false) { run throws(ErrandError) in
                try await run.takeIn()
            }
        }
        return .network
    }

    /// Gives back a slot that came too late.
    @inline(never)
    private func decline(_ ticket: AdmissionMachine.Ticket) throws(ErrandError) {
        self.environment.admission.leave(ticket)
        throw .cancelled()
    }

    @inline(never)
    private func passFirst(through interceptors: [any Interceptor]) async throws(ErrandError) {
        guard let request = self.request else { throw .cancelled() }
        let response = try await self.pass(request, through: interceptors[...])
        // What comes of the other calls from now on is not the answer.
        self.isOver = true
        // One that an interceptor made itself counts as that of the last call that brought one.
        self.wireCall = self.answeredCalls.first { $0.brought(response) } ?? self.answeredCalls.last
        self.answeredCalls = []
        self.response = response
    }

    /// Takes in a response with which there is more to do than to decode it.
    @inline(never)
    private func takeIn() async throws(ErrandError) {
        guard let received = self.response else { throw .cancelled() }
        let response = self.isAccepted(received) ? received : try await self.accept(try await self.process(received))
        try await self.owner?.decode(response)
        if self.cachePlace != nil { await self.fillCache(received, acceptedAs: response.status) }
    }

    // MARK: - Interceptors

    /// Sends a request through the interceptors that are left, then to the transport.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - interceptors: Those that are left.
    ///   - isAnother: Whether the last interceptor has made another one of it, and the key of a cache does not say so.
    /// - Returns: The response.
    /// - Throws: ``ErrandError`` when there is none.
    func pass(
        _ request: HTTPRequest, through interceptors: ArraySlice<any Interceptor>, isAnother: Bool = false
    ) async throws(ErrandError) -> HTTPResponse {
        guard !self.isOver else {
            throw ErrandError(.interceptorFailed, "an interceptor sent on a request that was over")
        }
        if isAnother, self.cachePlace?.hasScope == false { self.isSentAsAnother = true }
        guard let first = interceptors.first else {
            guard let plan = self.plan, let url = self.request?.url else { throw .cancelled() }
            let request = try plan.checked(request, of: self.endpoint, insteadOf: url)
            self.endEarlierBodies()
            if let place = self.cachePlace, !place.belongs(to: request, madeOf: self.request) {
                self.isSentAsAnother = true
            }
            let call = WireCall(request)
            self.wireCall = call
            var response = try await self.perform(call)
            call.mark(&response)
            self.answeredCalls.removeAll { !$0.isAnswerHeld }
            self.answeredCalls.append(call)
            return response
        }
        guard let owner = self.owner else { throw .cancelled() }
        let rest = interceptors.dropFirst()
        let next = InterceptorNext { [url = request.url] request throws(ErrandError) in
            try await owner.pass(request, through: rest, isAnother: request.url != url && !first.hasOwnCachePartition)
        }
        let context = InterceptorContext(
            requestID: self.id, endpoint: self.endpoint, options: owner.options, attempt: self.attempts + 1)
        do {
            return try await first.intercept(request, context: context, next: next)
        } catch {
            throw ErrandError(wrapping: error, as: .interceptorFailed, "\(type(of: first)) failed")
        }
    }
}
