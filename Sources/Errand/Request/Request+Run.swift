internal import ErrandLocks
internal import ErrandMachines

/// The run of a request: how it begins, parks, goes on and ends.
extension Request {
    /// Resolves the endpoint for the one run; answers whether that is to begin now.
    func prepare() -> Bool {
        guard self.run.machine.canStart else { return false }
        do throws(ErrandError) {
            try self.run.resolve()
        } catch {
            _ = self.run.machine.refused()
            self.settle(error)
            return false
        }
        _ = self.run.machine.start()
        return true
    }

    /// The whole run in the task that sends it.
    func runHere() async {
        let approach: Approach
        if let quick = await self.run.begin(self, isHosted: false) {
            approach = quick
        } else if self.run.hooksMayWait || self.run.asksCache {
            approach = await self.inCancellableTask(immediately: true) { await $0.approach(isHosted: false) }
        } else {
            approach = await self.run.approach(isHosted: false)
        }
        await self.finish(approach)
    }

    /// Begins the one run, in a task of its own.
    ///
    /// Up to its slot a request needs none, unless that takes code of others: hooks, or a cache. Then the starter must
    /// not have to wait for it.
    func begin(_ host: RunHost? = nil) async {
        guard self.prepare() else { return }
        // Unstructured: the run belongs to all who wait, and to nobody alone. Ends with the request, or when it parks.
        let task: Task<Void, Never>
        if let approach = await self.run.begin(self, isHosted: host != nil) {
            guard !self.park(approach, host) else { return }
            task = spawn { await self.finish(approach) }
        } else {
            task = spawn { await self.runToEnd(host) }
        }
        self.lifeline.attach(task)
    }

    private func runToEnd(_ host: RunHost?) async {
        let approach = await self.run.approach(isHosted: host != nil)
        if !self.park(approach, host) { await self.finish(approach) }
    }

    private func park(_ approach: Approach, _ host: RunHost?) -> Bool {
        guard case .parked = approach, let host else { return false }
        self.view.withLock { $0.host = host }
        self.lifeline.park(self)
        return true
    }

    private func finishParked() async {
        guard let ticket = self.run.waitingTickets.first else { return }
        await self.finish(.parked(ticket))
    }

    private func finish(_ approach: Approach) async {
        let outcome = await self.run.finish(approach)
        self.resolve(outcome)
        guard let report = self.run.report.take() else { return }
        await report(outcome)
    }

    nonisolated func raise(to priority: TaskPriority) {
        // Unstructured: escalation handlers cannot wait. Ends with that one call; a late one does nothing.
        spawn { await self.raise(to: RequestPriority(priority)) }
    }

    private func raise(to priority: RequestPriority) {
        self.run.raise(to: priority)
    }

    /// Ends a request that never ran.
    func settle(_ error: ErrandError) {
        let outcome = RunOutcome.failure(self.run.complete(error))
        self.run.settle(outcome)
        self.resolve(outcome)
    }

    /// The end, for all who wait.
    private func resolve(_ outcome: RunOutcome) {
        self.lifeline.resolve(outcome)
        if let streams = self.responseStreams { streams.finish(self.typed(outcome)) }
    }
}

extension Request: RequestOwner {
    package func decode(_ response: HTTPResponse) async throws(ErrandError) {
        if case .stream = response.body {
            try await self.read(response)
        } else if response.data.count <= HTTPResponse.smallBody {
            self.decoded = try self.endpoint.value(from: response)
        } else {
            self.decoded = try await self.endpoint.valueOffActor(from: response)
        }
    }

    @inline(never)
    private func read(_ response: HTTPResponse) async throws(ErrandError) {
        guard case .stream(let body) = response.body else { return }
        self.decoded = try await self.endpoint.value(reading: StreamedResponse(head: response.head, body: body))
    }

    package func show(_ answer: Answer) {
        guard case .success(let response) = self.typed(.success(answer)) else { return }
        self.needResponseStreams().show(response)
    }

    package func tell(_ processing: any ProcessingEndpoint, _ outcome: RunOutcome) async {
        switch self.typed(outcome) {
        case .success(let response): await processing.tell(response)
        case .failure(let error): await processing.didFail(error)
        }
    }

