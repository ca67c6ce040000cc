/// Something that happens once: who waits for it afterwards does not wait at all.
actor OneTimeEvent {
    private var hasHappened = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func wait() async {
        if !self.hasHappened { await withCheckedContinuation { self.waiting.append($0) } }
    }

    func happen() {
        self.hasHappened = true
        for continuation in self.waiting { continuation.resume() }
        self.waiting = []
    }
}
