extension PlantedBug {
    static let lateRegistration = PlantedBug(
        "late-registration", depth: 2,
        "Something registers while a shutdown closes what had registered before, and is never closed."
    ) { isMended, _ in
        let supervisor = Supervisor(isMended: isMended)
        try await together({ await supervisor.register(2) }, { await supervisor.shutDown() })
        try require(await supervisor.open.isEmpty, else: "something was left open")
    }
}

private actor Supervisor {
    private(set) var open: Set<Int> = [1]
    private var isShutDown = false
    private let journal = Journal()
    private let isMended: Bool

    init(isMended: Bool) { self.isMended = isMended }

    func register(_ child: Int) {
        if !self.isShutDown { self.open.insert(child) }
    }

    func shutDown() async {
        // The mend: nothing registers any more once the shutdown has begun.
        if self.isMended { self.isShutDown = true }
        for child in self.open {
            await self.journal.note()
            self.open.remove(child)
        }
        self.isShutDown = true
    }
}
