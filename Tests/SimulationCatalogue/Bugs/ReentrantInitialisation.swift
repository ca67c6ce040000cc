extension PlantedBug {
    static let reentrantInitialisation = PlantedBug(
        "reentrant-initialisation", depth: 2,
        "Two tasks ask for a connection while it is being opened, and each gets one of its own."
    ) { isMended, _ in
        let pool = Pool(isMended: isMended)
        async let first = pool.connection()
        async let second = pool.connection()
        try require(await first == second, else: "two connections were handed out")
    }
}

private actor Pool {
    private var current: Int?
    private var opened = 0
    private let journal = Journal()
    private let isMended: Bool

    init(isMended: Bool) { self.isMended = isMended }

    func connection() async -> Int {
        if let current = self.current { return current }
        self.opened += 1
        let connection = self.opened
        await self.journal.note()
        // The mend: another call may have opened one meanwhile.
        if self.isMended, let current = self.current { return current }
        self.current = connection
        return connection
    }
}