    package func pass(
        _ request: HTTPRequest, through interceptors: ArraySlice<any Interceptor>, isAnother: Bool
    ) async throws(ErrandError) -> HTTPResponse {
        try await self.run.pass(request, through: interceptors, isAnother: isAnother)
    }

    package nonisolated func show(_ change: (inout RequestView) -> Void) {
        self.view.withLock { change(&$0) }
    }

    package nonisolated var stopReason: StopReason? { self.lifeline.stopReason }

    package nonisolated func setPending(_ pending: (any Stoppable)?) { self.lifeline.setPending(pending) }

    func inCancellableTask<Value: Sendable, Failure: Error>(
        immediately: Bool,
        _ step: @escaping @Sendable (RequestRun) async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        guard !self.lifeline.hasTask else { return try await step(self.run) }
        // Unstructured: a stop must be able to cancel it, and not the task of who sends. It is awaited right here.
        let task =
            immediately
            ? spawnImmediately { await self.outcome(of: step) } : spawn { await self.outcome(of: step) }
        self.lifeline.setPending(StoppableTask(task))
        defer { self.lifeline.setPending(nil) }
        return try await task.value.get()
    }

    private func outcome<Value: Sendable, Failure: Error>(
        of step: @Sendable (RequestRun) async throws(Failure) -> Value
    ) async -> Result<Value, Failure> {
        // One that is stopped already begins as cancelled.
        if self.stopReason != nil { cancelCurrentTask() }
        do throws(Failure) {
            return .success(try await step(self.run))
        } catch {
            return .failure(error)
        }
    }

    package nonisolated func settleStop() -> StopReason? { self.lifeline.settle() }
}

// MARK: - In the record

extension Request: HostedRun, Wakeable {
    package nonisolated func wake() {
        // A request on its way to be parked has no host yet; it is woken again when it has.
        guard self.lifeline.markAwake() else { return }
        self.view.withLock { $0.host }?.push(self)
    }

    package nonisolated func resumeRun() {
        guard self.lifeline.unpark() else { return }
        // A host keeps what it is told too late: let go of it, or the two would keep each other for ever.
        self.view.withLock { $0.host = nil }
        // Unstructured: the run goes on in it, and belongs to nobody alone. Ends with the request.
        self.lifeline.attach(spawn { await self.finishParked() })
    }
}

extension Request: RecordedWork, Stoppable {
    package nonisolated var isCoordinator: Bool { false }

    package nonisolated func stop(_ reason: StopReason) {
        self.lifeline.stop(reason)
    }

    package nonisolated func describe() -> WorkDescription {
        self.view.withLock {
            WorkDescription(
                kind: .request, name: E.declaredName, state: $0.state, host: $0.url?.authority,
                startedAt: $0.startedAt)
        }
    }
}

extension ProcessingEndpoint {
    /// Calls the hook for a value, if it is one of this endpoint and not what a call made of it answers.
    fileprivate func tell<Value>(_ response: TypedResponse<Value>) async {
        guard let response = response.map({ $0 as? Response }) else { return }
        await self.didFinish(response)
    }
}

extension Endpoint {
    fileprivate func value(from response: HTTPResponse) throws(ErrandError) -> Response {
        do {
            return try self.decode(response)
        } catch {
            throw ErrandError(wrapping: error, as: .decodingFailed, "the body could not be decoded")
        }
    }

    fileprivate func value(reading response: StreamedResponse) async throws(ErrandError) -> Response {
        func read(_ call: some StreamingCall) async throws -> Response? { try await call.read(response) as? Response }
        do {
            if let call = self as? any StreamingCall, let value = try await read(call) { return value }
        } catch {
            throw ErrandError(wrapping: error, as: .callbackFailed, "reading the body failed")
        }
        throw ErrandError(.unsupported, "the body of the response came as a stream, which the endpoint cannot read")
    }

    @concurrent
    func valueOffActor(from response: HTTPResponse) async throws(ErrandError) -> Response {
        try self.value(from: response)
    }
}
