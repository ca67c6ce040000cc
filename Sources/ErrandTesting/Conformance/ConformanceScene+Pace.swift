internal import Errand

// Concurrent actions during an exchange, and detecting without a clock that activity has settled.
extension ConformanceScene {
    private enum Event<Value: Sendable>: Sendable {
        case exchanged(Outcome)
        case done(Result<Value, ConformanceFailure>)
    }

    /// Performs an exchange that must end as expected, and another action concurrently.
    ///
    /// - Parameters:
    ///   - exchange: The exchange.
    ///   - expectation: The expected outcome.
    ///   - body: The concurrent action; cancelled when the exchange ends.
    /// - Returns: The outcome of the exchange, and the result of the action.
    /// - Throws: ``ConformanceFailure`` for the one that failed first.
    func whilePerforming<Value: Sendable>(
        _ exchange: ConformanceExchange, is expectation: ConformanceExpectation,
        _ body: @escaping @Sendable () async throws(ConformanceFailure) -> Value
    ) async throws(ConformanceFailure) -> (Outcome, Value) {
        self.note("performing \(exchange.method) \(exchange.path) and a concurrent action")
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
            // The first failure counts; the other task is then cancelled, and its error is ignored.
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
    /// Each gives the server and the transport an opportunity to make progress.
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
