package import ErrandMachines

/// The run of a request: how it begins, parks, goes on and ends.
extension Request {
    /// Resolves the endpoint for the one run; returns whether that is to begin now.
    func prepare() -> Bool {
        guard self.lifeline.canStart else {
            // Cancelled before, by who could not tell those who read the responses.
            self.endResponseStreams()
            return false
        }
        // The defaults may have changed since it was made. What began as a part of another is sent as that was.
        if let said { self.run.terms = self.environment.terms(saying: said, madeOn: self.run.terms) }
        do throws(ErrandError) {
            try self.run.resolve()
        } catch {
            self.lifeline.refuse(self.run.complete(error))
            self.endResponseStreams()
            return false
        }
        guard self.lifeline.start() else {
            // Cancelled while the endpoint was resolved.
            self.endResponseStreams()
            return false
        }
        return true
    }

    /// Begins the one run, in a task of its own.
    ///
    /// Up to its slot a request needs none, unless that takes code of others: hooks, or a cache. Then the starter must
    /// not have to wait for it.
    func begin(_ host: RunHost? = nil) async {
        guard self.prepare() else { return }
        let first = await self.run.begin(self, on: host)
        if case .parked(_, let parked?) = first { return self.lifeline.setPending(parked) }
        // Unstructured: the run belongs to all who wait, and to nobody alone. Ends with the request.
        self.lifeline.attach(spawn { await self.finish(beginningWith: first) })
    }

    private func finish(beginningWith first: AskedSlot?) async {
        await self.run.finish(beginningWith: first)
    }

    nonisolated func raise(to priority: TaskPriority) {
        // Unstructured: escalation handlers cannot wait. Ends with that one call; a late one does nothing.
        spawn { await self.raise(to: RequestPriority(priority)) }
    }

    private func raise(to priority: RequestPriority) {
        self.run.raise(to: priority)
    }

    /// Someone who waits for it is so urgent; late, it does nothing.
    nonisolated func raiseLater(to priority: RequestPriority) {
        // Unstructured: who says so waits for something else. Ends with that one call.
        spawn { await self.raise(to: priority) }
    }
}

extension Request: HostedRun {
    package nonisolated func resumeRun() {
        // Unstructured: the run goes on in it, and belongs to nobody alone. Ends with the request.
        self.lifeline.attach(spawn { await self.finishParked() })
    }

    private func finishParked() async {
        guard let ticket = self.run.queue.waiting.first?.ticket else { return }
        await self.finish(beginningWith: .parked(ticket, nil))
    }
}

extension Request: RequestOwner {
    package func decode(_ response: HTTPResponse) async throws(ErrandError) {
        if case .stream = response.body {
            try await self.read(response)
        } else if response.data.count <= HTTPResponse.smallBody {
            self.decoded = try self.run.json.use { () throws(ErrandError) in try self.endpoint.value(from: response) }
        } else {
            self.decoded = try await self.endpoint.valueOffActor(from: response, with: self.run.json)
        }
    }

    @inline(never)
    private func read(_ response: HTTPResponse) async throws(ErrandError) {
        guard case .stream(let body) = response.body else { return }
        let streamed = StreamedResponse(head: response.head, body: body)
        self.decoded = try await self.endpoint.value(reading: streamed, with: self.run.json)
    }

    package func publish(_ answer: ResponseSummary) {
        guard case .success(let response) = self.typed(.success(answer)) else { return }
        self.needResponseStreams().publish(response)
    }

    package func notify(_ processing: any ProcessingEndpoint, _ outcome: RunOutcome) async {
        switch self.typed(outcome) {
        case .success(let response): await processing.notify(response)
        case .failure(let error): await processing.didFail(error)
        }
    }

    func pass(
        _ request: HTTPRequest, to next: NextStages, isAnother: Bool
    ) async throws(ErrandError) -> HTTPResponse {
        try await self.run.pass(request, to: next, isAnother: isAnother)
    }

    func look<Value: Sendable>(_ look: @Sendable (RequestRun) -> Value) -> Value {
        look(self.run)
    }

    func inCancellableTask<Value: Sendable, Failure: Error>(
        of scope: any StopScope, immediately: Bool,
        _ step: @escaping @Sendable (RequestRun) async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        if scope === self.lifeline, self.lifeline.hasTask { return try await step(self.run) }
        // Unstructured: a stop must be able to cancel it, and not the task of who sends. It is awaited right here.
        let task =
            immediately
            ? spawnImmediately { await self.outcome(of: step, scope) } : spawn { await self.outcome(of: step, scope) }
        scope.setPending(StoppableTask(task))
        defer { scope.setPending(nil) }
        return try await task.value.get()
    }

    func whileNotCancelled<Value: Sendable, Failure: Error>(
        _ scope: any StopScope, _ step: @escaping @Sendable (RequestRun) async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        // The closure need not run in this actor: what it calls does.
        try await withTaskCancellationHandler {
            await self.outcome(of: step, scope)
        } onCancel: {
            scope.stop(.cancelled)
        }.get()
    }

    private func outcome<Value: Sendable, Failure: Error>(
        of step: @Sendable (RequestRun) async throws(Failure) -> Value, _ scope: any StopScope
    ) async -> Result<Value, Failure> {
        // One that is stopped already begins as cancelled.
        if scope.stopReason != nil { cancelCurrentTask() }
        do throws(Failure) {
            return .success(try await step(self.run))
        } catch {
            return .failure(error)
        }
    }
}

// MARK: - In the record

extension Request: RecordedWork, Stoppable {
    package nonisolated var isCoordinator: Bool { false }

    package nonisolated func stop(_ reason: StopReason) {
        self.lifeline.stop(reason)
    }

    package nonisolated func describe() -> WorkDescription {
        self.lifeline.describe(.request, self.shared.value.name ?? E.declaredName)
    }
}

extension ProcessingEndpoint {
    /// Calls the hook for a value, if it is one of this endpoint and not what a call made of it answers.
    fileprivate func notify<Value>(_ response: TypedResponse<Value>) async {
        guard let response = response.map({ $0 as? Response }) else { return }
        await self.didFinish(response)
    }
}

// MARK: - Printing

extension Request: CustomReflectable {
    /// A mirror of the id and the type of the endpoint, in which there may be anything.
    public nonisolated var customMirror: Mirror {
        Mirror(self, children: ["id": self.id, "endpoint": E.self], displayStyle: .class)
    }
}
