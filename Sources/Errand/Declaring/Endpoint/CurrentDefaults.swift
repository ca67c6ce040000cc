internal import ErrandLocks

/// The current defaults of a client: read by every request that starts, and rarely changed.
package final class CurrentDefaults: Sendable {
    private let original: RequestPlan
    /// Set by the first change; until then, reads skip the lock.
    private let isChanged = AtomicFlag()
    private let changed: Locked<RequestPlan>

    package init(_ defaults: RequestDefaults) {
        let plan = RequestPlan(defaults)
        self.original = plan
        self.changed = Locked(plan)
    }

    /// The plan for requests that start now.
    package var plan: RequestPlan {
        self.isChanged.isSet ? self.changed.withLock { $0 } : self.original
    }

    /// Changes the defaults for requests that start later.
    ///
    /// The change is made to a copy, outside the lock, and repeated if another one intervened.
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
