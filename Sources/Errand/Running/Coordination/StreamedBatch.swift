internal import ErrandMachines

/// The run behind ``BatchOutcomes``: takes calls from a source, keeps a window of them in flight, and delivers
/// outcomes.
///
/// The run and its reader wait for each other. The run waits for room in the window, which the reader makes by taking
/// an outcome. The reader waits for an outcome, which the end of a request produces, or for the end of the run.
actor StreamedBatch<E: Endpoint> {
    private let source: @Sendable () -> (() async -> E?)
    private let width: Int
    private nonisolated let run: CoordinatorRun

    private var machine: BatchMachine
    /// The requests in flight.
    private var open: [Int: Request<E>] = [:]
    /// Outcomes that have not been read yet, and the queue of their indexes in reading order.
    private var unread: [Int: BatchOutcomes<E>.Outcome] = [:]
    private var ended: OutcomeQueue
    /// Takes calls from the source and starts them, until the source ends.
    private var feeder: Task<Void, Never>?
    private var failure: ErrandError?
    private var isOver = false
    private var room: Waiter<Void>?
    private var reader: Waiter<Void>?
    private var end = Waiter<Void>()

    init(
        source: @escaping @Sendable () -> (() async -> E?), width: Int, order: BatchOutcomes<E>.Order,
        failure: FailurePolicy,
        run: CoordinatorRun
    ) {
        self.source = source
        self.width = width
        self.ended = OutcomeQueue(order.machine)
        self.machine = BatchMachine(policy: failure.machine)
        self.run = run
    }

    // MARK: - The reader

    /// Returns the next outcome, or `nil` at the end.
    ///
    /// A cancelled reader cancels the run and waits for its end.
    func next() async -> BatchOutcomes<E>.Outcome? {
        if self.machine.start() == .begin {
            self.run.lifeline.keep()
            if self.run.start() {
                await self.run.begin { await self.runToEnd() }
            } else {
                // The reader was gone before the start.
                self.isOver = true
            }
        }
        while !Task.isCancelled {
            if let outcome = self.takeUnread() {
                self.room?.resume(())
                return outcome
            }
            guard !self.isOver else { return nil }
            let reader = Waiter<Void>()
            self.reader = reader
            _ = await reader.wait()
        }
        self.abandon()
        await self.seeOut()
        return nil
    }

    /// The reader is gone.
    nonisolated func abandon() {
        self.run.stop(.cancelled)
    }

    private func seeOut() async {
        while !self.isOver {
            let reader = Waiter<Void>()
            self.reader = reader
            _ = await reader.waitThroughCancellation()
        }
    }

    private func takeUnread() -> BatchOutcomes<E>.Outcome? {
        guard let index = self.ended.popNext() else { return nil }
        return self.unread.removeValue(forKey: index)
    }

    // MARK: - The run

    private func runToEnd() async {
        await self.run.enter()
        // Unstructured: the first failure must be able to end only the wait for the source. Awaited right here.
        let feeder = spawn { await self.feed() }
        self.feeder = feeder
        self.stopIfToldTo()
        await withTaskCancellationHandler {
            await feeder.value
        } onCancel: {
            feeder.cancel()
        }
        self.feeder = nil
        self.carryOut(self.machine.inputEnded())
        if await self.end.wait() == nil {
            self.stopIfToldTo()
            if self.machine.conclusion == nil {
                self.end = Waiter()
                _ = await self.end.waitThroughCancellation()
            }
        }
        let outcome = self.outcome
        await self.run.leave(outcome)
        self.isOver = true
        self.reader?.resume(())
    }

    private func feed() async {
        let pull = self.source()
        while await self.hasRoom(), let endpoint = await pull() {
            await self.startChild(endpoint)
        }
    }

    /// Waits for room in the window; returns false if the batch is stopping.
    private func hasRoom() async -> Bool {
        while self.isGoingOn, self.open.count + self.unread.count >= self.width {
            let room = Waiter<Void>()
            self.room = room
            _ = await room.wait()
        }
        self.room = nil
        return self.isGoingOn
    }

    private var isGoingOn: Bool {
        self.stopIfToldTo()
        return self.machine.isRunning
    }

    private func startChild(_ endpoint: E) async {
        self.stopIfToldTo()
        guard case .start(let index) = self.machine.startChild() else { return }
        let request = self.run.makeChild(endpoint, at: index)
        self.open[index] = request
        await request.start { await self.childEnded(index, endpoint, await request.typed($0)) }
        // If the run was stopped while the child was starting, the child may have missed the cancellation.
        if self.run.lifeline.stopReason != nil || !self.machine.isRunning {
            request.stop(self.run.lifeline.stopReason ?? .cancelled)
        }
    }

    private func childEnded(_ index: Int, _ endpoint: E, _ outcome: Result<TypedResponse<E.Response>, ErrandError>) {
        self.stopIfToldTo()
        self.open[index] = nil
        let outcome = outcome.mapError { $0.at(index) }
        self.unread[index] = BatchOutcomes<E>.Outcome(index: index, endpoint: endpoint, response: outcome)
        self.ended.append(index)
        let isSuccess = if case .success = outcome { true } else { false }
        let action = self.machine.childEnded(index, succeeded: isSuccess)
        if case .failure(let error) = outcome, self.machine.firstFailure == index { self.failure = error }
        self.run.report(finished: self.machine.endedCount, total: nil)
        self.reader?.resume(())
        self.carryOut(action)
    }

    private func stopIfToldTo() {
        guard self.run.lifeline.stopReason != nil, self.machine.cancel() == .stopChildren else { return }
        self.stopChildren()
    }

    private func stopChildren() {
        for (_, request) in self.open.sorted(by: { $0.key < $1.key }) {
            request.stop(self.run.lifeline.stopReason ?? .cancelled)
        }
        self.feeder?.cancel()
    }

    private func carryOut(_ action: BatchMachine.ProgressAction) {
        switch action {
        case .none: break
        case .stopOthers: self.stopChildren()
        case .finish: self.end.resume(())
        }
    }

    private var outcome: Result<Void, ErrandError> {
        switch self.machine.conclusion {
        case .finished?:
            return .success(())
        case .failed?:
            return .failure(self.failure ?? self.run.complete(.cancelled()))
        case .cancelled?, nil:
            return .failure(self.run.complete((self.run.lifeline.stopReason ?? .cancelled).error))
        }
    }
}
