/// An accessory with asynchronous hooks, which the activity waits for.
///
/// ```swift
/// actor AuditTrail: AsyncAccessory {
///     func didStop(_ activity: RequestActivity, _ end: RequestActivity.End) async {
///         await self.database.insert(activity.id, activity.name, end.attempts)
///     }
/// }
/// ```
///
/// The guarantees of ``Accessory`` apply. Hooks of accessories of both kinds run in the order in which the accessories
/// are given, each after the previous one has returned. Each hook is called once, in its asynchronous form; an
/// implementation without `async` is called as well.
///
/// The hooks of a cancelled activity run in a cancelled task. A request with such an accessory is more expensive: it
/// needs its own task from the start, so that starting it does not wait for hooks. Use it only to `await` something
/// that the request depends on; to forward events to an actor, an ``Accessory`` with an `AsyncStream` is cheaper.
public protocol AsyncAccessory: Accessory {
    /// The activity was started and is in the record.
    func willStart(_ activity: RequestActivity) async
    /// The activity is in the running state.
    func didStart(_ activity: RequestActivity) async
    /// The outcome is settled and about to be published.
    func willStop(_ activity: RequestActivity, _ end: RequestActivity.End) async
    /// The activity is over, its slot is free and it is out of the record.
    func didStop(_ activity: RequestActivity, _ end: RequestActivity.End) async
}

extension AsyncAccessory {
    /// Does nothing.
    public func willStart(_ activity: RequestActivity) async {}
    /// Does nothing.
    public func didStart(_ activity: RequestActivity) async {}
    /// Does nothing.
    public func willStop(_ activity: RequestActivity, _ end: RequestActivity.End) async {}
    /// Does nothing.
    public func didStop(_ activity: RequestActivity, _ end: RequestActivity.End) async {}
}
