/// Starts an unstructured task that stays on the executor its maker prefers.
///
/// A plain `Task {}` would leave a preferred executor, and with it a simulation that wants to see every step. Whoever
/// calls this says beside the call why the task is not structured, and where it ends.
package func spawn<Success: Sendable>(
    priority: TaskPriority? = nil, _ operation: sending @escaping @isolated(any) () async -> Success
) -> Task<Success, Never> {
    guard #available(macOS 26.4, iOS 26.4, tvOS 26.4, watchOS 26.4, visionOS 26.4, *) else {
        return Task(priority: priority, operation: operation)
    }
    let preferred = unsafe withUnsafeCurrentTask { unsafe $0?.unownedTaskExecutor?.asTaskExecutor() }
    return Task(executorPreference: preferred, priority: priority, operation: operation)
}
