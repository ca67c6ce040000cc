/// The hooks around a run, in their order; the same for requests, batches and chains.
extension Lifeline {
    /// Before anything is sent: the hooks of the start, and between them it shows that it runs.
    @inline(never)
    func enter(_ hooks: Hooks, _ activity: RequestActivity) async {
        await hooks.willStart(activity)
        self.enter()
        await hooks.didStart(activity)
        self.watchSuspensions(hooks.suspensionObserver(of: activity))
    }
}
