extension PlantedBug {
    static let useBeforeStart = PlantedBug(
        "use-before-start", depth: 1,
        "A request comes before the service has been started."
    ) { isMended, _ in
        let service = Service(isMended: isMended)
        try await together({ await service.start() }, { try await service.send() })
    }
}

private actor Service {
    private let started = OneTimeEvent()
    private var isStarted = false
    private let journal = Journal()
    private let isMended: Bool

    init(isMended: Bool) { self.isMended = isMended }

    func start() async {
        await self.journal.note()
        self.isStarted = true
        await self.started.happen()
    }

    func send() async throws {
        // The mend: a request waits for the start.
        if self.isMended { await self.started.wait() }
        try require(self.isStarted, else: "the service has not been started")
    }
}
