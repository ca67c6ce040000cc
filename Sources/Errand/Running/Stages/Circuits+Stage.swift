internal import ErrandMachines

/// The stage that sends no requests to a failing server.
extension CircuitBreaker.Circuits: Stage {
    var mayWait: Bool { false }

    func handle(
        _ request: HTTPRequest, _ run: RequestRun, _ next: NextStages
    ) async throws(ErrandError) -> Received {
        let lease = try self.admit(to: request.url)
        // The lease is returned whatever the outcome, including cancellation.
        do throws(ErrandError) {
            let received = try await next.pass(request, run)
            let isFailure = self.failures.contains(received.response.status)
            self.end(lease, to: request.url, isFailure ? .failure : .success, run)
            return received
        } catch {
            self.end(lease, to: request.url, self.outcome(of: error, run), run)
            throw error
        }
    }

    @inline(never)
    private func end(
        _ lease: CircuitMachine.Lease, to url: HTTPURL, _ outcome: CircuitMachine.Outcome, _ run: RequestRun
    ) {
        guard let state = self.ended(lease, to: url, outcome) else { return }
        run.observe(.circuitChanged(state))
    }

    @inline(never)
    private func outcome(of error: ErrandError, _ run: RequestRun) -> CircuitMachine.Outcome {
        guard run.lifeline.stopReason == nil, error.isAbout(run.id), self.breaker.errors.contains(error.code),
            run.environment.pathMonitor.path.isSatisfied
        else { return .unknown }
        return .failure
    }
}
