import ErrandSimulation

/// Judges a history by trying every order of every choice of operations: the definition itself, for a handful of them.
struct BruteForce<Model: LinearizableModel> {
    typealias Entry = History<Model.Operation, Model.Result>.Entry

    let model: Model

    init(_ model: Model) {
        self.model = model
    }

    /// Returns whether there is an order that explains the results that were there right after an event.
    func explains(_ entries: [Entry], upTo event: Int = .max) -> Bool {
        let operations = entries.filter { $0.called <= event }.map { entry in
            guard case .returned(let result) = entry.outcome, let ended = entry.ended, ended <= event else {
                return Operation(entry.operation, entry.called, nil, nil)
            }
            return Operation(entry.operation, entry.called, ended, result)
        }
        return self.canEnd([], operations)
    }

    private struct Operation {
        let operation: Model.Operation
        let called: Int
        let ended: Int?
        let result: Model.Result?

        init(_ operation: Model.Operation, _ called: Int, _ ended: Int?, _ result: Model.Result?) {
            (self.operation, self.called, self.ended, self.result) = (operation, called, ended, result)
        }
    }

    /// Whether an order in which nothing comes before what had ended can be continued to one that is right as a whole.
    private func canEnd(_ order: [Operation], _ rest: [Operation]) -> Bool {
        if rest.allSatisfy({ $0.ended == nil }), self.isRight(order) { return true }
        return rest.indices.contains { index in
            var others = rest
            let next = others.remove(at: index)
            return others.allSatisfy { $0.ended ?? .max > next.called } && self.canEnd(order + [next], others)
        }
    }

    private func isRight(_ order: [Operation]) -> Bool {
        var state = self.model.initialState
        return order.allSatisfy { operation in
            let expected = self.model.step(operation.operation, on: &state)
            return operation.result.map { $0 == expected } ?? true
        }
    }
}
