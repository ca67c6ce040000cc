internal import Errand
internal import ErrandTesting
internal import Foundation

#if canImport(ErrandURLSession)
    @testable internal import ErrandURLSession
#endif

/// A transport and a server for it to talk to.
struct URLSessionTransportHarness {
    let server: LoopbackServer
    let transport: URLSessionTransport

    /// A transport that has streams, also where URLSession cannot be held back.
    static var streaming: URLSessionTransport {
        #if canImport(FoundationNetworking)
            URLSessionTransport(streaming: .unbounded)
        #else
            URLSessionTransport()
        #endif
    }

    init(
        _ handler: @escaping LoopbackRoute.Handler = { _ in .text("hello") },
        over transport: URLSessionTransport = URLSessionTransport()
    ) throws {
        self.transport = transport
        self.server = try LoopbackServer(routes: [LoopbackRoute("*", "/*", handler: handler)])
    }

    func send(
        _ method: HTTPMethod = .get, _ path: String = "", headers: HTTPFields = [:], body: HTTPRequest.Body = .none,
        to destination: ExchangeContext.BodyDestination = .memory(limit: 1 << 24),
        observer: (@Sendable (ExchangeEvent) -> Void)? = nil
    ) async throws(ErrandError) -> HTTPResponse {
        let url = try HTTPURL(self.server.baseURL + path)
        return try await self.transport.exchange(
            HTTPRequest(method: method, url: url, headers: headers, body: body),
            ExchangeContext(requestID: .next(), attempt: 1, destination: destination, observer: observer))
    }

    /// The error a sending ends with.
    func failure(
        _ method: HTTPMethod = .get, _ path: String = "", body: HTTPRequest.Body = .none,
        to destination: ExchangeContext.BodyDestination = .memory(limit: 1 << 24)
    ) async -> ErrandError? {
        do throws(ErrandError) {
            _ = try await self.send(method, path, body: body, to: destination)
            return nil
        } catch {
            return error
        }
    }

    /// Starts a sending in a task, with the events it reports.
    func start(
        _ method: HTTPMethod = .get, _ path: String = "", body: HTTPRequest.Body = .none,
        to destination: ExchangeContext.BodyDestination = .memory(limit: 1 << 24)
    ) -> (task: Task<Result<HTTPResponse, ErrandError>, Never>, events: AsyncStream<ExchangeEvent>) {
        let (events, continuation) = AsyncStream.makeStream(of: ExchangeEvent.self)
        let task = Task { [self] in
            defer { continuation.finish() }
            do throws(ErrandError) {
                return Result<HTTPResponse, ErrandError>.success(
                    try await self.send(method, path, body: body, to: destination) { continuation.yield($0) })
            } catch {
                return .failure(error)
            }
        }
        return (task, events)
    }

    /// The stream that a body comes as.
    func stream(_ path: String = "", buffer: Int = 1 << 16) async throws -> BodyStream {
        guard case .stream(let stream) = try await self.send(.get, path, to: .stream(buffer: buffer)).body else {
            throw FixtureError(description: "there is no stream")
        }
        return stream
    }

    /// Waits until nothing is under way any more; the time limit of the suite ends a wait in vain.
    func waitUntilIdle() async {
        while self.transport.inFlightCount > 0 { await Task.yield() }
    }
}

extension Result where Failure == ErrandError {
    /// The code of the failure.
    var code: ErrandError.Code? {
        if case .failure(let error) = self { error.code } else { nil }
    }
}
