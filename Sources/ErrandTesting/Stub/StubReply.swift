public import Errand
public import ErrandSimulation

public import struct Foundation.Data

/// A reply of a ``StubTransport``: a response or an error, optionally held at a gate.
public struct StubReply: Sendable {
    /// The points of an exchange at which a reply can be held.
    public enum Point: Sendable, Hashable, CaseIterable {
        /// Before the connection is established.
        case connecting
        /// After the request was sent, before the response.
        case head
        /// After the head, before the body.
        case body
    }

    /// A failure that occurs where a simulation decides so.
    private struct Fault {
        let name: String
        let code: ErrandError.Code
        let probability: Double
        let point: Point
        let simulation: Simulation.Context
    }

    private let result: Result<HTTPResponse, ErrandError>
    private var gates: [Point: StubGate] = [:]
    private var delay: (@Sendable () async throws -> Void)?
    private var faults: [Fault] = []

    /// Creates a reply.
    public init(_ result: Result<HTTPResponse, ErrandError>) {
        self.result = result
    }

    /// Returns a response with bytes.
    public static func data(_ data: Data, status: HTTPStatus = 200, headers: HTTPFields = [:]) -> StubReply {
        StubReply(.success(HTTPResponse(status: status, headers: headers, body: data)))
    }

    /// Returns a response with a text; a `Content-Type` among the header fields overrides that of plain text.
    public static func text(_ text: String, status: HTTPStatus = 200, headers: HTTPFields = [:]) -> StubReply {
        .data(Data(text.utf8), status: status, headers: headers.typed("text/plain; charset=utf-8"))
    }

    /// Returns a response with JSON; a `Content-Type` among the header fields overrides that of JSON.
    public static func json(_ json: String, status: HTTPStatus = 200, headers: HTTPFields = [:]) -> StubReply {
        .data(Data(json.utf8), status: status, headers: headers.typed("application/json"))
    }

    /// Returns a response with JSON written as a literal, such as `["nick": "Ann", "level": 3]`.
    public static func json(_ value: JSONValue, status: HTTPStatus = 200, headers: HTTPFields = [:]) -> StubReply {
        .json(value.description, status: status, headers: headers)
    }

    /// Returns a response without a body.
    public static func status(_ status: HTTPStatus, headers: HTTPFields = [:]) -> StubReply {
        .data(Data(), status: status, headers: headers)
    }

    /// Returns a failure.
    public static func failure(_ code: ErrandError.Code, _ message: String = "a planned failure") -> StubReply {
        StubReply(.failure(ErrandError(code, message)))
    }

    /// Returns the same reply, held at a point until the gate releases it.
    public func held(by gate: StubGate, at point: Point = .head) -> StubReply {
        var reply = self
        reply.gates[point] = gate
        return reply
    }

    /// Returns the same reply, delayed by a duration on a clock.
    public func delayed(by duration: Duration, on clock: any Clock<Duration>) -> StubReply {
        var reply = self
        reply.delay = { try await clock.sleep(for: duration.bounded) }
        return reply
    }

    /// Returns the same reply, but a failure where a fault of a simulation occurs.
    ///
    /// ```swift
    /// let reply = StubReply.json("[]").failing(.connectionLost, probability: 0.1, in: simulation)
    /// transport.route("/users", reply)
    /// ```
    ///
    /// The run's seed decides, as for `Simulation.Context.fault(_:probability:)`: a failing schedule replays with the
    /// same faults, and lists them. The method can be called several times, for different points or errors. The
    /// transport counts the request as received at whichever point the fault occurs.
    ///
    /// - Parameters:
    ///   - code: The error code of the failure.
    ///   - probability: The probability of the fault, from zero (never) to one (always).
    ///   - simulation: The context of the run.
    ///   - point: The point at which it occurs: before the request is sent, before the response (a server would have
    ///     processed the request), or before its body.
    ///   - name: The name of the fault point; replies with the same name share a random sequence.
    /// - Returns: The reply.
    public func failing(
        _ code: ErrandError.Code, probability: Double, in simulation: Simulation.Context, at point: Point = .head,
        name: String? = nil
    ) -> StubReply {
        var reply = self
        let name = name ?? "\(code) at \(point)"
        reply.faults.append(
            Fault(name: name, code: code, probability: probability, point: point, simulation: simulation))
        return reply
    }

    /// Performs the reply; one to a HEAD has no content (RFC 9110 §9.3.2).
    func play(_ context: ExchangeContext, isForHead: Bool) async throws(ErrandError) -> HTTPResponse {
        try await self.pass(.connecting)
        if let delay = self.delay {
            do {
                try await delay()
            } catch {
                throw ErrandError(.cancelled, "the exchange was cancelled")
            }
        }
        try await self.pass(.head)
        var response = try self.result.get()
        if isForHead { response.body = .bytes(Data()) }
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
        for fault in self.faults where fault.point == point {
            if fault.simulation.fault(fault.name, probability: fault.probability) {
                throw ErrandError(fault.code, "a fault of the simulation: \(fault.name)")
            }
        }
    }
}

extension HTTPFields {
    fileprivate func typed(_ type: String) -> HTTPFields {
        var fields = self
        if fields["Content-Type"] == nil { fields["Content-Type"] = type }
        return fields
    }
}
