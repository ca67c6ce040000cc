/// One part of the way of a request to its response, around the parts that follow it.
///
/// A stage may answer itself, send on something else, send on several times, or look at what comes back. A request that
/// has no use for a stage does not go through it.
///
/// A class: a task then has room for a pointer to it, and not for whatever it is.
protocol Stage: AnyObject, Sendable {
    /// Whether it processes what it lets through itself, because it has to know whether that was accepted; the first one
    /// may.
    var processesResponses: Bool { get }

    /// Answers a request, by itself or with what follows.
    ///
    /// - Parameters:
    ///   - request: The request, as the parts before have made it.
    ///   - run: The run that it belongs to.
    ///   - next: What follows.
    /// - Returns: The response.
    /// - Throws: ``ErrandError`` when there is none.
    func handle(
        _ request: HTTPRequest, _ run: RequestRun, _ next: NextStages
    ) async throws(ErrandError) -> HTTPResponse
}

extension Stage {
    var processesResponses: Bool { false }
}

/// The stages of a run that follow, and behind them the wire.
struct NextStages: Sendable {
    /// How many come before.
    private var count = 0

    /// Sends a request on from the task of its run: the code of others that is asked runs in one that a stop cancels.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - run: The run that it belongs to.
    ///   - looksAfterTask: Whether the next stage sees to that by itself.
    /// - Returns: The response.
    /// - Throws: ``ErrandError`` when there is none.
    @inline(__always)
    func enter(
        _ request: HTTPRequest, _ run: RequestRun, looksAfterTask: Bool = false
    ) async throws(ErrandError) -> HTTPResponse {
        guard self.count < run.stages.count else { return try await run.send() }
        // Those that run no code of others are told to stop by the lifeline.
        let isAlreadyRight = looksAfterTask || run.exchanges.intercepted == nil
        return isAlreadyRight ? try await self.pass(request, run) : try await self.enterInTask(request, run)
    }

    @inline(never)
    private func enterInTask(_ request: HTTPRequest, _ run: RequestRun) async throws(ErrandError) -> HTTPResponse {
        guard let owner = run.owner else { throw .cancelled() }
        var response = try await owner.inCancellableTask(of: run.lifeline, immediately: false) {
            run throws(ErrandError) in try await self.pass(request, run)
        }
        guard let calls = run.exchanges.intercepted else { return response }
        // What comes of the other calls from now on is not the response.
        calls.isOver = true
        // One that an interceptor made itself counts as that of the last call that brought one.
        response.origin = response.origin ?? calls.lastOrigin
        return response
    }

    /// Sends a request on; always inlined, for each function in between is one more that waits.
    @inline(__always)
    func pass(_ request: HTTPRequest, _ run: RequestRun) async throws(ErrandError) -> HTTPResponse {
        guard self.count < run.stages.count else { return try await run.send(request) }
        return try await run.stages[self.count].handle(request, run, NextStages(count: self.count + 1))
    }
}

extension RequestRun {
    /// Runs what may wait for code of others in a task that a stop cancels, which is there already where there are
    /// interceptors.
    func whileStoppable<Value: Sendable, Failure: Error>(
        _ step: @escaping @Sendable (RequestRun) async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        guard self.exchanges.intercepted == nil, let owner = self.owner else { return try await step(self) }
        return try await owner.inCancellableTask(of: self.lifeline, immediately: true, step)
    }

    /// Sends a request on; whatever comes of that is a result.
    @inline(__always)
    func result(of request: HTTPRequest, _ next: NextStages) async -> Result<HTTPResponse, ErrandError> {
        do throws(ErrandError) {
            return .success(try await next.pass(request, self))
        } catch {
            return .failure(error)
        }
    }
}
