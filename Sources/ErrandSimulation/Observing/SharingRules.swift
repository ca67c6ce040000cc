/// The parts of the dependence between steps; tests leave one out to show that it is needed.
struct SharingRules: OptionSet, Sendable {
    let rawValue: Int

    /// A step that uses the handle of a task uses the task.
    static let handles = SharingRules(rawValue: 1)
    /// A step that queues a task at an actor that is already scheduled uses both.
    static let queues = SharingRules(rawValue: 1 << 1)
    /// The drain of an actor uses the tasks that are suspended within it, which it may resume unseen.
    static let suspended = SharingRules(rawValue: 1 << 2)
    /// The end of a task uses the task, and its parent if it is a child.
    static let completion = SharingRules(rawValue: 1 << 3)
    /// A cancellation or an escalation uses the task.
    static let flags = SharingRules(rawValue: 1 << 4)
    /// The use of a lock or an atomic value of `ErrandLocks` in a debug build.
    static let locks = SharingRules(rawValue: 1 << 5)
    /// The use of the clock and of the context.
    static let context = SharingRules(rawValue: 1 << 6)
    /// The step with which the run ends depends on all others.
    static let ending = SharingRules(rawValue: 1 << 7)
    /// The steps of an `async let` use the scopes of its parents.
    static let scopes = SharingRules(rawValue: 1 << 8)

    static let all = SharingRules(rawValue: (1 << 9) - 1)
}
