extension PlantedBug {
    static let deliveryAfterUnsubscribing = PlantedBug(
        "delivery-after-unsubscribing", depth: 2,
        "A subscriber leaves while an event is on its way to the one before it, and gets it all the same."
    ) { isMended, _ in
        let topic = Topic(isMended: isMended)
        try await together({ await topic.publish() }, { await topic.unsubscribe(2) })
        try require(await !topic.hasDisturbed, else: "an event was delivered after unsubscribing")
    }
}

private actor Topic {
    private(set) var hasDisturbed = false
    private var subscribers = [1, 2]
    private let journal = Journal()
    private let isMended: Bool

    init(isMended: Bool) { self.isMended = isMended }

    func publish() async {
        for subscriber in self.subscribers {
            await self.journal.note()
            // The mend: who has left is passed over.
            if self.isMended, !self.subscribers.contains(subscriber) { continue }
            self.deliver(to: subscriber)
        }
    }

    func unsubscribe(_ subscriber: Int) {
        self.subscribers.removeAll { $0 == subscriber }
    }

    private func deliver(to subscriber: Int) {
        if !self.subscribers.contains(subscriber) { self.hasDisturbed = true }
    }
}
