internal import ErrandMachines
internal import Foundation

/// How far a run got before it could go to the transport.
enum Approach {
    /// The cache answered; the response is at hand.
    case cached(age: Duration)
    /// It has a slot.
    case slot(AdmissionMachine.Ticket)
    /// It waits for a slot, in this task.
    case queued(AdmissionMachine.Ticket, Waiter<Void>)
    /// It waits for a slot, and its host for that.
    case parked(AdmissionMachine.Ticket, ParkedRun)
    /// It has waited for a slot like that; it has one unless it has to stop.
    case woken(AdmissionMachine.Ticket)
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
        guard let limit = self.timeouts.total else { return }
        self.totalDeadline = self.environment.deadlines.set(
            limit, after: self.lifeline.startedAt, stopping: self.lifeline, because: .totalTimedOut(limit))
    }

    func takeWay(on host: RunHost?) async -> Approach {
        guard self.lifeline.stopReason == nil else { return .failed(.cancelled()) }
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
        return self.enterQueue(request.url.authority, host)
    }

    var interceptors: [any Interceptor] {
        let own = self.endpoint.interceptors
        return own.isEmpty ? self.environment.interceptors : self.environment.interceptors + own
    }

    /// Asks for the slot of the first exchange.
    func enterQueue(_ authority: String, _ host: RunHost?) -> Approach {
        var queued: (AdmissionMachine.Ticket) -> Approach = { .woken($0) }
        func makeWakeable() -> any Wakeable {
            if let host, let owner = self.owner {
                let parked = ParkedRun(owner, on: host)
                queued = { .parked($0, parked) }
                return parked
            }
            let waiter = Waiter<Void>()
            queued = { .queued($0, waiter) }
            return waiter
        }
        switch self.environment.admission.enter(host: authority, priority: self.rank(), waking: makeWakeable()) {
        case .slot(let ticket):
            return .slot(ticket)
        case .queue(let ticket):
            self.beginWaiting(ticket)
            return queued(ticket)
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
            try await self.send(holding: ticket)
        case .woken(let ticket):
            try self.endWaiting(ticket, since: self.queuedAt, in: self.lifeline)
            try await self.send(holding: ticket)
        case .parked(let ticket, _):
            // Goes on as woken.
            self.environment.admission.leave(ticket)
            throw .cancelled()
        case .queued(let ticket, let waiter):
            try await self.wait(waiter, ticket, since: self.queuedAt, in: self.lifeline)
            try await self.send(holding: ticket)
        case .interceptors(let interceptors):
            try await self.owner?.inCancellableTask(of: self.lifeline, immediately: false) { run throws(ErrandError) in
                try await run.passFirst(through: interceptors)
            }
        }
        if let response = self.response, self.cachePlace == nil, self.isAccepted(response),
            response.data.count <= HTTPResponse.smallBody
        {
            try await self.owner?.decode(response)
        } else {
            try await self.owner?.inCancellableTask(of: self.lifeline, immediately: false) { run throws(ErrandError) in
                try await run.takeIn()
            }
        }
        return .network
    }

    /// Sends the request as it is, where there are no interceptors.
    private func send(holding ticket: AdmissionMachine.Ticket) async throws(ErrandError) {
        guard let request = self.request, self.lifeline.stopReason == nil else {
            self.environment.admission.leave(ticket)
            throw .cancelled()
        }
        let call = WireCall(request)
        self.wireCall = call
        self.response = try await self.perform(call, in: self.lifeline, holding: ticket)
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
            var response = try await self.performApart(call)
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
