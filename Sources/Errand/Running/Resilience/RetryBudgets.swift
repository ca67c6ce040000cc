internal import ErrandLocks
internal import ErrandMachines

/// The retry budgets of a client, one for each origin.
final class RetryBudgets: Sendable {
    private let limits: RetryBudgetMachine.Limits
    private let timebase: Timebase
    private let table = Locked(OriginTable<RetryBudgetMachine>())

    /// Creates the budgets, or returns `nil` if retries are unlimited.
    init?(_ budget: RetryBudget, _ timebase: Timebase) {
        guard let limits = budget.limits else { return nil }
        self.limits = limits
        self.timebase = timebase
    }

    /// Deposits for a request that is sent for the first time.
    func noteRequest(to url: HTTPURL) {
        let now = self.timebase.now
        self.table.withLock { [limits] table in
            table.change(url, making: RetryBudgetMachine(limits), forgetting: { $0.isFresh(at: now) }) {
                $0.noteRequest(at: now)
            }
        }
    }

    /// Withdraws for a retry; returns false if the budget is exhausted.
    func withdraw(for url: HTTPURL) -> Bool {
        let now = self.timebase.now
        return self.table.withLock { [limits] table in
            table.change(url, making: RetryBudgetMachine(limits), forgetting: { $0.isFresh(at: now) }) {
                $0.withdraw(at: now)
            }
        }
    }
}
