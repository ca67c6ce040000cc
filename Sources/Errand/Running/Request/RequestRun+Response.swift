internal import ErrandMachines

internal import struct Foundation.Data

/// The way of a request to its response: hooks, stages, slot and wire, then validation and decoding.
///
/// Functions take little and return little, and what few requests need is in functions that are never inlined: a task
/// has room for all that its functions hold at once, and most tasks get by with little.
extension RequestRun {
    var timeouts: Timeouts { self.options.timeouts }

    // MARK: - The deadline of the whole request

    /// From here on the deadline of the whole request can end it: in its first hooks too.
    func setTotalDeadline() {
        guard let limit = self.timeouts.total else { return }
        self.totalDeadline = RequestDeadline(
            limit, since: self.lifeline.startedAt, self.environment, stopping: self.lifeline,
            because: .totalTimedOut(limit))
    }

    /// How much time is left of that, or was given to what it shares with others; `nil` where that is not limited.
    var timeLeft: Duration? {
        if let totalDeadline { return totalDeadline.left }
        // Compared first: a cast of whatever it may be costs more.
        guard type(of: self.endpoint) == SharedCall.self, let due = (self.endpoint as? SharedCall)?.due else {
            return nil
        }
        // Who began it has left by then; others wait for as long as they like.
        let left = due - self.environment.timebase.now
        return left > .zero ? left : nil
    }

    func clearTotalDeadline() {
        self.totalDeadline.take()?.clear()
    }

    // MARK: - To the response

    /// Gets a response and its value, or finds out why there is none.
    @inline(__always)
    func outcome(beginningWith first: AskedSlot?) async -> RunOutcome {
        do throws(ErrandError) {
            let response = try await self.response(beginningWith: first)
            self.exchanges.response = response
            self.clearTotalDeadline()
            return .success(self.makeAnswer(response))
        } catch {
            self.clearTotalDeadline()
            return .failure(self.complete(error))
        }
    }

    @inline(__always)
    private func response(beginningWith first: AskedSlot?) async throws(ErrandError) -> HTTPResponse {
        guard let first, let authority = self.request?.url.authority else {
            return try await self.responseThroughStages()
        }
        let ticket = try await self.slot(first, for: authority, in: self.lifeline)
        return try await self.process(try await self.send(holding: ticket))
    }

    /// What few requests need: hooks that may wait, a cache, interceptors.
    @inline(never)
    private func responseThroughStages() async throws(ErrandError) -> HTTPResponse {
        try await self.enterThroughHooks()
        guard self.lifeline.stopReason == nil, let request = self.request else { throw .cancelled() }
        let isProcessed = self.stages.first?.processesResponses == true
        let response = try await NextStages().enter(request, self, looksAfterTask: isProcessed)
        return isProcessed ? response : try await self.process(response)
    }

    /// The hooks before anything is sent.
    private func enterThroughHooks() async throws(ErrandError) {
        guard let owner = self.owner, self.hooksMayWait else { return await self.enter() }
        try await owner.inCancellableTask(of: self.lifeline, immediately: true) { run throws(ErrandError) in
            await run.enter()
            guard run.lifeline.stopReason == nil else { throw .cancelled() }
            if let processing = run.processing { try await run.prepare(for: processing) }
        }
    }

    /// Lets an endpoint change the request that is about to be sent.
    ///
    /// - Throws: ``ErrandError`` when it must not be sent.
    @inline(never)
    private func prepare(for processing: any ProcessingEndpoint) async throws(ErrandError) {
        guard let request = self.request else { throw .cancelled() }
        let prepared = try await processing.prepared(request, under: self.terms)
        self.request = prepared
        self.lifeline.note(prepared.url)
    }

    // MARK: - From the response to the value

    /// Processes a response: checks it, brings its body to where it belongs, and decodes it.
    ///
    /// - Returns: The response as the endpoint accepts it.
    /// - Throws: ``ErrandError`` when it does not.
    func process(_ received: HTTPResponse) async throws(ErrandError) -> HTTPResponse {
        guard self.isQuickToProcess(received) else { return try await self.acceptInTask(received) }
        try await self.processQuickly(received)
        return received
    }

    /// Processes one that is quick to process: decodes it.
    ///
    /// - Throws: ``ErrandError`` when the endpoint cannot.
    func processQuickly(_ received: HTTPResponse) async throws(ErrandError) {
        self.exchanges.response = received
        try await self.owner?.decode(received)
    }

    @inline(never)
    private func acceptInTask(_ received: HTTPResponse) async throws(ErrandError) -> HTTPResponse {
        self.exchanges.response = received
        guard let owner = self.owner else { throw .cancelled() }
        return try await owner.inCancellableTask(of: self.lifeline, immediately: false) { run throws(ErrandError) in
            try await run.accept(received)
        }
    }

    /// Processes one with which there is more to do than to decode it.
    @inline(never)
    func accept(_ received: HTTPResponse) async throws(ErrandError) -> HTTPResponse {
        var response = received
        if !self.needsOnlyDecoding(received) {
            if let processing = self.processing {
                response = try await processing.received(received, with: self.json)
                self.exchanges.response = response
            }
            response = try await self.checked(response)
            response.origin = response.origin ?? received.origin
        }
        try await self.owner?.decode(response)
        return response
    }

    /// Whether a response needs no code of others but the decoding of a small body.
    func isQuickToProcess(_ response: HTTPResponse) -> Bool {
        self.needsOnlyDecoding(response) && response.data.count <= HTTPResponse.smallBody
    }

    /// Whether there is nothing to do with a response but to decode it, as for most endpoints: nothing is waited for
    /// then.
    private func needsOnlyDecoding(_ response: HTTPResponse) -> Bool {
        guard !self.isProcessing, self.options.isInMemory else { return false }
        let validation = self.endpoint.validation
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
        let validation = self.endpoint.validation
        guard !validation.acceptsHead(of: response) || validation.looksIntoContent else { return nil }
        guard response.data.count > HTTPResponse.smallBody else { return self.endpoint.refusal(of: response) }
        return await self.endpoint.refusalOffActor(of: response)
    }
}
