/// The innermost stage, which waits for a network if there is none.
final class ConnectivityStage: Stage {
    let limit: Duration

    /// - Returns: The stage; `nil` for requests that do not wait for a network.
    init?(_ policy: ConnectivityPolicy) {
        guard case .wait(let limit) = policy else { return nil }
        self.limit = limit
    }

    var mayWait: Bool { true }

    func handle(
        _ request: HTTPRequest, _ run: RequestRun, _ next: NextStages
    ) async throws(ErrandError) -> Received {
        let environment = run.environment
        var left = self.limit
        var hasLooked = false
        while true {
            let failure: ErrandError
            let attempts = run.attempts
            let wasSatisfied = environment.pathMonitor.path.isSatisfied
            do throws(ErrandError) {
                return try await next.pass(request, run)
            } catch {
                failure = error
            }
            // If there were several exchanges, the earlier ones reached their servers.
            guard run.mayBeSentAgain(request, after: failure),
                request.method.isIdempotent || run.attempts <= attempts + 1
            else { throw failure }
            if environment.pathMonitor.path.isSatisfied {
                // The network may just have come back.
                guard !wasSatisfied, !hasLooked else { throw failure }
                hasLooked = true
                continue
            }
            guard left > .zero else { throw failure }
            hasLooked = false
            run.withJourney { $0.networkWaits += 1 }
            run.observe(.waitingForConnectivity)
            let began = environment.timebase.now
            let isThere = await environment.waitForNetwork(until: began + left.bounded)
            run.withJourney { $0.networkWaits -= 1 }
            guard isThere else { throw run.lifeline.stopReason?.error ?? failure }
            let waited = environment.timebase.now - began
            left -= waited
            run.observe(.connectivityReturned(waited: waited))
        }
    }
}

extension RequestRun {
    /// True if an error means that the request was not sent, or if sending it again is harmless.
    fileprivate func mayBeSentAgain(_ request: HTTPRequest, after error: ErrandError) -> Bool {
        guard self.lifeline.stopReason == nil, error.isAbout(self.id), request.body.isRepeatable else { return false }
        let obstacle = error.obstacle
        if obstacle.isUnprocessed && obstacle.isConnectivity { return true }
        switch obstacle.code {
        // A partly transferred download or upload requests something else instead.
        case .connectionLost:
            let (partial, upload) = self.withJourney { ($0.reception.partial, $0.upload) }
            return request.method.isIdempotent && partial?.hasPiece(for: request) != true
                && upload?.hasBegun != true
        default: return false
        }
    }
}

extension RequestEnvironment {
    /// Waits for a network; returns false if there is none by the deadline, or if the task is cancelled.
    fileprivate func waitForNetwork(until deadline: Duration) async -> Bool {
        let (monitor, timebase) = (self.pathMonitor, self.timebase)
        let isThere = await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await path in monitor.changes where path.isSatisfied { return true }
                return false
            }
            group.addTask {
                // Cancelled when a network appears, or with the request.
                try? await timebase.sleep(until: deadline)
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
        return isThere && !Task.isCancelled
    }
}
