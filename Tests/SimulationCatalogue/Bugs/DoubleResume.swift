extension PlantedBug {
    static let doubleResume = PlantedBug(
        "double-resume", depth: 2,
        "A response and a timeout both find a waiter that has not been resumed, and both resume it."
    ) { isMended, _ in
        let reply = Reply(isMended: isMended)
        try await together({ await reply.wait() }, { await reply.resolve() }, { await reply.resolve() })
        try require(await reply.resumptions == 1, else: "the continuation was resumed twice")
    }
}

private actor Reply {
    /// A second resume would end the process: it is only counted.
    private(set) var resumptions = 0
    private var waiter: CheckedContinuation<Void, Never>?
    private var isResolved = false
    private let journal = Journal()
    private let isMended: Bool

    init(isMended: Bool) { self.isMended = isMended }

    func wait() async {
        if self.resumptions == 0 { await withCheckedContinuation { self.waiter = $0 } }
    }

    func resolve() async {
        guard !self.isResolved else { return }
        // The mend: the state changes in the step that checks it.
        if self.isMended { self.isResolved = true }
        await self.journal.note()
        self.isResolved = true
        self.resumptions += 1
        if self.resumptions == 1 { self.waiter?.resume() }
    }
}
