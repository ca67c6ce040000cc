internal import ErrandMachines

/// A request as its batch sees it.
protocol BatchChild: Sendable {
    var endpointName: String { get }
    /// Starts it; `report` is called once, when all of it is over.
    func startAsChild(of host: RunHost, _ report: @escaping @Sendable (ChildEnd) async -> Void) async
    /// Ends it as cancelled when it was not started.
    func cancel()
    /// Adds an accessory to it.
    func watch(with accessory: any Accessory) async
    /// Moves it up in the queue, if it waits there.
    func raise(to priority: TaskPriority)
    /// Tells it to stop; returns at once.
    func stop(_ reason: StopReason)
}

/// How a request in a batch ended.
struct ChildEnd: Sendable {
    let error: ErrandError?
    let isFromCache: Bool
}

extension Request: BatchChild {
    nonisolated var endpointName: String { E.declaredName }

    nonisolated func startAsChild(
        of host: RunHost, _ report: @escaping @Sendable (ChildEnd) async -> Void
    ) async {
        await self.start(hostedBy: host) { outcome in
            switch outcome {
            case .success(let answer): await report(ChildEnd(error: nil, isFromCache: answer.source.isCache))
            case .failure(let error): await report(ChildEnd(error: error, isFromCache: false))
            }
        }
    }

    /// The outcome of a child whose batch is over; one that never came to an end counts as cancelled.
    var settledOutcome: Result<Value, ErrandError> {
        Result { () throws(ErrandError) in try self.settled().value }
    }
}
