/// A condition variable: a task releases a lock, waits for a signal, and takes the lock again.
actor AsyncCondition {
    private var lastTicket = 0
    /// The registered waiters in order; one has a continuation once it has suspended.
    private var waiting: [(ticket: Int, continuation: CheckedContinuation<Void, Never>?)] = []

    /// Waits for a signal; the caller holds the lock before and after.
    ///
    /// A signal that is sent while someone else holds the lock is never missed.
    nonisolated func wait(releasing lock: AsyncMutex) async {
        let ticket = await self.register()
        await lock.unlock()
        await self.suspend(ticket)
        await lock.lock()
    }

    /// Wakes the task that has waited longest; a signal without a waiter is lost.
    func signal() {
        if !self.waiting.isEmpty { self.waiting.removeFirst().continuation?.resume() }
    }

    func broadcast() {
        while !self.waiting.isEmpty { self.signal() }
    }

    private func register() -> Int {
        self.lastTicket += 1
        self.waiting.append((self.lastTicket, nil))
        return self.lastTicket
    }

    private func suspend(_ ticket: Int) async {
        guard let index = self.waiting.firstIndex(where: { $0.ticket == ticket }) else { return }
        await withCheckedContinuation { self.waiting[index].continuation = $0 }
    }
}
