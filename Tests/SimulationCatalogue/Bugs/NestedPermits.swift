extension PlantedBug {
    static let nestedPermits = PlantedBug(
        "nested-permits", depth: 3,
        "Three tasks that need two permits each take one of three, and all wait for the second."
    ) { isMended, _ in
        let permits = Permits(3)
        let work: @Sendable () async -> Void = {
            // The mend: both are taken at once.
            await permits.acquire(isMended ? 2 : 1)
            if !isMended { await permits.acquire() }
            await permits.release(2)
        }
        try await together(work, work, work)
    }
}
