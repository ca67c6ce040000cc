internal import ErrandMachines

/// A call that is repeated until a condition holds.
struct Poll<E: Endpoint>: Sendable {
    let endpoint: E
    let backoff: Backoff
    let limit: Duration
    let options: RequestOptions

    func run(
        in environment: RequestEnvironment, until isDone: (E.Response) throws -> Bool
    ) async throws(ErrandError) -> E.Response {
        var delays = BackoffDelays(self.backoff.rule, using: environment.random.numbers)
        if let problem = self.backoff.problem(of: "waiting") { throw problem }
        guard self.limit > .zero else { throw StopReason.totalTimedOut(self.limit).error }
        let end = environment.timebase.now + self.limit.bounded
        while true {
            let response = try await self.send(in: environment, until: end)
            do {
                if try isDone(response.value) { return response.value }
            } catch {
                throw ErrandError(wrapping: error, as: .callbackFailed, "the condition of the poll failed")
            }
            let hint = response.head.retryAfter(at: environment.date())
            let next = environment.timebase.now + max(delays.next() ?? .zero, hint ?? .zero)
            guard next < end else { throw StopReason.totalTimedOut(self.limit).error }
            try await environment.wait(for: Waiter(), until: next)
        }
    }

    private func send(
        in environment: RequestEnvironment, until end: Duration
    ) async throws(ErrandError) -> TypedResponse<E.Response> {
        let request = Request(self.endpoint, options: self.options.cacheUse(.reload), environment: environment)
        let alarm = environment.deadlines.set(end, stopping: request.lifeline, because: .totalTimedOut(self.limit))
        await request.send()
        environment.deadlines.clear(alarm)
        return try await request.settled()
    }
}
