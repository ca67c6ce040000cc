internal import ErrandLocks
internal import ErrandMachines

/// Sends calls that replace one another, such as searches while typing: each call cancels the previous one.
///
/// ```swift
/// let search = client.latest(debounce: .milliseconds(300))
/// let hits = try await search.send(Search(text))
/// ```
///
/// Whatever the order of the responses, only the newest call returns its value; all others fail with
/// ``ErrandError/Code/cancelled``. Keep one instance for each element of the user interface. Calls of different
/// instances are independent.
public final class LatestOnly: Sendable {
    private struct Call {
        let lifeline: Lifeline
        /// Ends the debounce early.
        let debounce = Waiter<Void>()
    }

    private let debounce: Duration
    private let environment: RequestEnvironment
    private let newest = Locked<Call?>(nil)

    init(debounce: Duration, _ environment: RequestEnvironment) {
        self.debounce = debounce
        self.environment = environment
    }

    /// Sends a call after the debounce interval, replacing and cancelling the previous one.
    ///
    /// Cancelling the task cancels the request. A call that waits for its debounce interval ends at once when it is
    /// cancelled or replaced, or when the client is shut down.
    ///
    /// - Throws: ``ErrandError``; with the code ``ErrandError/Code/cancelled`` also if a newer call has replaced this
    ///   one.
    public func send<E: Endpoint>(
        _ endpoint: E, options: RequestOptions = RequestOptions()
    ) async throws(ErrandError) -> E.Response {
        let request = Request(endpoint, options: options, environment: self.environment)
        let call = Call(lifeline: request.lifeline)
        self.replace(with: call)
        if self.debounce > .zero {
            let end = self.environment.timebase.now + self.debounce.bounded
            // If woken earlier, it proceeds to a request that ends at once.
            try? await self.environment.wait(for: call.debounce, until: end)
        }
        await request.send()
        let result = await request.settledOutcome
        // Checked in the caller's isolation, so that no newer call can begin there before the caller has the value.
        guard self.isNewest(request.lifeline) else { throw .cancelled("the call was replaced by a newer one") }
        return try result.get()
    }

    /// Cancels the newest call if it has not ended.
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
