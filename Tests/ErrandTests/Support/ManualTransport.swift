internal import Errand
internal import ErrandLocks
internal import Foundation

/// A transport whose exchanges do what a test tells them.
final class ManualTransport: Transport {
    /// One exchange that is under way.
    struct Exchange: Sendable {
        let request: HTTPRequest
        let context: ExchangeContext
        fileprivate let end = Waiter<Result<HTTPResponse, ErrandError>>()

        /// Ends it with a response.
        func answer(_ text: String = "x", status: HTTPStatus = 200, headers: HTTPFields = [:]) {
            self.end.resume(.success(HTTPResponse(status: status, headers: headers, body: Data(text.utf8))))
        }
    }

    let reportsConnections: Bool
    private let exchanges = Locked<[Exchange]>([])

    init(reportsConnections: Bool = true) {
        self.reportsConnections = reportsConnections
    }

    /// Waits for an exchange, counted from 0.
    func exchange(_ number: Int = 0) async throws -> Exchange {
        await fixtureUntil { self.exchanges.withLock { $0.count } > number }
        try Task.checkCancellation()
        return self.exchanges.withLock { $0[number] }
    }

    func exchange(_ request: HTTPRequest, _ context: ExchangeContext) async throws(ErrandError) -> HTTPResponse {
        let exchange = Exchange(request: request, context: context)
        self.exchanges.withLock { $0.append(exchange) }
        guard let result = await exchange.end.wait() else { throw .cancelled() }
        return try result.get()
    }
}
