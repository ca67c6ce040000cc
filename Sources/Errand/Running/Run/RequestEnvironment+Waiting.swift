internal import ErrandMachines

extension RequestEnvironment {
    /// Waits outside a request until a waiter is woken or a time has come.
    ///
    /// Certain to be woken by a shutdown of the client, too: the waiter is either among those woken then, or wakes
    /// itself.
    ///
    /// - Throws: ``ErrandError`` if the client is shut down, or if the task is cancelled.
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

    /// The number of such waits.
    package var waitingCount: Int { self.waiters.count }

    /// Wakes all waiters once the client is closed.
    func wakeAll() {
        for waiter in self.waiters.removeAll() { waiter.wake() }
    }
}
