package import Dispatch

extension DispatchQueue {
    /// Does what blocks a thread, such as to use a disk, without holding up that of a task.
    ///
    /// Cancellation does not end it: what comes next stands on what was done.
    package func perform<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await withCheckedContinuation { (continuation: CheckedContinuation<Result<Value, Failure>, Never>) in
            self.async {
                continuation.resume(returning: Result { () throws(Failure) in try work() })
            }
        }.get()
    }

    /// Does the same, and waits for it until the task is cancelled; the work is done in any case.
    ///
    /// - Returns: What it has come to; `nil` once the task is cancelled.
    @discardableResult
    func performUnlessCancelled<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value? {
        // Certain to be woken: the queue runs all it is given.
        let waiter = Waiter<Value>()
        self.async { waiter.resume(work()) }
        return await waiter.wait()
    }
}
