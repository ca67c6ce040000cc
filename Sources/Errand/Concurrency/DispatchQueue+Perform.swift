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
}
