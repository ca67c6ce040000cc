internal import Errand

/// One exchange of a case: the request, and the destination of the response body.
struct ConformanceExchange: Sendable {
    var method = HTTPMethod.get
    var path = "/case"
    /// The origin of the server, if it is not the one of the case.
    var origin: String?
    var headers: HTTPFields = [:]
    var body = HTTPRequest.Body.none
    var destination = ExchangeContext.BodyDestination.memory(limit: 1 << 20)
    /// True to keep a partial file when the exchange fails.
    var keepsPartOfFile = false
    var observer: (@Sendable (ExchangeEvent) -> Void)?
}

// MARK: - Performing exchanges

extension ConformanceScene {
    /// Performs an exchange and returns its outcome.
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

    /// Performs an exchange, requires the expected outcome, and returns the response if there is one.
    @discardableResult
    func expect(
        _ expectation: ConformanceExpectation, of exchange: ConformanceExchange
    ) async throws(ConformanceFailure) -> HTTPResponse? {
        self.note("performing \(exchange.method) \(exchange.path)")
        let outcome = await self.outcome(of: exchange)
        try self.require(expectation.holds(outcome), expectation.words, outcome.words)
        return try? outcome.get()
    }

    /// Performs an exchange and requires a response.
    func response(to exchange: ConformanceExchange) async throws(ConformanceFailure) -> HTTPResponse {
        self.note("performing \(exchange.method) \(exchange.path)")
        let outcome = await self.outcome(of: exchange)
        guard case .success(let response) = outcome else { throw self.failure("a response", outcome.words) }
        return response
    }

    // MARK: - Disturbing exchanges

    /// A disturbance of an exchange in flight.
    enum Disturbance {
        /// Cancels its task.
        case cancelling
        /// Shuts the transport down.
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

    /// Performs an exchange, disturbs it once it reaches a point, and requires the error for the disturbance.
    ///
    /// - Parameters:
    ///   - disturbance: The disturbance.
    ///   - exchange: The exchange.
    ///   - point: Waits until the exchange has reached the point at which to disturb it.
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
