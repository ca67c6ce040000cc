internal import ErrandSimulation

extension PlantedBug {
    static let debouncerFiresTwice = PlantedBug(
        "debouncer-fires-twice", depth: 1,
        "A timer that has gone off cannot be cancelled any more: what it delivers is delivered again."
    ) { isMended, simulation in
        let debouncer = Debouncer(simulation: simulation, isMended: isMended)
        await debouncer.submit(1)
        try await simulation.clock.sleep(for: .milliseconds(100))
        await debouncer.submit(2)
        try await simulation.clock.sleep(for: .milliseconds(200))
        let delivered = await debouncer.delivered
        try require(Set(delivered).count == delivered.count, else: "delivered \(delivered)")
    }
}

/// Delivers the latest value when none has come for 100 milliseconds.
private actor Debouncer {
    private(set) var delivered: [Int] = []
    private var latest = 0
    private var generation = 0
    private var timer: Task<Void, any Error>?
    private let simulation: Simulation.Context
    private let isMended: Bool

    init(simulation: Simulation.Context, isMended: Bool) {
        self.simulation = simulation
        self.isMended = isMended
    }

    func submit(_ value: Int) {
        // No simulation runs on older systems.
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        self.latest = value
        self.generation += 1
        self.timer?.cancel()
        // A timer ends when it has gone off, or with the next value.
        self.timer = Task(executorPreference: self.simulation.executor) { [generation = self.generation] in
            try await self.simulation.clock.sleep(for: .milliseconds(100))
            await self.fire(generation)
        }
    }

    private func fire(_ generation: Int) {
        // The mend: a timer that was superseded does nothing.
        guard !self.isMended || generation == self.generation else { return }
        self.delivered.append(self.latest)
    }
}
