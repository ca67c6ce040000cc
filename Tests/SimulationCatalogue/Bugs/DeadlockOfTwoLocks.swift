extension PlantedBug {
    static let deadlockOfTwoLocks = PlantedBug(
        "deadlock-of-two-locks", depth: 2,
        "Two transfers lock the same two accounts in opposite order, and each waits for the other."
    ) { isMended, _ in
        let (left, right) = (Permits(1), Permits(1))
        let transfer: @Sendable (Permits, Permits) async -> Void = { first, second in
            await first.acquire()
            await second.acquire()
            await second.release()
            await first.release()
        }
        try await together(
            { await transfer(left, right) },
            // The mend: all lock in the same order.
            { isMended ? await transfer(left, right) : await transfer(right, left) })
    }
}
