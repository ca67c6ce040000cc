internal import ErrandSimulation

extension PlantedBug {
    static let rateLimiterOvershoot = PlantedBug(
        "rate-limiter-overshoot", depth: 2,
        "Two requests both begin a new window, and the second forgets what the first has used of it."
    ) { isMended, simulation in
        let limiter = RateLimiter(clock: simulation.clock, isMended: isMended)
        let request: @Sendable () async throws -> Void = {
            try await simulation.clock.sleep(for: .seconds(1))
            await limiter.request()
        }
        try await together(request, request)
        try require(await limiter.admitted == 1, else: "more requests were admitted than the limit allows")
    }
}

/// Admits one request in a second.
private actor RateLimiter {
    private(set) var admitted = 0
    private var windowStart = TestClock.Instant.zero
    private var used = 0
    private let clock: TestClock
    private let journal = Journal()
    private let isMended: Bool

    init(clock: TestClock, isMended: Bool) {
        self.clock = clock
        self.isMended = isMended
    }

    func request() async {
        if self.windowStart.duration(to: self.clock.now) >= .seconds(1) {
            // The mend: the window begins before anybody is told.
            if self.isMended { self.beginWindow() }
            await self.journal.note()
            if !self.isMended { self.beginWindow() }
        }
        guard self.used < 1 else { return }
        self.used += 1
        self.admitted += 1
    }

    private func beginWindow() {
        self.windowStart = self.clock.now
        self.used = 0
    }
}
