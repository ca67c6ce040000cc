internal import ErrandSimulation

extension PlantedBug {
    static let cancellationBeforeRegistration = PlantedBug(
        "cancellation-before-registration", depth: 2,
        "A cancellation looks for a waiter that registers a moment later and then waits for ever."
    ) { isMended, simulation in
        // No simulation runs on older systems.
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        let queue = WaitingRoom(isMended: isMended)
        let waiter = Task(executorPreference: simulation.executor) {
            let id = await queue.makeID()
            await withTaskCancellationHandler {
                await queue.wait(id)
            } onCancel: {
                // A handler cannot wait; the task ends when the waiting room has been told.
                Task(executorPreference: simulation.executor) { await queue.cancel(id) }
            }
        }
        try await together({ await waiter.value }, { waiter.cancel() })
    }
}

private actor WaitingRoom {
    private var lastID = 0
    private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    private let journal = Journal()
    private let isMended: Bool

    init(isMended: Bool) { self.isMended = isMended }

    func makeID() -> Int {
        self.lastID += 1
        return self.lastID
    }

    func wait(_ id: Int) async {
        await self.journal.note()
        // The mend: a cancelled task does not begin to wait.
        if self.isMended, Task.isCancelled { return }
        await withCheckedContinuation { self.waiting[id] = $0 }
    }

    func cancel(_ id: Int) {
        self.waiting.removeValue(forKey: id)?.resume()
    }
}
