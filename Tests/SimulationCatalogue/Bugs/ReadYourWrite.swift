extension PlantedBug {
    static let readYourWrite = PlantedBug(
        "read-your-write", depth: 1,
        "Who hears that something was written reads it from a replica that has not heard of it."
    ) { isMended, _ in
        let (primary, replica) = (Store(), Store())
        let (isWritten, isAnnounced, isReplicated) = (OneTimeEvent(), OneTimeEvent(), OneTimeEvent())
        try await together(
            {
                await isWritten.wait()
                await replica.set(await primary.value)
                await isReplicated.happen()
            },
            {
                await isAnnounced.wait()
                // The mend: the reader waits until the replica is as new as what was announced.
                if isMended { await isReplicated.wait() }
                try require(await replica.value == 1, else: "the reader does not see what was written")
            },
            {
                await primary.set(1)
                await isWritten.happen()
                await isAnnounced.happen()
            })
    }
}

private actor Store {
    private(set) var value = 0

    func set(_ value: Int) { self.value = value }
}
