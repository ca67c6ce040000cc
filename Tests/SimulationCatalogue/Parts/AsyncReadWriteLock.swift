/// A lock for many readers or one writer, in the order of the calls.
///
/// A reader waits behind a waiting writer, as in Go: a task that reads while it already reads can deadlock.
actor AsyncReadWriteLock {
    private var readers = 0
    private var isWriting = false
    private var waiting: [(isWriter: Bool, continuation: CheckedContinuation<Void, Never>)] = []

    func lockForReading() async {
        if !self.isWriting, self.waiting.isEmpty {
            self.readers += 1
        } else {
            await withCheckedContinuation { self.waiting.append((false, $0)) }
        }
    }

    func unlockForReading() {
        self.readers -= 1
        self.admit()
    }

    func lockForWriting() async {
        if !self.isWriting, self.readers == 0, self.waiting.isEmpty {
            self.isWriting = true
        } else {
            await withCheckedContinuation { self.waiting.append((true, $0)) }
        }
    }

    func unlockForWriting() {
        self.isWriting = false
        self.admit()
    }

    private func admit() {
        while let first = self.waiting.first, !self.isWriting, !first.isWriter || self.readers == 0 {
            self.waiting.removeFirst()
            if first.isWriter { self.isWriting = true } else { self.readers += 1 }
            first.continuation.resume()
        }
    }
}
