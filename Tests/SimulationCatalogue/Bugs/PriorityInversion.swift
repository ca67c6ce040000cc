internal import ErrandSimulation

extension PlantedBug {
    static let priorityInversion = PlantedBug(
        "priority-inversion", depth: 1,
        "Urgent work waits for a lock whose holder waits for the processor behind work of middling urgency."
    ) { isMended, simulation in
        let processor = Processor(clock: simulation.clock)
        let lock = InheritingLock(processor: processor, isMended: isMended)
        try await together(
            {
                await lock.acquire(for: "high")
                try await processor.run("high", slices: 1)
                try require(simulation.clock.now.offset <= .milliseconds(5), else: "urgent work was late")
                await lock.release()
            },
            { try await processor.run("middle", slices: 8) },
            {
                await lock.acquire(for: "low")
                try await processor.run("low", slices: 2)
                await lock.release()
            })
    }
}

/// Runs the most urgent thread, and looks every millisecond whether there is a more urgent one.
private actor Processor {
    private let clock: TestClock
    private var urgencies = ["low": 1, "middle": 2, "high": 3]
    private var isBusy = false
    private var waiting: [(thread: String, continuation: CheckedContinuation<Void, Never>)] = []

    init(clock: TestClock) { self.clock = clock }

    func raise(_ thread: String) { self.urgencies[thread] = 3 }

    func run(_ thread: String, slices: Int) async throws {
        if self.isBusy { await self.waitForTurn(of: thread) }
        self.isBusy = true
        for left in (0..<slices).reversed() {
            try await self.clock.sleep(for: .milliseconds(1))
            guard left > 0, self.mustYield(thread) else { continue }
            self.handOver()
            await self.waitForTurn(of: thread)
        }
        self.handOver()
    }

    private func waitForTurn(of thread: String) async {
        await withCheckedContinuation { self.waiting.append((thread, $0)) }
    }

    private func mustYield(_ thread: String) -> Bool {
        self.waiting.contains { self.urgency(of: $0.thread) > self.urgency(of: thread) }
    }

    private func handOver() {
        let next = self.waiting.indices.max {
            self.urgency(of: self.waiting[$0].thread) < self.urgency(of: self.waiting[$1].thread)
        }
        if let next {
            self.waiting.remove(at: next).continuation.resume()
        } else {
            self.isBusy = false
        }
    }

    private func urgency(of thread: String) -> Int { self.urgencies[thread] ?? 0 }
}

private actor InheritingLock {
    private let processor: Processor
    private var holder: String?
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private let isMended: Bool

    init(processor: Processor, isMended: Bool) {
        self.processor = processor
        self.isMended = isMended
    }

    func acquire(for thread: String) async {
        while let holder = self.holder {
            // The mend: the holder becomes as urgent as who waits for it.
            if self.isMended { await self.processor.raise(holder) }
            if self.holder != nil { await withCheckedContinuation { self.waiting.append($0) } }
        }
        self.holder = thread
    }

    func release() {
        self.holder = nil
        for continuation in self.waiting { continuation.resume() }
        self.waiting = []
    }
}
