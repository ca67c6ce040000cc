internal import Errand

/// One exchange of a case: what is sent, and where the body of the response goes.
struct ConformanceExchange: Sendable {
    var method = HTTPMethod.get
    var path = "/case"
    /// Where the server is, if it is not the one of the case.
    var origin: String?
    var headers: HTTPFields = [:]
    var body = HTTPRequest.Body.none
    var destination = ExchangeContext.BodyDestination.memory(limit: 1 << 20)
    /// Whether a file stays when the exchange fails.
    var keepsPartOfFile = false
    var observer: (@Sendable (ExchangeEvent) -> Void)?
}

// MARK: - Performing exchanges

extension ConformanceScene {
    /// Performs an exchange and answers how it ended.
    func outcome(of exchange: ConformanceExchange) async -> Outcome {
        do throws(ErrandError) {
            let url = try HTTPURL((exchange.origin ?? "http://127.0.0.1:\(self.server.port)") + exchange.path)
            let request = HTTPRequest(
                method: exchange.method, url: url, headers: exchange.headers, body: exchange.body)
            return .success(
                try await self.transport.exchange(
                    request,
                    ExchangeContext(
                        requestID: .next(), attempt: 1, destination: exchange.destination,
                        keepsPartOfFile: exchange.keepsPartOfFile, observer: exchange.observer))
            )
        } catch {
            return .failure(error)
        }
    }

    /// Performs an exchange that has to end as expected, and answers its response if it has one.
    @discardableResult
    func expect(
        _ expectation: ConformanceExpectation, of exchange: ConformanceExchange
    ) async throws(ConformanceFailure) -> HTTPResponse? {
        self.note("performing \(exchange.method) \(exchange.path)")
        let outcome = await self.outcome(of: exchange)
        try self.require(expectation.holds(outcome), expectation.words, outcome.words)
        return try? outcome.get()
    }

    /// Performs an exchange that has to have a response.
    func response(to exchange: ConformanceExchange) async throws(ConformanceFailure) -> HTTPResponse {
        self.note("performing \(exchange.method) \(exchange.path)")
        let outcome = await self.outcome(of: exchange)
        guard case .success(let response) = outcome else { throw self.failure("a response", outcome.words) }
        return response
    }

    // MARK: - Disturbing exchanges

    /// What is done to an exchange that is under way.
    enum Disturbance {
        /// Its task is cancelled.
        case cancelling
        /// The transport is shut down.
        case shutdown

        fileprivate var expectation: ConformanceExpectation {
            switch self {
            case .cancelling: .failure(.cancelled)
            case .shutdown: .failure(.clientShutDown)
            }
        }
    }

    private enum Event: Sendable {
        case reached
        case ended(Outcome)
    }

    /// Performs an exchange that has to last until a point is reached, disturbs it then, and wants the error for that.
    ///
    /// - Parameters:
    ///   - disturbance: What happens to it.
    ///   - exchange: The exchange.
    ///   - point: Waits until the exchange has come to where it is to be disturbed.
    /// - Throws: ``ConformanceFailure`` when it ends earlier, or in another way.
    func disturb(
        by disturbance: Disturbance, _ exchange: ConformanceExchange, at point: @escaping @Sendable () async -> Void
    ) async throws(ConformanceFailure) {
        self.note("waiting for the point at which \(exchange.method) \(exchange.path) is disturbed")
        let (wasEarly, outcome) = await withTaskGroup(of: Event.self) { group -> (Bool, Outcome?) in
            group.addTask { .ended(await self.outcome(of: exchange)) }
            group.addTask {
                await point()
                return .reached
            }
            guard case .reached = await group.next() else { return (true, await Self.outcome(of: &group)) }
            self.note("waiting for the end of \(exchange.method) \(exchange.path) after \(disturbance)")
            switch disturbance {
            case .cancelling: group.cancelAll()
            case .shutdown: self.shutTransportDown()
            }
            return (false, await Self.outcome(of: &group))
        }
        let expected = disturbance.expectation
        let words = outcome?.words ?? "an end before that"
        try self.require(!wasEarly, "an exchange that lasts until \(disturbance)", words)
        try self.require(outcome.map(expected.holds) ?? false, expected.words, words)
    }

    private static func outcome(of group: inout TaskGroup<Event>) async -> Outcome? {
        while let event = await group.next() {
            if case .ended(let outcome) = event { return outcome }
        }
        return nil
    }
}
