extension PlantedBug {
    static let outOfOrderDelivery = PlantedBug(
        "out-of-order-delivery", depth: 2,
        "Events get their numbers in one order and are delivered in another."
    ) { isMended, _ in
        let publisher = Publisher(isMended: isMended)
        try await together({ await publisher.publish(parts: 3) }, { await publisher.publish(parts: 1) })
        let received = await publisher.sink.received
        try require(received == [1, 2], else: "received \(received)")
    }
}

private actor Sink {
    private(set) var received: [Int] = []
    private var early: Set<Int> = []

    func deliver(_ number: Int) { self.received.append(number) }

    func deliverInOrder(_ number: Int) {
        self.early.insert(number)
        while let next = self.early.remove(self.received.count + 1) { self.received.append(next) }
    }
}

private actor Publisher {
    let sink = Sink()
    private var last = 0
    private let journal = Journal()
    private let isMended: Bool

    init(isMended: Bool) { self.isMended = isMended }

    func publish(parts: Int) async {
        self.last += 1
        let number = self.last
        for _ in 0..<parts { await self.journal.note() }
        // The mend: the sink holds back what comes early.
        if self.isMended { await self.sink.deliverInOrder(number) } else { await self.sink.deliver(number) }
    }
}
