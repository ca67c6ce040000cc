internal import ErrandMachines

/// The part of a request's way that sends nothing to a server which fails.
struct CircuitStage: Stage {
    let circuits: Circuits

    func handle(
        _ request: HTTPRequest, _ run: RequestRun, _ next: NextStages
    ) async throws(ErrandError) -> HTTPResponse {
        let lease = try self.circuits.admit(to: request.url)
        // However it ends, by being cancelled too, the lease comes back.
        let result = await run.result(of: request, next)
        if let state = self.circuits.ended(lease, to: request.url, self.outcome(of: result, run)) {
            run.hooks.observe(.circuitChanged(state), of: run.activity)
        }
        return try result.get()
    }

    private func outcome(
        of result: Result<HTTPResponse, ErrandError>, _ run: RequestRun
    ) -> CircuitMachine.Outcome {
        switch result {
        case .success(let response):
            return self.circuits.breaker.statuses.contains(response.status) ? .failure : .success
        case .failure(let error):
            guard run.lifeline.stopReason == nil, self.circuits.breaker.errors.contains(error.code),
                run.environment.pathMonitor.path.isSatisfied
            else { return .unknown }
            return .failure
        }
    }
}

extension RequestRun {
    /// The stage for a request that is not sent to a server which fails; `nil` where there is none.
    var circuit: CircuitStage? {
        guard let circuits = self.environment.circuits, self.endpoint.usesCircuitBreaker else { return nil }
        return CircuitStage(circuits: circuits)
    }
}
