internal import ErrandLocks

/// The defaults of a client as they are now: read by every request that starts, and seldom changed.
package final class CurrentDefaults: Sendable {
    private let original: RequestPlan
    /// Whether they were ever changed; until then nobody needs the lock.
    private let isChanged = AtomicFlag()
    private let changed: Locked<RequestPlan>

    package init(_ defaults: RequestDefaults) {
        let plan = RequestPlan(defaults)
        self.original = plan
        self.changed = Locked(plan)
    }

    /// What requests that start now are made with.
    package var plan: RequestPlan {
        self.isChanged.isSet ? self.changed.withLock { $0 } : self.original
    }

    /// Changes them for requests that start later.
    ///
    /// The change is made to a copy, outside of the lock; it is made again if another one came in between.
    package func update(_ change: (inout RequestDefaults) -> Void) {
        while true {
            let plan = self.plan
            var defaults = plan.defaults
            change(&defaults)
            let next = RequestPlan(defaults)
            let isDone = self.changed.withLock { current in
                guard current === plan else { return false }
                current = next
                self.isChanged.set()
                return true
            }
            if isDone { return }
        }
    }
}
