internal import ErrandSimulation

extension PlantedBug {
    static let leaseExpiry = PlantedBug(
        "lease-expiry", depth: 2,
        "A lease is found to be over, is renewed in that instant, and is then revoked all the same."
    ) { isMended, simulation in
        let lease = Lease(clock: simulation.clock, isMended: isMended)
        async let isRenewed: Bool = {
            try await simulation.clock.sleep(for: .seconds(10))
            return await lease.renew()
        }()
        async let expiry: Void = {
            try await simulation.clock.sleep(for: .seconds(10))
            await lease.expire()
        }()
        try await expiry
        let (wasRenewed, isRevoked) = (try await isRenewed, await lease.isRevoked)
        try require(!(wasRenewed && isRevoked), else: "a lease that was renewed has been revoked")
    }
}

private actor Lease {
    private(set) var isRevoked = false
    private var end = TestClock.Instant(offset: .seconds(10))
    private let clock: TestClock
    private let journal = Journal()
    private let isMended: Bool

    init(clock: TestClock, isMended: Bool) {
        self.clock = clock
        self.isMended = isMended
    }

    func renew() -> Bool {
        guard !self.isRevoked else { return false }
        self.end = self.clock.now.advanced(by: .seconds(10))
        return true
    }

    func expire() async {
        guard self.end <= self.clock.now else { return }
        await self.journal.note()
        // The mend: it may have been renewed meanwhile.
        guard !self.isMended || self.end <= self.clock.now else { return }
        self.isRevoked = true
    }
}
