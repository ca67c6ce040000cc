/// Starts an unstructured task that keeps the caller's executor preference.
///
/// A plain `Task {}` would leave a preferred executor, and with it a simulation that has to control every step. Each
/// call has a comment that says why the task is not structured, and where it ends.
@discardableResult
package func spawn<Success: Sendable>(
    priority: TaskPriority? = nil, _ operation: sending @escaping @isolated(any) () async -> Success
) -> Task<Success, Never> {
    // A task created with a preference looks it up at each of its steps, even if it is `nil`.
    guard #available(macOS 26.4, iOS 26.4, tvOS 26.4, watchOS 26.4, visionOS 26.4, *),
        let executor = preferredExecutor()
    else { return Task(priority: priority, operation: operation) }
    return Task(executorPreference: executor, priority: priority, operation: operation)
}

/// Starts an unstructured task as ``spawn(priority:_:)`` does, and runs it here until it first suspends.
///
/// Work that does not suspend then needs no thread change. Older Apple systems start it like any other task.
func spawnImmediately<Success: Sendable>(
    @_inheritActorContext _ operation: sending @escaping @isolated(any) () async -> Success
) -> Task<Success, Never> {
    guard #available(macOS 26.4, iOS 26.4, tvOS 26.4, watchOS 26.4, visionOS 26.4, *) else {
        return spawn(operation)
    }
    guard let executor = preferredExecutor() else { return Task.immediate(operation: operation) }
    return Task.immediate(executorPreference: executor, operation: operation)
}

/// Cancels the current task.
func cancelCurrentTask() {
    unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
}

/// Returns the current task's preferred executor, if any.
@available(macOS 26.4, iOS 26.4, tvOS 26.4, watchOS 26.4, visionOS 26.4, *)
func preferredExecutor() -> (any TaskExecutor)? {
    unsafe withUnsafeCurrentTask { unsafe $0?.unownedTaskExecutor?.asTaskExecutor() }
}
