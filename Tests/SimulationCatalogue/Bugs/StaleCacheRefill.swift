extension PlantedBug {
    static let staleCacheRefill = PlantedBug(
        "stale-cache-refill", depth: 2,
        "A whole update, with its invalidation, passes between loading a value and putting it into the cache."
    ) { isMended, _ in
        let (cache, journal) = (Cache(isMended: isMended), Journal())
        try await together(
            { _ = await cache.value() },
            {
                await cache.origin.set(2)
                for _ in 0..<8 { await journal.note() }
                await cache.invalidate()
            })
        try require(await cache.value() == 2, else: "the cache holds what was before the update")
    }
}

private actor Origin {
    private(set) var value = 1

    func set(_ value: Int) { self.value = value }
}

private actor Cache {
    let origin = Origin()
    private var cached: Int?
    private var generation = 0
    private let journal = Journal()
    private let isMended: Bool

    init(isMended: Bool) { self.isMended = isMended }

    func value() async -> Int {
        if let cached = self.cached { return cached }
        let generation = self.generation
        let value = await self.origin.value
        await self.journal.note()
        // The mend: what was loaded before an invalidation is not kept.
        if !self.isMended || generation == self.generation { self.cached = value }
        return value
    }

    func invalidate() {
        self.generation += 1
        self.cached = nil
    }
}
