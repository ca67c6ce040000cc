extension PlantedBug {
    static let barrierMiscount = PlantedBug(
        "barrier-miscount", depth: 1,
        "A task comes to a barrier again before the arrivals of the last round have been taken off."
    ) { isMended, _ in
        let barrier = Barrier(parties: 2, isMended: isMended)
        let party: @Sendable () async -> Void = {
            for _ in 0..<2 { await barrier.arrive() }
        }
        try await together(party, party)
    }
}

private actor Barrier {
    private let parties: Int
    private var arrived = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private let journal = Journal()
    private let isMended: Bool

    init(parties: Int, isMended: Bool) {
        self.parties = parties
        self.isMended = isMended
    }

    func arrive() async {
        self.arrived += 1
        guard self.arrived == self.parties else {
            return await withCheckedContinuation { self.waiting.append($0) }
        }
        // The mend: the next round begins before anybody is let through.
        if self.isMended { self.arrived = 0 }
        for continuation in self.waiting { continuation.resume() }
        self.waiting = []
        await self.journal.note()
        if !self.isMended { self.arrived = 0 }
    }
}
