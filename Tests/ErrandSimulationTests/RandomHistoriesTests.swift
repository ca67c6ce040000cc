import ErrandSimulation
import TestEffort
import Testing

/// The checker against random histories, and against the plainest algorithm there is.
@Suite("Random histories", .timeLimit(.minutes(60)), .paced)
struct RandomHistoriesTests {
    typealias Queue = QueueModel<Int>
    typealias Register = RegisterModel<Int>

    @Test("No history of a sequential execution is refuted, however its operations overlap, and few are too hard")
    func sequential() throws {
        var undecided = 0
        for seed in TestEffort.schedules {
            var maker = HistoryMaker(model: Queue(), seed: seed)
            let queue = maker.make(operations: 40, clients: 4, lossEvery: 20) { $0.queueOperation() }
            switch queue.linearizability(model: Queue(), limit: 5_000) {
            case .linearizable: break
            case .notLinearizable(let error): throw error
            case .undecided: undecided += 1
            }
            var registers = HistoryMaker(model: Register(initialValue: 0), seed: seed)
            try registers.make(operations: 40, clients: 4, lossEvery: 20) { $0.registerOperation() }
                .checkLinearizable(model: Register(initialValue: 0))
        }
        #expect(undecided * 20 <= TestEffort.schedules.count)
    }

    @Test("Small histories with wrong results are judged as by trying all orders")
    func brute() {
        var counts = [0, 0]
        for seed in 0..<UInt64(TestEffort.rounds(of: 1_000)) {
            var maker = HistoryMaker(model: Queue(), seed: seed)
            let queue = maker.make(operations: 6, clients: 3, lossEvery: 6, wrongEvery: 4) { $0.queueOperation() }
            let isRight = BruteForce(Queue()).explains(queue.entries)
            #expect(queue.linearizability(model: Queue()).isLinearizable == isRight, "seed \(seed)")
            let model = Register(initialValue: 0)
            var registers = HistoryMaker(model: model, seed: seed)
            let register = registers.make(operations: 7, clients: 4, lossEvery: 4, wrongEvery: 3) {
                $0.registerOperation()
            }
            let isRegister = BruteForce(model).explains(register.entries)
            #expect(register.linearizability(model: model).isLinearizable == isRegister, "seed \(seed)")
            counts[isRight ? 1 : 0] += 1
            counts[isRegister ? 1 : 0] += 1
        }
        #expect(counts[0] > 10 && counts[1] > 10)
    }

    @Test("Keys that are checked by themselves are judged as the whole")
    func parts() {
        for seed in 0..<UInt64(TestEffort.rounds(of: 1_000)) {
            let model = DictionaryModel<Int, Int>()
            var maker = HistoryMaker(model: model, seed: seed)
            let history = maker.make(operations: 7, clients: 3, lossEvery: 9, wrongEvery: 9) {
                $0.dictionaryOperation()
            }
            let isRight = BruteForce(model).explains(history.entries)
            #expect(history.linearizability(model: model).isLinearizable == isRight, "seed \(seed)")
        }
    }

    @Test("The part that explains an error ends with the first return that makes it one")
    func explanation() throws {
        for seed in 0..<UInt64(TestEffort.rounds(of: 1_000)) {
            var maker = HistoryMaker(model: Queue(), seed: seed)
            let history = maker.make(operations: 6, clients: 3, lossEvery: 8, wrongEvery: 3) { $0.queueOperation() }
            guard case .notLinearizable(let error) = history.linearizability(model: Queue()) else { continue }
            let ends = history.entries.compactMap(\.ended).sorted()
            let first = try #require(ends.first { !BruteForce(Queue()).explains(history.entries, upTo: $0) })
            let culprit = try #require(history.entries.first { $0.ended == first })
            #expect(error.client == culprit.client, "seed \(seed)")
            #expect(error.operation == "\(culprit.operation)", "seed \(seed)")
            #expect(error.history.count { $0.hasSuffix("◀") } == 1)
        }
    }

    @Test("A search that is too long is given up")
    func limit() throws {
        let history = History<Queue.Operation, Int?>()
        for number in 0..<20 { _ = history.begin(.enqueue(number)) }
        history.end(history.begin(.dequeue), returning: 20)
        let error = #expect(throws: LinearizabilityUndecided.self) {
            try history.checkLinearizable(model: Queue(), limit: 1_000)
        }
        #expect(error?.searched == 1_000)
        let sequential = History<Queue.Operation, Int?>()
        for number in 0..<10 { sequential.end(sequential.begin(.enqueue(number)), returning: nil) }
        try sequential.checkLinearizable(model: Queue(), limit: 10)
        #expect(sequential.linearizability(model: Queue(), limit: 9).isLinearizable == nil)
        #expect(sequential.linearizability(model: Queue(), limit: -1).isLinearizable == nil)
    }
}
