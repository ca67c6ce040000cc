extension PlantedBug {
    static let diningPhilosophers = PlantedBug(
        "dining-philosophers", depth: 4,
        "Four philosophers each take the fork to the left and wait for the one to the right."
    ) { isMended, _ in
        let forks = (0..<4).map { _ in Permits(1) }
        let dine: @Sendable (Int, Int) async -> Void = { first, second in
            await forks[first].acquire()
            await forks[second].acquire()
            await forks[second].release()
            await forks[first].release()
        }
        try await together(
            { await dine(0, 1) }, { await dine(1, 2) }, { await dine(2, 3) },
            // The mend: one of them begins on the other side.
            { isMended ? await dine(0, 3) : await dine(3, 0) })
    }
}
