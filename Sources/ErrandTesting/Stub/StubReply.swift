public import Errand

public import struct Foundation.Data

/// What a ``StubTransport`` answers: a response or an error, perhaps held at a gate on its way.
public struct StubReply: Sendable {
    /// The points of an exchange at which a reply can be held.
    public enum Point: Sendable, Hashable, CaseIterable {
        /// Before a connection is there.
        case connecting
        /// The request is sent, no response has come.
        case head
        /// The head has come, the body has not.
        case body
    }

    private let result: Result<HTTPResponse, ErrandError>
    private var gates: [Point: StubGate] = [:]
    private var delay: (@Sendable () async throws -> Void)?

    /// Creates a reply.
    public init(_ result: Result<HTTPResponse, ErrandError>) {
        self.result = result
    }

    /// A response with bytes.
    public static func data(_ data: Data, status: HTTPStatus = 200, headers: HTTPFields = [:]) -> StubReply {
        StubReply(.success(HTTPResponse(status: status, headers: headers, body: data)))
    }

    /// A response with a text.
    public static func text(_ text: String, status: HTTPStatus = 200) -> StubReply {
        .data(Data(text.utf8), status: status, headers: ["Content-Type": "text/plain; charset=utf-8"])
    }

    /// A response with JSON.
    public static func json(_ json: String, status: HTTPStatus = 200) -> StubReply {
        .data(Data(json.utf8), status: status, headers: ["Content-Type": "application/json"])
    }

    /// A response without a body.
    public static func status(_ status: HTTPStatus) -> StubReply {
        .data(Data(), status: status)
    }

    /// A failure.
    public static func failure(_ code: ErrandError.Code, _ message: String = "a planned failure") -> StubReply {
        StubReply(.failure(ErrandError(code, message)))
    }

    /// The same reply, held at a point until the gate lets it pass.
    public func held(by gate: StubGate, at point: Point = .head) -> StubReply {
        var reply = self
        reply.gates[point] = gate
        return reply
    }

    /// The same reply, so much later on a clock.
    public func delayed(by duration: Duration, on clock: any Clock<Duration>) -> StubReply {
        var reply = self
        reply.delay = { try await clock.sleep(for: duration.bounded) }
        return reply
    }

    func play(_ context: ExchangeContext) async throws(ErrandError) -> HTTPResponse {
        try await self.pass(.connecting)
        if let delay = self.delay {
            do {
                try await delay()
            } catch {
                throw ErrandError(.cancelled, "the exchange was cancelled")
            }
        }
        try await self.pass(.head)
        let response = try self.result.get()
        context.report(.responseHead(response.head))
        try await self.pass(.body)
        let size = response.data.count
        if case .memory(let limit) = context.destination, size > limit {
            throw ErrandError(.bodyTooLarge, "the response body is larger than the limit of \(limit) bytes")
        }
        context.report(.received(TransferProgress(bytes: Int64(size), total: Int64(size))))
        return response
    }

    private func pass(_ point: Point) async throws(ErrandError) {
        if let gate = self.gates[point] {
            guard await gate.pass() else { throw ErrandError(.cancelled, "the exchange was cancelled") }
        } else if Task.isCancelled {
            throw ErrandError(.cancelled, "the exchange was cancelled")
        }
    }
}
