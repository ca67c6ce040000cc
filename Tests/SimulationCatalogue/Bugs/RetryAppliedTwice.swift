extension PlantedBug {
    static let retryAppliedTwice = PlantedBug(
        "retry-applied-twice", depth: 2,
        "A request is repeated while the first is being carried out, and is taken for a new one."
    ) { isMended, _ in
        let server = Server(isMended: isMended)
        try await together({ await server.handle(7) }, { await server.handle(7) })
        try require(await server.applied == 1, else: "the request was carried out twice")
    }
}

private actor Server {
    private(set) var applied = 0
    private var known: Set<Int> = []
    private let journal = Journal()
    private let isMended: Bool

    init(isMended: Bool) { self.isMended = isMended }

    func handle(_ request: Int) async {
        guard !self.known.contains(request) else { return }
        // The mend: it is known from the moment at which it was not.
        if self.isMended { self.known.insert(request) }
        await self.journal.note()
        self.applied += 1
        self.known.insert(request)
    }
}
