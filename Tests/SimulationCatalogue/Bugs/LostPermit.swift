internal import ErrandSimulation

extension PlantedBug {
    static let lostPermit = PlantedBug(
        "lost-permit", depth: 3,
        "A permit is handed to a task that was cancelled while it waited, and that leaves without it."
    ) { isMended, simulation in
        // No simulation runs on older systems.
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        let (turnstile, journal) = (Turnstile(isMended: isMended), Journal())
        let waiter = Task(executorPreference: simulation.executor) {
            try await turnstile.acquire()
            await turnstile.release()
        }
        try await together(
            {
                try await turnstile.acquire()
                await journal.note()
                await turnstile.release()
            },
            { waiter.cancel() })
        _ = await waiter.result
        try await turnstile.acquire()
    }
}

/// One permit, which is handed from task to task.
private actor Turnstile {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private let isMended: Bool

    init(isMended: Bool) { self.isMended = isMended }

    func acquire() async throws {
        try Task.checkCancellation()
        guard self.isTaken else { return self.isTaken = true }
        await withCheckedContinuation { self.waiting.append($0) }
        // The mend: who does not want the permit any more hands it on.
        if self.isMended, Task.isCancelled { self.release() }
        try Task.checkCancellation()
    }

    func release() {
        if self.waiting.isEmpty {
            self.isTaken = false
        } else {
            self.waiting.removeFirst().resume()
        }
    }
}
