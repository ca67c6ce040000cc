package import ErrandMachines

/// The run of a request: beginning, parking, resuming, and ending.
extension Request {
    /// Prepares the only run; returns `nil` if it must not begin now.
    func prepare(wantsTask: Bool) -> RequestRun? {
        guard self.lifeline.canStart else {
            // Cancelled before, by a caller that could not notify the readers of responses.
            self.endResponseStreams()
            return nil
        }
        // The defaults may have changed since the request was created. A part of other work uses the defaults of that
        // work.
        if let said { self.terms = self.environment.terms(saying: said, madeOn: self.terms) }
        do throws(ErrandError) {
            let work = RequestWork(
                owner: self, id: self.id, parent: self.parent, lifeline: self.lifeline, environment: self.environment,
                hooks: self.hooks, watchers: self.watchers, priority: self.priority)
            let run = try RequestRun(self.endpoint, on: self.terms, of: work, wantsTask: wantsTask)
            // Not if it was cancelled while the endpoint was resolved.
            if self.lifeline.start(at: run.startedAt, to: run.call.request.url) {
                self.run = run
                return run
            }
        } catch {
            self.lifeline.refuse(self.complete(error))
        }
        self.endResponseStreams()
        return nil
    }

    /// Begins the only run, in a task of its own.
    ///
    /// Until it has a slot, a request needs no task unless it calls user code, such as hooks or a cache: the starter
    /// must not have to wait for those.
    func begin(_ carrier: TaskCarrier? = nil) async {
        guard let run = self.prepare(wantsTask: true) else { return }
        let first = await run.begin(self, on: carrier)
        if case .parked(_, let parked?) = first { return self.lifeline.setPending(parked) }
        // Unstructured: the run belongs to all its waiters. Ends with the request.
        self.lifeline.attach(spawn { await self.finish(beginningWith: first) })
    }

    func finishInTask(_ first: AskedSlot?, beginningAtOnce: Bool) async {
        // Unstructured: a stop must be able to cancel this task, but not that of the sender. Awaited right here.
        let task =
            beginningAtOnce
            ? spawnImmediately { await self.finish(beginningWith: first) }
            : spawn { await self.finish(beginningWith: first) }
        self.lifeline.attach(task)
        await task.value
    }

    func finish(beginningWith first: AskedSlot?) async {
        // Apply a stop that came before the task was attached.
        if self.lifeline.stopReason != nil { cancelCurrentTask() }
        guard let outcome = await self.run?.finish(beginningWith: first), let report = self.report.take() else {
            return
        }
        await report(outcome)
    }

    nonisolated func raise(to priority: TaskPriority) {
        // Unstructured: escalation handlers cannot wait. Ends with this call, which has no effect when late.
        spawn { await self.raise(to: RequestPriority(priority)) }
    }

    private func raise(to priority: RequestPriority) {
        if let run { return run.raise(to: priority) }
        self.priority = max(self.priority ?? self.terms.options.value.priority, priority)
    }

    /// Raises the priority on behalf of a waiter.
    ///
    /// Has no effect when late; before the start, it applies from then on.
    nonisolated func raiseLater(to priority: RequestPriority) {
        // Unstructured: the caller does not wait. Ends with this call.
        spawn { await self.raise(to: priority) }
    }
}

extension Request: CarriedRun {
    package nonisolated func resumeRun() {
        // Unstructured: the run continues in this task. Ends with the request.
        self.lifeline.attach(spawn { await self.finishParked() })
    }

    private func finishParked() async {
        guard let ticket = self.run?.parkedTicket else { return }
        await self.finish(beginningWith: .parked(ticket, nil))
    }
}

extension Request: RequestOwner {
    package func decode(_ response: HTTPResponse) async throws(ErrandError) {
        if case .stream = response.body {
            try await self.read(response)
        } else if response.data.count <= HTTPResponse.smallBody {
            self.decoded = try self.environment.json.use { () throws(ErrandError) in
                try self.endpoint.value(from: response)
            }
        } else {
            self.decoded = try await self.endpoint.valueOffActor(from: response, with: self.environment.json)
        }
    }

    @inline(never)
    private func read(_ response: HTTPResponse) async throws(ErrandError) {
        guard case .stream(let body) = response.body else { return }
        let streamed = StreamedResponse(head: response.head, body: body)
        self.decoded = try await self.endpoint.value(reading: streamed, with: self.environment.json)
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
    /// Calls the hook for a value of this endpoint, and not for that of a call derived from it.
    fileprivate func notify<Value>(_ response: TypedResponse<Value>) async {
        guard let response = response.map({ $0 as? Response }) else { return }
        await self.didFinish(response)
    }
}

// MARK: - Printing

extension Request: CustomReflectable {
    /// A mirror of the ID and the endpoint's type.
    ///
    /// The endpoint itself may contain secrets.
    public nonisolated var customMirror: Mirror {
        Mirror(self, children: ["id": self.id, "endpoint": E.self], displayStyle: .class)
    }
}
