extension PlantedBug {
    static let lostUpdate = PlantedBug(
        "lost-update", depth: 2,
        "Two tasks read a counter, add one, and write it back: one of the two is lost."
    ) { isMended, _ in
        let counter = Counter()
        let count: @Sendable () async -> Void = {
            // The mend: reading and writing are one step of the actor.
            if isMended { await counter.increment() } else { await counter.set(await counter.value + 1) }
        }
        try await together(count, count)
        try require(await counter.value == 2, else: "an update was lost")
    }
}

private actor Counter {
    private(set) var value = 0

    func set(_ value: Int) { self.value = value }

    func increment() { self.value += 1 }
}
