import ErrandSimulation

/// Makes random histories: operations that overlap, each of which takes effect on a model between its call and its end.
struct HistoryMaker<Model: LinearizableModel> {
    typealias Recorded = History<Model.Operation, Model.Result>

    private enum Client {
        case idle
        case called(Recorded.Call, Model.Operation)
        case done(Recorded.Call, Model.Operation, Model.Result)
    }

    private let model: Model
    private var state: Model.State
    private var generator: SplitMix64
    private var lastResult: Model.Result?

    init(model: Model, seed: UInt64) {
        self.model = model
        self.state = model.initialState
        self.generator = SplitMix64(seed: seed)
    }

    /// Makes a history.
    ///
    /// - Parameters:
    ///   - count: The number of operations.
    ///   - clients: How many may be open at once, but for those that fail.
    ///   - lossEvery: One in so many fails, before or after it has taken effect.
    ///   - wrongEvery: One in so many returns what another has; zero for none.
    ///   - operation: Draws an operation.
    /// - Returns: The history.
    mutating func make(
        operations count: Int, clients: Int, lossEvery: Int, wrongEvery: Int = 0,
        _ operation: (inout SplitMix64) -> Model.Operation
    ) -> Recorded {
        let history = Recorded()
        var (open, made) = ([Client](repeating: .idle, count: clients), 0)
        while made < count || open.contains(where: { if case .idle = $0 { false } else { true } }) {
            let index = self.generator.next(below: clients)
            switch open[index] {
            case .idle:
                guard made < count else { continue }
                made += 1
                let operation = operation(&self.generator)
                open[index] = .called(history.begin(operation, by: "client \(index) op \(made)"), operation)
            case .called(let call, let operation):
                guard !self.loses(call, of: history, every: 2 * lossEvery) else { open[index] = .idle; continue }
                open[index] = .done(call, operation, self.model.step(operation, on: &self.state))
            case .done(let call, _, let result):
                open[index] = .idle
                guard !self.loses(call, of: history, every: 2 * lossEvery) else { continue }
                let isWrong = wrongEvery > 0 && self.generator.next(below: wrongEvery) == 0
                history.end(call, returning: isWrong ? self.lastResult ?? result : result)
                self.lastResult = result
            }
        }
        return history
    }

    private mutating func loses(_ call: Recorded.Call, of history: Recorded, every: Int) -> Bool {
        guard self.generator.next(below: every) == 0 else { return false }
        history.fail(call, with: PlantedError())
        return true
    }
}

extension SplitMix64 {
    mutating func queueOperation() -> QueueModel<Int>.Operation {
        self.next(below: 2) == 0 ? .enqueue(self.next(below: 3)) : .dequeue
    }

    mutating func registerOperation() -> RegisterModel<Int>.Operation {
        switch self.next(below: 4) {
        case 0: .write(self.next(below: 3))
        case 1: .compareAndSwap(expected: self.next(below: 3), desired: self.next(below: 3))
        default: .read
        }
    }

    mutating func dictionaryOperation() -> DictionaryModel<Int, Int>.Operation {
        let (key, value) = (self.next(below: 2), self.next(below: 3))
        return switch self.next(below: 5) {
        case 0: .set(key, value)
        case 1: .setIfAbsent(key, value)
        case 2: .remove(key)
        default: .get(key)
        }
    }
}
