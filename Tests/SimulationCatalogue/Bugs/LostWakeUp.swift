extension PlantedBug {
    static let lostWakeUp = PlantedBug(
        "lost-wake-up", depth: 2,
        "A task sees that a gate is closed and then goes to wait: an opening in between wakes nobody."
    ) { isMended, _ in
        let gate = Gate(isMended: isMended)
        try await together(
            { if await !gate.isOpen { await gate.waitForOpening() } },
            { await gate.open() })
    }
}

private actor Gate {
    private(set) var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private let isMended: Bool

    init(isMended: Bool) { self.isMended = isMended }

    func waitForOpening() async {
        // The mend: it may have been opened meanwhile.
        if self.isMended, self.isOpen { return }
        await withCheckedContinuation { self.waiting.append($0) }
    }

    func open() {
        self.isOpen = true
        for continuation in self.waiting { continuation.resume() }
        self.waiting = []
    }
}
