import ErrandSimulation

/// Writes histories down as they are drawn in the literature: events in order.
struct Timeline<Operation: Sendable, Result: Sendable> {
    enum Event {
        case call(String, Operation)
        case end(String, Result)
        case fail(String)
    }

    /// Makes a history of events; each client has one operation open at a time.
    static func history(_ events: [Event]) -> History<Operation, Result> {
        let history = History<Operation, Result>()
        var calls: [String: History<Operation, Result>.Call] = [:]
        for event in events {
            switch event {
            case .call(let client, let operation): calls[client] = history.begin(operation, by: client)
            case .end(let client, let result):
                if let call = calls.removeValue(forKey: client) { history.end(call, returning: result) }
            case .fail(let client):
                if let call = calls.removeValue(forKey: client) { history.fail(call, with: PlantedError()) }
            }
        }
        return history
    }
}

extension Linearizability {
    /// Whether there is an order; `nil` if undecided.
    var isLinearizable: Bool? {
        switch self {
        case .linearizable: true
        case .notLinearizable: false
        case .undecided: nil
        }
    }
}
