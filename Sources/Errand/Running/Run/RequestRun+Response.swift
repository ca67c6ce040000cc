internal import ErrandMachines

internal import struct Foundation.Data

/// The way of a request to its response: hooks, stages, slot and wire, then validation and decoding.
///
/// Functions take little and return little, and what few requests need is in functions that are never inlined: a task
/// has room for all that its functions hold at once, and most tasks get by with little.
extension RequestRun {
    // MARK: - The deadline of the whole request

    /// From here on the deadline of the whole request can end it: in its first hooks too.
    func setTotalDeadline() {
        guard let limit = self.timeouts.total else { return }
        let deadline = Deadlines(
            Deadlines.Limits(whole: (limit, .totalTimedOut(limit))), since: self.startedAt, self.environment,
            of: self.lifeline)
        self.withJourney { $0.totalDeadline = deadline }
    }

    /// How much time is left of that, or was given to what it shares with others; `nil` where that is not limited.
    var timeLeft: Duration? {
        if self.timeouts.total != nil, let totalDeadline = self.withJourney({ $0.totalDeadline }) {
            return totalDeadline.left
        }
        guard let due = self.options.due else { return nil }
        // Who began it has left by then; others wait for as long as they like.
        let left = due - self.environment.timebase.now
        return left > .zero ? left : nil
    }

    func clearTotalDeadline() {
        if self.timeouts.total != nil { self.withJourney { $0.totalDeadline.take() }?.clear() }
    }

    // MARK: - To the response

    /// Gets a response and its value, or finds out why there is none.
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

    /// The same for a run that begins with its hooks, or goes through stages.
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

    /// What few requests need: hooks that may wait, a cache, interceptors.
    @inline(never)
    private func receiveThroughStages() async throws(ErrandError) -> Received {
        await self.enter()
        guard self.lifeline.stopReason == nil else { throw .cancelled() }
        if let processing = self.call.processing { try await self.prepare(for: processing) }
        guard self.lifeline.stopReason == nil else { throw .cancelled() }
        guard !self.pipeline.stages.isEmpty else { return Received(try await self.send()) }
        let received = try await NextStages(self.pipeline).pass(self.request, self)
        // What comes of other calls of interceptors from now on is not the response.
        self.calls?.close()
        return received
    }

    /// Lets an endpoint change the request that is about to be sent.
    ///
    /// - Throws: ``ErrandError`` when it must not be sent.
    @inline(never)
    private func prepare(for processing: any ProcessingEndpoint) async throws(ErrandError) {
        let prepared = try await processing.prepared(self.request, under: self.terms)
        self.withJourney { $0.request = prepared }
        self.lifeline.note(prepared.url)
    }

    // MARK: - From the response to the value

    /// Processes a response: checks it, brings its body to where it belongs, and decodes it.
    ///
    /// - Returns: The response as the endpoint accepts it.
    /// - Throws: ``ErrandError`` when it does not.
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

    /// Processes one with which there is more to do than to decode it.
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

    /// Notes a response for the context of errors.
    ///
    /// - Returns: The actor, which may be asked to decode it.
    @discardableResult
    func noteLast(_ response: HTTPResponse?) -> (any RequestOwner)? {
        let (last, owner) = self.withJourney { journey in
            defer { journey.response = response }
            return (journey.response, journey.owner)
        }
        withExtendedLifetime(last) {}
        return owner
    }

    /// Whether a response needs no code of others but the decoding of a small body.
    func isQuickToProcess(_ response: HTTPResponse) -> Bool {
        self.needsOnlyDecoding(response) && response.data.count <= HTTPResponse.smallBody
    }

    /// Whether there is nothing to do with a response but to decode it, as for most endpoints: nothing is waited for
    /// then.
    private func needsOnlyDecoding(_ response: HTTPResponse) -> Bool {
        guard !self.call.isProcessing, self.options.isInMemory else { return false }
        let validation = self.call.endpoint.validation
        return !validation.looksIntoContent && validation.acceptsHead(of: response)
    }

    /// Checks a response, and brings its body to where the endpoint wants it.
    ///
    /// - Throws: ``ErrandError`` when it is not accepted, or its body cannot be brought there.
    private func checked(_ response: HTTPResponse) async throws(ErrandError) -> HTTPResponse {
        if let refusal = await self.refusal(of: response) {
            await self.keepBeginning(of: response)
            throw refusal
        }
        return try await self.place(response)
    }

    /// Why a response is not accepted; `nil` if it is.
    private func refusal(of response: HTTPResponse) async -> ErrandError? {
        let validation = self.call.endpoint.validation
        guard !validation.acceptsHead(of: response) || validation.looksIntoContent else { return nil }
        guard response.data.count > HTTPResponse.smallBody else { return self.call.endpoint.refusal(of: response) }
        return await self.call.endpoint.refusalOffActor(of: response)
    }
}
