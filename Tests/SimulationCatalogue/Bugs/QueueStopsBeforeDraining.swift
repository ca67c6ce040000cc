extension PlantedBug {
    static let queueStopsBeforeDraining = PlantedBug(
        "queue-stops-before-draining", depth: 2,
        "A job is accepted, the worker finds the queue stopped and empty, and only then the job is added."
    ) { isMended, _ in
        let queue = WorkQueue(isMended: isMended)
        try await together(
            { while await queue.next() != nil {} },
            { await queue.submit(1) },
            { await queue.stop() })
        try require(await queue.accepted == queue.taken, else: "a job was accepted and never taken")
    }
}

private actor WorkQueue {
    private(set) var accepted = 0
    private(set) var taken = 0
    private var jobs: [Int] = []
    private var isStopped = false
    private var worker: CheckedContinuation<Void, Never>?
    private let journal = Journal()
    private let isMended: Bool

    init(isMended: Bool) { self.isMended = isMended }

    func submit(_ job: Int) async {
        guard !self.isStopped else { return }
        await self.journal.note()
        // The mend: it may have been stopped meanwhile.
        guard !self.isMended || !self.isStopped else { return }
        self.jobs.append(job)
        self.accepted += 1
        self.wakeWorker()
    }

    func stop() {
        self.isStopped = true
        self.wakeWorker()
    }

    func next() async -> Int? {
        while self.jobs.isEmpty, !self.isStopped {
            await withCheckedContinuation { self.worker = $0 }
        }
        guard !self.jobs.isEmpty else { return nil }
        self.taken += 1
        return self.jobs.removeFirst()
    }

    private func wakeWorker() {
        self.worker?.resume()
        self.worker = nil
    }
}
