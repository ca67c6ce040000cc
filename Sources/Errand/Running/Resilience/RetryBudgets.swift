internal import ErrandLocks
internal import ErrandMachines

/// The budgets for retries of one client, for each origin.
final class RetryBudgets: Sendable {
    private let limits: RetryBudgetMachine.Limits
    private let timebase: Timebase
    private let table = Locked(OriginTable<RetryBudgetMachine>())

    /// Makes them; returns `nil` where nothing is limited.
    init?(_ budget: RetryBudget, _ timebase: Timebase) {
        guard let limits = budget.limits else { return nil }
        self.limits = limits
        self.timebase = timebase
    }

    /// A request is sent for the first time.
    func noteRequest(to url: HTTPURL) {
        let now = self.timebase.now
        self.table.withLock { [limits] table in
            table.change(url, making: RetryBudgetMachine(limits), forgetting: { $0.isFresh(at: now) }) {
                $0.noteRequest(at: now)
            }
        }
    }

    /// A request wants to be sent again; returns whether that can be paid for.
    func withdraw(for url: HTTPURL) -> Bool {
        let now = self.timebase.now
        return self.table.withLock { [limits] table in
            table.change(url, making: RetryBudgetMachine(limits), forgetting: { $0.isFresh(at: now) }) {
                $0.withdraw(at: now)
            }
        }
    }
}
