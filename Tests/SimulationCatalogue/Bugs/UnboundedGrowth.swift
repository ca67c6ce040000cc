extension PlantedBug {
    static let unboundedGrowth = PlantedBug(
        "unbounded-growth", depth: 3,
        "Three producers find room for one before any of them has added to the buffer: it grows beyond its tolerance."
    ) { isMended, _ in
        let buffer = Buffer(isMended: isMended)
        let produce: @Sendable () async -> Void = {
            if await buffer.hasRoom() { await buffer.append() }
        }
        try await together(produce, produce, produce)
        try require(await buffer.count <= Buffer.limit + 1, else: "the buffer has outgrown its limit by two")
    }
}

private actor Buffer {
    static let limit = 2

    private(set) var count = 1
    private var promised = 1
    private let isMended: Bool

    init(isMended: Bool) { self.isMended = isMended }

    func hasRoom() -> Bool {
        // The mend: what was promised counts.
        guard (self.isMended ? self.promised : self.count) < Self.limit else { return false }
        self.promised += 1
        return true
    }

    func append() { self.count += 1 }
}
