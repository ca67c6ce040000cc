internal import ErrandMachines

/// The stage that sends a request again after a retryable failure.
final class RetryStage: Stage {
    private let policy: RetryPolicy
    private let statuses: StatusSet
    /// True if the hedging stage has registered the request with the retry budget already.
    private let isHedged: Bool

    /// - Returns: The stage; `nil` if the policy allows no retries.
    init?(_ policy: RetryPolicy, isHedged: Bool) {
        guard policy.limit > 0 else { return nil }
        (self.policy, self.statuses, self.isHedged) = (policy, StatusSet(policy.statuses), isHedged)
    }

    var mayWait: Bool { false }

    func handle(
        _ request: HTTPRequest, _ run: RequestRun, _ next: NextStages
    ) async throws(ErrandError) -> Received {
        let environment = run.environment
        if !self.isHedged { environment.retryBudgets?.noteRequest(to: request.url) }
        let request = self.withIdempotencyKey(request, environment)
        let attempts = run.attempts
        let result = await next.result(of: request, run)
        if case .success(let received) = result, !self.statuses.contains(received.response.status) { return received }
        return try await self.recover(from: result, of: request, run, next, attempts)
    }

    /// Retries the request as long as that may help.
    @inline(never)
    private func recover(
        from first: Result<Received, ErrandError>, of request: HTTPRequest, _ run: RequestRun, _ next: NextStages,
        _ attempts: Int
    ) async throws(ErrandError) -> Received {
        let environment = run.environment
        var machine = RetryMachine(limit: self.policy.limit, longestHint: self.policy.retryAfterLimit)
        var delays = BackoffDelays(self.policy.backoff.rule, using: environment.random.numbers)
        var (result, attempts) = (first, attempts)
        while let reason = self.reason(for: result, run) {
            let failure = RetryMachine.Failure(
                isRepeatable: self.mayBeSentAgain(request, after: result, run, attempts),
                hint: (try? result.get())?.response.head.retryAfter(at: environment.date()),
                timeLeft: run.timeLeft)
            let action = machine.failed(failure, delay: delays.next() ?? .zero) {
                environment.retryBudgets?.withdraw(for: request.url) ?? true
            }
            switch action {
            case .giveUp: return try result.get()
            case .refuse(let refusal):
                run.observe(.retryRefused(reason, RetryRefusal(refusal)))
                return try result.get()
            case .retry(let delay):
                let retry = ErrandError.Retry(attempt: run.attempts, reason: reason, delay: delay)
                run.withJourney { $0.retries.append(retry) }
                run.observe(.retry(retry))
                try await run.wait(for: delay)
            }
            attempts = run.attempts
            result = await next.result(of: request, run)
        }
        return try result.get()
    }

    /// The reason for a retry; `nil` if the result is not a retryable failure.
    private func reason(for result: Result<Received, ErrandError>, _ run: RequestRun) -> ErrandError.Retry.Reason? {
        switch result {
        case .success(let received):
            let status = received.response.status
            return self.statuses.contains(status) ? .status(status) : nil
        case .failure(let error):
            // The deadline of the whole request has the same error code as that of an attempt, but ends the request.
            guard run.lifeline.stopReason == nil, error.isAbout(run.id), self.policy.errors.contains(error.code)
            else { return nil }
            return .error(error.code)
        }
    }

    private func mayBeSentAgain(
        _ request: HTTPRequest, after result: Result<Received, ErrandError>, _ run: RequestRun, _ attempts: Int
    ) -> Bool {
        guard request.body.isRepeatable || !request.body.isUsedUp else { return false }
        if case .failure(let error) = result {
            // If there were several exchanges, the earlier ones reached their servers.
            if error.isUnprocessed, run.attempts <= attempts + 1 { return true }
            // The download stage requests the rest itself.
            if !error.isUnprocessed, run.partial != nil { return false }
        }
        return self.policy.methods.contains(request.method) || self.hasKept(request.idempotencyKey, run)
    }

    /// True if the last server can recognize the repeated request by its key.
    ///
    /// An interceptor, or a redirection to another origin, may have removed the key. The request may then have been
    /// processed, and would be processed twice.
    private func hasKept(_ key: String?, _ run: RequestRun) -> Bool {
        guard let key else { return false }
        guard let sent = run.withJourney({ $0.sent?.request }) else { return true }
        return self.policy.methods.contains(sent.method) || sent.idempotencyKey?.isExactly(key) == true
    }

    private func withIdempotencyKey(_ request: HTTPRequest, _ environment: RequestEnvironment) -> HTTPRequest {
        guard self.policy.addsIdempotencyKey, !self.policy.methods.contains(request.method),
            !request.headers.contains(HTTPField.Name.idempotencyKey)
        else { return request }
        var request = request
        request.headers.append(name: HTTPField.Name.idempotencyKey, value: "\"\(environment.random.makeUUID())\"")
        return request
    }
}

extension HTTPRequest {
    /// The idempotency key; `nil` if it is missing or empty.
    fileprivate var idempotencyKey: String? {
        self.headers[HTTPField.Name.idempotencyKey].flatMap { $0.isEmpty || $0 == "\"\"" ? nil : $0 }
    }
}

extension RetryRefusal {
    fileprivate init(_ refusal: RetryMachine.Refusal) {
        switch refusal {
        case .notRepeatable: self = .notRepeatable
        case .askedToWaitTooLong: self = .askedToWaitTooLong
        case .noTimeLeft: self = .noTimeLeft
        case .noBudgetLeft: self = .noBudgetLeft
        }
    }
}

extension HTTPRequest.Body {
    /// True if a one-time body has been read in part.
    fileprivate var isUsedUp: Bool {
        if case .stream(let body, _) = self { body.isUsedUp } else { false }
    }
}
