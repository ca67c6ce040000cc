import ErrandSimulation
import ErrandSimulationTesting
import TestEffort
import Testing

@Suite("Histories as expectations", .timeLimit(.minutes(60)), .paced)
struct ExpectLinearizableTests {
    private typealias QueueHistory = History<QueueModel<Int>.Operation, Int?>

    private func history(dequeuing result: Int?) async -> QueueHistory {
        let history = QueueHistory()
        _ = await history.record(.enqueue(1)) { nil }
        _ = await history.record(.dequeue) { result }
        return history
    }

    @Test("A history that a queue can have is no issue")
    func linearizable() async {
        expectLinearizable(await self.history(dequeuing: 1), model: QueueModel())
    }

    @Test("One that a queue cannot have is an issue that shows it")
    func notLinearizable() async {
        let history = await self.history(dequeuing: 2)
        withKnownIssue {
            expectLinearizable(history, model: QueueModel())
        } matching: { issue in
            issue.comments.contains { $0.rawValue.contains("`dequeue` of client") }
        }
    }

    @Test("One that is too much for the limit is an issue, and no pass")
    func undecided() async {
        let history = await self.history(dequeuing: 1)
        withKnownIssue {
            expectLinearizable(history, model: QueueModel(), limit: 1)
        }
    }
}
