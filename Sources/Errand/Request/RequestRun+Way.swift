internal import ErrandMachines

/// The way of a request to its answer: slot, transport, validation, decoding, and round them the stages that it has.
///
/// Functions take little and return little, and what few requests need is in functions that are never inlined: a task
/// has room for all that its functions hold at once, and most tasks get by with little.
extension RequestRun {
    var timeouts: Timeouts {
        if case .own(let timeouts) = self.endpoint.timeouts { timeouts } else { self.environment.timeouts }
    }

    // MARK: - The deadline of all

    /// From here on the deadline of the whole request can end it: in its first hooks too.
    func setTotalDeadline() {
        guard let limit = self.timeouts.total else { return }
        self.totalDeadline = self.environment.deadlines.set(
            limit, after: self.lifeline.startedAt, stopping: self.lifeline, because: .totalTimedOut(limit))
    }

    func clearTotalDeadline() {
        if let deadline = self.totalDeadline.take() { self.environment.deadlines.clear(deadline) }
    }

    // MARK: - To the answer

    /// Gets an answer and its value, or finds out why there is none.
    func outcome(beginningWith first: AskedSlot?) async -> RunOutcome {
        do throws(ErrandError) {
            let response = try await self.answer(beginningWith: first)
            self.response = response
            self.clearTotalDeadline()
            return .success(self.makeAnswer(response))
        } catch {
            self.clearTotalDeadline()
            return .failure(self.complete(error))
        }
    }

    private func answer(beginningWith first: AskedSlot?) async throws(ErrandError) -> HTTPResponse {
        guard let first else { return try await self.answerThroughStages() }
        let ticket = try await self.slot(first, in: self.lifeline)
        guard let request = self.request else { throw .cancelled() }
        return try await self.takeIn(try await self.send(request, holding: ticket))
    }

    /// What few requests need: hooks that may wait, a cache, interceptors.
    @inline(never)
    private func answerThroughStages() async throws(ErrandError) -> HTTPResponse {
        try await self.approach()
        guard self.lifeline.stopReason == nil, let request = self.request else { throw .cancelled() }
        let stages = NextStages(self.stages)
        // The cache takes in itself what it lets through: it has to know whether that was accepted.
        return self.asksCache
            ? try await stages.pass(request, self) : try await self.takeIn(try await stages.enter(request, self))
    }

    /// The hooks before anything is sent.
    private func approach() async throws(ErrandError) {
        guard let owner = self.owner, self.hooksMayWait else { return await self.enter() }
        try await owner.inCancellableTask(of: self.lifeline, immediately: true) { run throws(ErrandError) in
            await run.enter()
            guard run.lifeline.stopReason == nil else { throw .cancelled() }
            if let processing = run.endpoint.processing { try await run.prepare(for: processing) }
        }
    }

    // MARK: - Taking in

    /// Takes in a response: checks it, brings its body to where it belongs, and decodes it.
    ///
    /// - Returns: The response as the endpoint accepts it.
    /// - Throws: ``ErrandError`` when it does not.
    func takeIn(_ received: HTTPResponse) async throws(ErrandError) -> HTTPResponse {
        guard let owner = self.owner else { throw .cancelled() }
        self.response = received
        if self.isAccepted(received), received.data.count <= HTTPResponse.smallBody {
            try await owner.decode(received)
            return received
        }
        return try await owner.inCancellableTask(of: self.lifeline, immediately: false) { run throws(ErrandError) in
            try await run.accept(received)
        }
    }

    /// Takes in one with which there is more to do than to decode it.
    @inline(never)
    func accept(_ received: HTTPResponse) async throws(ErrandError) -> HTTPResponse {
        var response = received
        if !self.isAccepted(received) {
            response = try await self.checked(try await self.process(received))
            response.origin = response.origin ?? received.origin
        }
        try await self.owner?.decode(response)
        return response
    }
}
