internal import ErrandMachines

internal import struct Foundation.Data

/// The path of a request to its response: hooks, stages, slot, and wire, then validation and decoding.
///
/// Functions take and return little, and code that few requests need is in functions that are never inlined: a task
/// reserves space for everything its functions hold at once.
extension RequestRun {
    // MARK: - The deadline of the whole request

    /// Sets the deadline of the whole request, which covers its first hooks, too.
    func setTotalDeadline() {
        guard let limit = self.timeouts.total else { return }
        let deadline = Deadlines(
            Deadlines.Limits(whole: (limit, .totalTimedOut(limit))), since: self.startedAt, self.environment,
            of: self.lifeline)
        self.withJourney { $0.totalDeadline = deadline }
    }

    /// The time left for the whole request, or for the request that began a shared exchange; `nil` if it is not
    /// limited.
    var timeLeft: Duration? {
        if self.timeouts.total != nil, let totalDeadline = self.withJourney({ $0.totalDeadline }) {
            return totalDeadline.left
        }
        guard let due = self.options.due else { return nil }
        // The request that began the exchange has left by then. The others wait without that limit.
        let left = due - self.environment.timebase.now
        return left > .zero ? left : nil
    }

    func clearTotalDeadline() {
        if self.timeouts.total != nil { self.withJourney { $0.totalDeadline.take() }?.clear() }
    }

    // MARK: - To the response

    /// Obtains the response and its value, or the error.
    @inline(__always)
    func outcome(beginningWith first: AskedSlot?) async -> RunOutcome {
        do throws(ErrandError) {
            guard let first else { return .success(try await self.answerThroughStages()) }
            let ticket = try await self.slot(first, for: self.call.request.url.authority, in: self.lifeline)
            let response = try await self.process(try await self.send(holding: ticket))
            self.clearTotalDeadline()
            return .success(self.makeAnswer(response))
        } catch {
            self.clearTotalDeadline()
            return .failure(self.complete(error))
        }
    }

    /// Obtains the response of a run that begins with hooks or goes through stages.
    @inline(never)
    private func answerThroughStages() async throws(ErrandError) -> ResponseSummary {
        let received = try await self.receiveThroughStages()
        let cached = received.cached
        let response =
            cached?.isAccepted == true ? received.response : try await self.process(received.response)
        await cached?.commit?(response.status)
        self.noteLast(response)
        self.clearTotalDeadline()
        return self.makeAnswer(response, cached?.status)
    }

    /// Runs suspending hooks, a cache, and interceptors, which few requests need.
    @inline(never)
    private func receiveThroughStages() async throws(ErrandError) -> Received {
        await self.enter()
        guard self.lifeline.stopReason == nil else { throw .cancelled() }
        if let processing = self.call.processing { try await self.prepare(for: processing) }
        guard self.lifeline.stopReason == nil else { throw .cancelled() }
        guard !self.pipeline.stages.isEmpty else { return Received(try await self.send()) }
        let received = try await NextStages(self.pipeline).pass(self.request, self)
        // Responses to other calls of interceptors no longer count.
        self.calls?.close()
        return received
    }

    /// Lets an endpoint change the request before it is sent.
    ///
    /// - Throws: ``ErrandError`` if it must not be sent.
    @inline(never)
    private func prepare(for processing: any ProcessingEndpoint) async throws(ErrandError) {
        let prepared = try await processing.prepared(self.request, under: self.terms)
        self.withJourney { $0.request = prepared }
        self.lifeline.note(prepared.url)
    }

    // MARK: - From the response to the value

    /// Processes a response: validates it, moves its body to its destination, and decodes it.
    ///
    /// - Returns: The response as accepted by the endpoint.
    /// - Throws: ``ErrandError`` if the endpoint does not accept it.
    func process(_ received: HTTPResponse) async throws(ErrandError) -> HTTPResponse {
        let owner = self.noteLast(received)
        guard self.isQuickToProcess(received) else { return try await self.acceptInTask(received) }
        try await owner?.decode(received)
        return received
    }

    @inline(never)
    private func acceptInTask(_ received: HTTPResponse) async throws(ErrandError) -> HTTPResponse {
        try await self.inTask(of: self.lifeline, immediately: false) { () async throws(ErrandError) in
            try await self.accept(received)
        }
    }

    /// Processes a response that needs more than decoding.
    @inline(never)
    private func accept(_ received: HTTPResponse) async throws(ErrandError) -> HTTPResponse {
        var response = received
        if !self.needsOnlyDecoding(received) {
            if let processing = self.call.processing {
                response = try await processing.received(received, with: self.json)
                self.noteLast(response)
            }
            response = try await self.checked(response)
            response.origin = response.origin ?? received.origin
        }
        try await self.noteLast(response)?.decode(response)
        return response
    }

    /// Records a response for the context of errors.
    ///
    /// - Returns: The actor, which can decode the response.
    @discardableResult
    func noteLast(_ response: HTTPResponse?) -> (any RequestOwner)? {
        let (last, owner) = self.withJourney { journey in
            defer { journey.response = response }
            return (journey.response, journey.owner)
        }
        withExtendedLifetime(last) {}
        return owner
    }

    /// True if a response needs no user code except for decoding a small body.
    func isQuickToProcess(_ response: HTTPResponse) -> Bool {
        self.needsOnlyDecoding(response) && response.data.count <= HTTPResponse.smallBody
    }

    /// True if a response only needs to be decoded, without suspending, as for most endpoints.
    private func needsOnlyDecoding(_ response: HTTPResponse) -> Bool {
        guard !self.call.isProcessing, self.options.isInMemory else { return false }
        let validation = self.call.endpoint.validation
        return !validation.looksIntoContent && validation.acceptsHead(of: response)
    }

    /// Validates a response, and moves its body to its destination.
    ///
    /// - Throws: ``ErrandError`` if the response is not accepted, or if its body cannot be moved.
    private func checked(_ response: HTTPResponse) async throws(ErrandError) -> HTTPResponse {
        if let refusal = await self.refusal(of: response) {
            await self.keepBeginning(of: response)
            throw refusal
        }
        return try await self.place(response)
    }

    /// The error for a response that is not accepted; `nil` if it is.
    private func refusal(of response: HTTPResponse) async -> ErrandError? {
        let validation = self.call.endpoint.validation
        guard !validation.acceptsHead(of: response) || validation.looksIntoContent else { return nil }
        guard response.data.count > HTTPResponse.smallBody else { return self.call.endpoint.refusal(of: response) }
        return await self.call.endpoint.refusalOffActor(of: response)
    }
}
