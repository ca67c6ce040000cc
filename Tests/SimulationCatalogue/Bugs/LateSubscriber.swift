extension PlantedBug {
    static let lateSubscriber = PlantedBug(
        "late-subscriber", depth: 1,
        "An announcement after long work is made before anybody has subscribed, and is not repeated."
    ) { isMended, _ in
        let (announcer, journal) = (Announcer(isMended: isMended), Journal())
        try await together(
            { await announcer.wait() },
            {
                for _ in 0..<40 { await journal.note() }
                await announcer.announce()
            })
    }
}

private actor Announcer {
    private var hasAnnounced = false
    private var subscribers: [CheckedContinuation<Void, Never>] = []
    private let isMended: Bool

    init(isMended: Bool) { self.isMended = isMended }

    func wait() async {
        // The mend: who comes late is told at once.
        if self.isMended, self.hasAnnounced { return }
        await withCheckedContinuation { self.subscribers.append($0) }
    }

    func announce() {
        self.hasAnnounced = true
        for subscriber in self.subscribers { subscriber.resume() }
        self.subscribers = []
    }
}
