/// A counter of running work; a task can wait until it is zero.
actor WaitGroup {
    private var count = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int = 0) {
        self.count = count
    }

    func add(_ count: Int = 1) {
        self.count += count
    }

    func done() throws {
        try require(self.count > 0, else: "more work is done than was added")
        self.count -= 1
        guard self.count == 0 else { return }
        for continuation in self.waiting { continuation.resume() }
        self.waiting = []
    }

    func wait() async {
        if self.count > 0 { await withCheckedContinuation { self.waiting.append($0) } }
    }
}
