internal import ErrandLocks
internal import ErrandMachines

/// Sends calls that replace one another, such as the searches for a text that is being typed: each cancels the one before.
///
/// ```swift
/// let search = client.latest(debounce: .milliseconds(300))
/// let hits = try await search.send(Search(text))
/// ```
///
/// Whatever the order in which responses come, only the newest call gets its value; all others fail with
/// ``ErrandError/Code/cancelled``. Keep one for each thing on a screen; calls of different ones know nothing of each
/// other.
public final class LatestOnly: Sendable {
    private struct Call {
        let lifeline: Lifeline
        /// What wakes it from its debounce.
        let debounce = Waiter<Void>()
    }

    private let debounce: Duration
    private let environment: RequestEnvironment
    private let newest = Locked<Call?>(nil)

    init(debounce: Duration, _ environment: RequestEnvironment) {
        self.debounce = debounce
        self.environment = environment
    }

    /// Sends a call in place of the one before, which is cancelled, after the time of the debounce.
    ///
    /// Cancelling the task cancels the request. What waits for its debounce ends at once when it is cancelled, has been
    /// replaced, or the client is shut down.
    ///
    /// - Throws: ``ErrandError``; with the code ``ErrandError/Code/cancelled`` also when a newer call has taken its place.
    public func send<E: Endpoint>(
        _ endpoint: E, options: RequestOptions = RequestOptions()
    ) async throws(ErrandError) -> E.Response {
        let request = Request(endpoint, options: options, environment: self.environment)
        let call = Call(lifeline: request.lifeline)
        self.replace(with: call)
        if self.debounce > .zero {
            let end = self.environment.timebase.now + self.debounce.bounded
            // Woken before that, it goes on to a request that ends at once.
            try? await self.environment.wait(for: call.debounce, until: end)
        }
        await request.send()
        let result = await request.settledOutcome
        // Back where the caller is, so that nothing newer can begin there before it has the value.
        guard self.isNewest(request.lifeline) else { throw .cancelled("a newer call has taken its place") }
        return try result.get()
    }

    /// Cancels the newest call, if it has not ended.
    public func cancel() {
        self.replace(with: nil)
    }

    private func replace(with newest: Call?) {
        let earlier = self.newest.withLock { current in
            defer { current = newest }
            return current
        }
        earlier?.lifeline.stop(.cancelled)
        earlier?.debounce.wake()
    }

    private func isNewest(_ lifeline: Lifeline) -> Bool {
        self.newest.withLock { $0?.lifeline === lifeline }
    }
}
