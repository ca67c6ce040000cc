package import Dispatch

/// A place for blocking work, such as disk access: a queue, or what a simulation puts in its place.
package protocol BlockingWork: Sendable {
    /// Performs blocking work, and returns its result.
    func perform<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value
}

extension DispatchQueue: BlockingWork {
    /// Performs blocking work, such as disk access, without blocking the thread of a task.
    ///
    /// Cancellation does not end it, because later steps depend on the work.
    package func perform<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await withCheckedContinuation { (continuation: CheckedContinuation<Result<Value, Failure>, Never>) in
            self.async {
                continuation.resume(returning: Result { () throws(Failure) in try work() })
            }
        }.get()
    }

    /// Performs blocking work, and waits for it until the task is cancelled; the work is done in any case.
    ///
    /// - Returns: The result; `nil` once the task is cancelled.
    @discardableResult
    func performUnlessCancelled<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value? {
        // Certain to be woken: the queue runs all its work.
        let waiter = Waiter<Value>()
        self.async { waiter.resume(work()) }
        return await waiter.wait()
    }
}
