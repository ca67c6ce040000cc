internal import ErrandSimulation

extension PlantedBug {
    static let forgottenCleanup = PlantedBug(
        "forgotten-cleanup", depth: 2,
        "A task that is cancelled while it holds a permit leaves without giving it back."
    ) { isMended, simulation in
        // No simulation runs on older systems.
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        let (permits, journal) = (Permits(1), Journal())
        let worker = Task(executorPreference: simulation.executor) {
            try Task.checkCancellation()
            await permits.acquire()
            await journal.note()
            // The mend: it is given back on this way out, too.
            if isMended, Task.isCancelled { await permits.release() }
            try Task.checkCancellation()
            await permits.release()
        }
        try await together({ _ = await worker.result }, { worker.cancel() })
        await permits.acquire()
    }
}
