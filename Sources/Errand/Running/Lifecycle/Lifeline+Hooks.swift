/// Those who are told of a run, and the activity that they are shown.
///
/// A class: most runs have none, and need no room for it.
final class Watch: Sendable {
    let hooks: Hooks
    let activity: RequestActivity

    init(hooks: Hooks, activity: RequestActivity) {
        (self.hooks, self.activity) = (hooks, activity)
    }
}

/// The hooks around a run, in their order; the same for requests, batches and chains.
///
/// Watched runs have functions of their own: a task has room for all that its functions hold.
extension Lifeline {
    /// Before anything is sent: the hooks of the start, and between them it shows that it runs.
    @inline(__always)
    func enter(telling watch: Watch?) async {
        guard let watch else { return self.enter() }
        await self.enter(telling: watch)
    }

    @inline(never)
    private func enter(telling watch: Watch) async {
        await watch.hooks.willStart(watch.activity)
        self.enter()
        await watch.hooks.didStart(watch.activity)
        self.watchSuspensions(watch.hooks.suspensionObserver(of: watch.activity))
    }

    /// After all else: the hooks of the end, and between them it shows how it ended, and leaves the record.
    ///
    /// - Parameters:
    ///   - outcome: The outcome.
    ///   - watch: Those who are told.
    ///   - end: The end as they see it.
    ///   - close: Leaves the record, and tells of the outcome if that is asked for.
    @inline(__always)
    func leave(
        with outcome: RunOutcome, telling watch: Watch, _ end: () -> RequestActivity.End,
        closing close: (_ hasReaders: Bool) async -> Void
    ) async {
        let end = end()
        await watch.hooks.willStop(watch.activity, end)
        await close(self.end(outcome))
        await watch.hooks.didStop(watch.activity, end)
    }
}
