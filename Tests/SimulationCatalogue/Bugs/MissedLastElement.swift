extension PlantedBug {
    static let missedLastElement = PlantedBug(
        "missed-last-element", depth: 2,
        "A reader takes what is there and then sees that the stream has finished: what came in between is lost."
    ) { isMended, _ in
        let stream = Stream()
        try await together(
            {
                try require(
                    await stream.readAll(isMended: isMended) == [1, 2], else: "the reader has missed an element")
            },
            {
                await stream.send(1)
                await stream.send(2)
                await stream.finish()
            })
    }
}

private actor Stream {
    private var elements: [Int] = []
    private var isFinished = false
    private var changes = 0
    private var reader: CheckedContinuation<Void, Never>?

    func send(_ element: Int) {
        self.elements.append(element)
        self.noteChange()
    }

    func finish() {
        self.isFinished = true
        self.noteChange()
    }

    nonisolated func readAll(isMended: Bool) async -> [Int] {
        var elements: [Int] = []
        while true {
            let changes = await self.changes
            elements += await self.takeAll()
            if await self.isFinished { break }
            await self.waitForChange(after: changes)
        }
        // The mend: after the end nothing can come in between.
        if isMended { elements += await self.takeAll() }
        return elements
    }

    private func takeAll() -> [Int] {
        defer { self.elements = [] }
        return self.elements
    }

    private func waitForChange(after changes: Int) async {
        if changes == self.changes { await withCheckedContinuation { self.reader = $0 } }
    }

    private func noteChange() {
        self.changes += 1
        self.reader?.resume()
        self.reader = nil
    }
}
