/// The part of a request's way that sends it once more when the response takes too long, and takes the faster one.
final class HedgeStage: Stage {
    let delay: HedgePolicy.Delay
    /// After which a response is not the one that counts while there may be another.
    let failures: Set<HTTPStatus>

    init(delay: HedgePolicy.Delay, failures: Set<HTTPStatus>) {
        (self.delay, self.failures) = (delay, failures)
    }

    private enum Event: Sendable {
        case ended(Result<HTTPResponse, ErrandError>)
        /// It takes too long.
        case late
    }

    /// What to do about that.
    private enum Step: Sendable {
        case wait
        case send
        case none
    }

    func handle(
        _ request: HTTPRequest, _ run: RequestRun, _ next: NextStages
    ) async throws(ErrandError) -> HTTPResponse {
        let environment = run.environment
        environment.retryBudgets?.noteRequest(to: request.url)
        guard request.mayBeHedged else { return try await next.pass(request, run) }
        guard let owner = run.owner else { throw .cancelled() }
        let (began, delay) = (environment.timebase.now, self.delay(for: run))
        // The closure need not run in the actor: it has no part in the run but by its owner.
        let result = await withTaskGroup(of: Event.self) { group in
            func send() {
                group.addTask {
                    do throws(ErrandError) {
                        return .ended(.success(try await owner.pass(request, to: next, isAnother: false)))
                    } catch {
                        return .ended(.failure(error))
                    }
                }
            }
            func wake(after delay: Duration) {
                group.addTask { [timebase = environment.timebase] in
                    // Cancelled where there is a response before.
                    try? await timebase.sleep(until: timebase.now + delay)
                    return .late
                }
            }
            // What loses has ended when this returns.
            defer { group.cancelAll() }
            send()
            if let delay { wake(after: delay) }
            var open = 1
            var last: Result<HTTPResponse, ErrandError> = .failure(.cancelled())
            while open > 0, let event = await group.next() {
                switch event {
                case .late where Task.isCancelled: break
                case .late:
                    switch await owner.look({ self.step(of: $0, request.url, since: began) }) {
                    case .wait: if let delay { wake(after: max(delay, .milliseconds(10))) }
                    case .send:
                        open += 1
                        send()
                    case .none: break
                    }
                case .ended(let result):
                    open -= 1
                    last = result
                    if case .success(let response) = result, !self.failures.contains(response.status) { return last }
                }
            }
            return last
        }
        if case .success = result {
            environment.latencies.add(environment.timebase.now - began, of: run.endpointName)
        }
        return try result.get()
    }

    /// What to do about a response that takes too long.
    private func step(of run: RequestRun, _ url: HTTPURL, since began: Duration) -> Step {
        // It is not the server that takes its time: a slot, a token, a network or a retry is waited for.
        guard run.exchanges.underWay > 0 else { return .wait }
        guard run.environment.retryBudgets?.withdraw(for: url) ?? true else { return .none }
        run.hooks.observe(.hedged(after: run.environment.timebase.now - began), of: run.activity)
        return .send
    }

    /// When the request is sent once more; `nil` where that is not known yet.
    private func delay(for run: RequestRun) -> Duration? {
        switch self.delay {
        case .after(let delay): delay
        case .percentile(let percent, let least):
            run.environment.latencies.percentile(percent, of: run.endpointName).map { max($0, least) }
        }
    }
}

extension HTTPRequest {
    /// Whether it may be sent twice at once: hooks may have made another one of it since the stage was chosen.
    fileprivate var mayBeHedged: Bool { self.method.isIdempotent && self.body.isRepeatable }
}

extension RequestRun {
    /// The stage for a request that may be sent twice at once; `nil` for one that may not.
    var hedge: HedgeStage? {
        guard let delay = self.options.hedging.delay, let request = self.request,
            request.mayBeHedged, !self.resumesUpload,
            self.options.isInMemory
        else { return nil }
        return HedgeStage(delay: delay, failures: self.options.retries.statuses)
    }

    /// The name of the type that declares the call.
    fileprivate var endpointName: String {
        type(of: (self.endpoint as? SharedCall)?.base ?? self.endpoint).declaredName
    }
}
