internal import ErrandMachines

extension RequestEnvironment {
    /// Waits for something that is no request: until a waiter is woken, or a moment has come.
    ///
    /// Certain to be woken when the client is shut down as well: the waiter is among those that are woken then, or finds
    /// that it was.
    ///
    /// - Throws: ``ErrandError`` when the client is shut down, or the task is cancelled.
    package func wait(for waiter: Waiter<Void>, until moment: Duration?) async throws(ErrandError) {
        let leave = self.waiters.add(waiter)
        defer { leave() }
        if self.isClosed { waiter.wake() }
        let alarm = moment.map { self.deadlines.set($0.bounded, stopping: waiter, because: .cancelled) }
        let isCancelled = await waiter.wait() == nil
        if let alarm { self.deadlines.clear(alarm) }
        if self.isClosed { throw StopReason.clientShutDown.error }
        if isCancelled { throw .cancelled() }
    }

    /// How many wait so.
    package var waitingCount: Int { self.waiters.count }

    /// Wakes all who wait, once the client is closed.
    func wakeAll() {
        for waiter in self.waiters.removeAll() { waiter.wake() }
    }
}
