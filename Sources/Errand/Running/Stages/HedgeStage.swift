/// The stage that sends a slow request a second time, and uses the faster response.
final class HedgeStage: Stage {
    let delay: HedgePolicy.Delay
    /// Statuses with which a response does not win while another may still arrive.
    let failures: Set<HTTPStatus>

    /// - Returns: The stage; `nil` for requests that are not hedged, or whose response bodies do not go into memory.
    init?(_ options: EffectiveOptions) {
        guard let delay = options.hedging.delay, options.isInMemory else { return nil }
        (self.delay, self.failures) = (delay, options.retries.statuses)
    }

    var mayWait: Bool { true }

    private enum Event: Sendable {
        case ended(Result<Received, ErrandError>)
        /// The response is late.
        case late
    }

    /// The reaction to a late response.
    private enum Step: Sendable {
        case wait
        case send
        case none
    }

    func handle(
        _ request: HTTPRequest, _ run: RequestRun, _ next: NextStages
    ) async throws(ErrandError) -> Received {
        let environment = run.environment
        environment.retryBudgets?.noteRequest(to: request.url)
        // Hooks may have changed the request since the stage was chosen.
        guard request.mayBeSentTwice else { return try await next.pass(request, run) }
        let (began, delay) = (environment.timebase.now, self.delay(for: run))
        let result = await withTaskGroup(of: Event.self) { group in
            func send() {
                group.addTask { .ended(await next.result(of: request, run)) }
            }
            func wake(after delay: Duration) {
                group.addTask { [timebase = environment.timebase] in
                    // Cancelled if a response arrives before.
                    try? await timebase.sleep(until: timebase.now + delay)
                    return .late
                }
            }
            // The losing request has ended when this returns.
            defer { group.cancelAll() }
            send()
            if let delay { wake(after: delay) }
            var open = 1
            var last: Result<Received, ErrandError> = .failure(.cancelled())
            while open > 0, let event = await group.next() {
                switch event {
                case .late where Task.isCancelled: break
                case .late:
                    switch self.step(of: run, request.url, since: began) {
                    case .wait: if let delay { wake(after: max(delay, .milliseconds(10))) }
                    case .send:
                        open += 1
                        send()
                    case .none: break
                    }
                case .ended(let result):
                    open -= 1
                    last = result
                    if case .success(let received) = result, !self.failures.contains(received.response.status) {
                        return last
                    }
                }
            }
            return last
        }
        if case .success = result {
            environment.latencies.add(environment.timebase.now - began, of: run.declaredName)
        }
        return try result.get()
    }

    /// Returns the reaction to a late response.
    private func step(of run: RequestRun, _ url: HTTPURL, since began: Duration) -> Step {
        // The server is not the cause: the request is waiting for a slot, a token, a network, or a retry.
        guard run.withJourney({ $0.underWay }) > 0 else { return .wait }
        guard run.environment.retryBudgets?.withdraw(for: url) ?? true else { return .none }
        run.observe(.hedged(after: run.environment.timebase.now - began))
        return .send
    }

    /// The delay before the second request; `nil` if it is not known yet.
    private func delay(for run: RequestRun) -> Duration? {
        switch self.delay {
        case .after(let delay): delay
        case .percentile(let percent, let least):
            run.environment.latencies.percentile(percent, of: run.declaredName).map { max($0, least) }
        }
    }
}
