/// Starts an unstructured task that stays on the executor its maker prefers.
///
/// A plain `Task {}` would leave a preferred executor, and with it a simulation that wants to see every step. Whoever
/// calls this says beside the call why the task is not structured, and where it ends.
@discardableResult
package func spawn<Success: Sendable>(
    priority: TaskPriority? = nil, _ operation: sending @escaping @isolated(any) () async -> Success
) -> Task<Success, Never> {
    // A task that is made with a preference looks it up at each of its steps, even if it prefers nothing.
    guard #available(macOS 26.4, iOS 26.4, tvOS 26.4, watchOS 26.4, visionOS 26.4, *),
        let executor = preferredExecutor()
    else { return Task(priority: priority, operation: operation) }
    return Task(executorPreference: executor, priority: priority, operation: operation)
}

/// Starts an unstructured task as ``spawn(priority:_:)`` does, and runs it here up to where it waits first.
///
/// What does not wait costs no change of thread then. Older systems of Apple's start it as any other.
func spawnImmediately<Success: Sendable>(
    @_inheritActorContext _ operation: sending @escaping @isolated(any) () async -> Success
) -> Task<Success, Never> {
    guard #available(macOS 26.4, iOS 26.4, tvOS 26.4, watchOS 26.4, visionOS 26.4, *) else {
        return spawn(operation)
    }
    guard let executor = preferredExecutor() else { return Task.immediate(operation: operation) }
    return Task.immediate(executorPreference: executor, operation: operation)
}

/// Cancels the task that is running.
func cancelCurrentTask() {
    unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
}

/// The executor that the current task was told to prefer, if any.
@available(macOS 26.4, iOS 26.4, tvOS 26.4, watchOS 26.4, visionOS 26.4, *)
func preferredExecutor() -> (any TaskExecutor)? {
    unsafe withUnsafeCurrentTask { unsafe $0?.unownedTaskExecutor?.asTaskExecutor() }
}
