internal import Errand

// Doing something beside an exchange, and finding out without a clock that something has come to rest.
extension ConformanceScene {
    private enum Event<Value: Sendable>: Sendable {
        case exchanged(Outcome)
        case done(Result<Value, ConformanceFailure>)
    }

    /// Performs an exchange that has to end as expected, and does something else meanwhile.
    ///
    /// - Parameters:
    ///   - exchange: The exchange.
    ///   - expectation: How it has to end.
    ///   - body: What is done meanwhile; cancelled when the exchange ends.
    /// - Returns: How the exchange ended, and what came of the rest.
    /// - Throws: ``ConformanceFailure`` about whichever went wrong first.
    func whilePerforming<Value: Sendable>(
        _ exchange: ConformanceExchange, is expectation: ConformanceExpectation,
        _ body: @escaping @Sendable () async throws(ConformanceFailure) -> Value
    ) async throws(ConformanceFailure) -> (Outcome, Value) {
        self.note("performing \(exchange.method) \(exchange.path) and something beside it")
        let (outcome, result, failure) = await withTaskGroup(of: Event<Value>.self) { group in
            group.addTask { .exchanged(await self.outcome(of: exchange)) }
            group.addTask {
                do throws(ConformanceFailure) {
                    return .done(.success(try await body()))
                } catch {
                    return .done(.failure(error))
                }
            }
            var (outcome, result): (Outcome?, Result<Value, ConformanceFailure>?)
            // What went wrong first; the other one is then cancelled, and what it says of that counts for nothing.
            var failure: ConformanceFailure?
            for await event in group {
                switch event {
                case .exchanged(let ended):
                    outcome = ended
                    group.cancelAll()
                    if !expectation.holds(ended) { failure = failure ?? self.failure(expectation.words, ended.words) }
                case .done(let ended):
                    result = ended
                    if case .failure(let error) = ended {
                        failure = failure ?? error
                        group.cancelAll()
                    }
                }
            }
            return (outcome, result, failure)
        }
        if let failure { throw failure }
        guard let outcome, let result else { throw self.failure("an end", "none") }
        return (outcome, try result.get())
    }

    /// Sends small requests until a count has stayed the same for a hundred of them, and returns it.
    ///
    /// Each gives the server and the transport a turn in which they could have moved on.
    func settledCount(_ count: () -> Int) async throws(ConformanceFailure) -> Int {
        var (last, unchanged) = (count(), 0)
        while unchanged < 100 {
            try await self.work()
            let now = count()
            unchanged = now == last ? unchanged + 1 : 0
            last = now
        }
        return last
    }
}
