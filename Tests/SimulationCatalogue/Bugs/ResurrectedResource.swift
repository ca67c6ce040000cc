extension PlantedBug {
    static let resurrectedResource = PlantedBug(
        "resurrected-resource", depth: 2,
        "The last user has left a file, somebody takes it up again, and then it is closed."
    ) { isMended, _ in
        let (file, journal) = (SharedFile(isMended: isMended), Journal())
        let use: @Sendable () async throws -> Void = {
            await file.acquire()
            await journal.note()
            try await file.read()
            await file.release()
        }
        try await together(use, use)
    }
}

private actor SharedFile {
    private var users = 0
    private var isOpen = false
    private let journal = Journal()
    private let isMended: Bool

    init(isMended: Bool) { self.isMended = isMended }

    func acquire() {
        self.users += 1
        self.isOpen = true
    }

    func read() throws {
        try require(self.isOpen, else: "a file was closed while it was used")
    }

    func release() async {
        self.users -= 1
        guard self.users == 0 else { return }
        await self.journal.note()
        // The mend: there may be a user again.
        guard !self.isMended || self.users == 0 else { return }
        self.isOpen = false
    }
}
