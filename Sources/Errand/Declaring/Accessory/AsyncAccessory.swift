/// An accessory whose hooks may wait: the work waits for them.
///
/// ```swift
/// actor AuditTrail: AsyncAccessory {
///     func didStop(_ activity: RequestActivity, _ end: RequestActivity.End) async {
///         await self.database.insert(activity.id, activity.name, end.attempts)
///     }
/// }
/// ```
///
/// All that is promised of an ``Accessory`` holds. Hooks of accessories of both kinds run in the order in which the
/// accessories are given, each after the one before it has returned. Each hook is called once, by its asynchronous form;
/// one that is written without `async` is called as well.
///
/// The hooks of cancelled work run in a cancelled task. A request that has such an accessory costs more: it needs a task
/// of its own from the start, so that whoever starts it does not have to wait for hooks. Use it only to `await` something
/// on which the request depends; to hand events on to an actor, an ``Accessory`` with an `AsyncStream` costs less.
public protocol AsyncAccessory: Accessory {
    /// The work was started and is in the record.
    func willStart(_ activity: RequestActivity) async
    /// The work shows as running.
    func didStart(_ activity: RequestActivity) async
    /// The outcome is settled and about to be shown.
    func willStop(_ activity: RequestActivity, _ end: RequestActivity.End) async
    /// The work is over, its slot is free and it is out of the record.
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
