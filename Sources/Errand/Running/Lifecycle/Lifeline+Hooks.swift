/// The hooks that observe a run, with the activity passed to them.
///
/// A class, because most runs have none and should not reserve space for it.
final class Watch: Sendable {
    let hooks: Hooks
    let activity: RequestActivity

    init(hooks: Hooks, activity: RequestActivity) {
        (self.hooks, self.activity) = (hooks, activity)
    }
}

/// The hooks around a run, in order.
///
/// Shared by requests, batches, and chains. Observed runs have functions of their own, because a task reserves space
/// for everything its functions hold.
extension Lifeline {
    /// Runs the start hooks before anything is sent, and publishes the running state between them.
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

    /// Runs the end hooks after everything else.
    ///
    /// Between them it publishes the terminal state and leaves the record.
    ///
    /// - Parameters:
    ///   - outcome: The outcome.
    ///   - watch: The hooks.
    ///   - end: The end as passed to the hooks.
    ///   - close: Leaves the record, and reports the outcome if there are readers.
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
