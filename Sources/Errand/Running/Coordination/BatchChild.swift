internal import ErrandMachines

/// A request as a child of a batch.
protocol BatchChild: Sendable {
    var endpointName: String { get }
    /// Starts the request; `report` is called once, when the request and its hooks are over.
    func startAsChild(of carrier: TaskCarrier, _ report: @escaping @Sendable (ChildEnd) async -> Void) async
    /// Ends the request as cancelled if it was not started.
    func cancel()
    /// Adds an accessory to the request.
    func watch(with accessory: any Accessory) async
    /// Raises the priority in the request queue, if the request is waiting there.
    func raise(to priority: TaskPriority)
    /// Stops the request; returns at once.
    func stop(_ reason: StopReason)
}

/// The end of a request in a batch.
struct ChildEnd: Sendable {
    let error: ErrandError?
    let isFromCache: Bool
}

extension Request: BatchChild {
    nonisolated var endpointName: String { E.declaredName }

    nonisolated func startAsChild(
        of carrier: TaskCarrier, _ report: @escaping @Sendable (ChildEnd) async -> Void
    ) async {
        await self.start(carriedBy: carrier) { outcome in
            switch outcome {
            case .success(let answer): await report(ChildEnd(error: nil, isFromCache: answer.source.isCache))
            case .failure(let error): await report(ChildEnd(error: error, isFromCache: false))
            }
        }
    }

    /// The outcome of a child of a batch that has ended.
    ///
    /// A request that did not end counts as cancelled.
    var settledOutcome: Result<Value, ErrandError> {
        Result { () throws(ErrandError) in try self.settled().value }
    }
}
