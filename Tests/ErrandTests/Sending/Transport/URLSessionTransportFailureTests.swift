internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

#if canImport(ErrandURLSession)
    @testable internal import ErrandURLSession
#endif

@Suite(.timeLimit(.minutes(60)), .paced)
struct URLSessionTransportFailureTests {
    private static let body = Data(repeating: 65, count: 200_000)

    // MARK: - Refused

    #if canImport(FoundationNetworking)
        @Test func `refuses streams where it cannot be held back`() async throws {
            let harness = try URLSessionTransportHarness()
            #expect(await harness.failure(to: .stream(buffer: 1024))?.code == .unsupported)
            #expect(harness.server.connectionsAccepted == 0)
        }
    #endif

    @Test func `refuses destinations that are no local files`() async throws {
        let harness = try URLSessionTransportHarness()
        let elsewhere = try #require(URL(string: "http://127.0.0.1/file"))
        #expect(await harness.failure(to: .file(elsewhere))?.code == .unsupported)
        #expect(harness.server.connectionsAccepted == 0)
        await harness.waitUntilIdle()
    }

    @Test(arguments: [HTTPMethod.get, .head])
    func `refuses a body where none is expected`(method: HTTPMethod) async throws {
        let harness = try URLSessionTransportHarness()
        #expect(await harness.failure(method, body: .bytes(Data([1])))?.code == .unsupported)
        #expect(await harness.failure(method, body: .file(URL(filePath: "/tmp/a")))?.code == .unsupported)
        let stream = BodyStream { { () async throws(ErrandError) -> Data? in nil } }
        #expect(await harness.failure(method, body: .stream(stream, length: nil))?.code == .unsupported)
        #expect(harness.server.connectionsAccepted == 0)
        #expect(await harness.failure(method, body: .bytes(Data())) == nil)
    }

    @Test(arguments: ["/tmp/errand-that-does-not-exist", "/tmp"])
    func `refuses files that cannot be read`(path: String) async throws {
        let harness = try URLSessionTransportHarness()
        #expect(await harness.failure(.post, body: .file(URL(filePath: path)))?.code == .encodingFailed)
        #expect(harness.server.connectionsAccepted == 0)
        await harness.waitUntilIdle()
    }

    // MARK: - No connection

    @Test func `cannot connect where nobody listens`() async throws {
        let transport = URLSessionTransport()
        // A port of the system's, which no server of a test is ever given.
        let error = await #expect(throws: ErrandError.self) {
            try await transport.exchange(
                HTTPRequest(url: HTTPURL("http://127.0.0.1:1/")),
                ExchangeContext(requestID: .next(), attempt: 1, destination: .memory(limit: 100)))
        }
        #expect(error?.code == .cannotConnect)
        #expect(error?.cause is URLError)
    }

    @Test func `finds no host of an invalid name`() async throws {
        let transport = URLSessionTransport()
        let error = await #expect(throws: ErrandError.self) {
            try await transport.exchange(
                HTTPRequest(url: HTTPURL("http://errand.invalid/")),
                ExchangeContext(requestID: .next(), attempt: 1, destination: .memory(limit: 100)))
        }
        #expect([.hostNotFound, .cannotConnect].contains(error?.code))
    }

    @Test func `fails to agree on TLS with a server that does not speak it`() async throws {
        let harness = try URLSessionTransportHarness()
        let error = await #expect(throws: ErrandError.self) {
            try await harness.transport.exchange(
                HTTPRequest(url: HTTPURL("https://127.0.0.1:\(harness.server.port)/")),
                ExchangeContext(requestID: .next(), attempt: 1, destination: .memory(limit: 100)))
        }
        #expect(error?.code == .tlsFailed)
    }

    // MARK: - Lost on the way

    @Test(arguments: [
        LoopbackReply.close,
        .reset,
        .shortBody(declared: 10, sent: Data("abc".utf8)),
        .resetInBody(after: 100_000, of: Self.body),
        LoopbackReply(
            .bytes(Data("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab".utf8)), .close),
    ])
    func `loses a connection`(reply: LoopbackReply) async throws {
        let harness = try URLSessionTransportHarness { _ in reply }
        for method in [HTTPMethod.get, .post] {
            let error = await harness.failure(method, body: method == .post ? .bytes(Data("abc".utf8)) : .none)
            #expect(error?.code == .connectionLost, "\(method): \(String(describing: error))")
            #expect(error?.cause is URLError)
        }
        #expect(harness.transport.inFlightCount == 0)
    }

    @Test func `refuses a header of a mebibyte`() async throws {
        let harness = try URLSessionTransportHarness { _ in
            .text("hello", headers: ["X-Long": String(repeating: "a", count: 1 << 20)])
        }
        #expect(await harness.failure()?.code == .invalidResponse)
        await harness.waitUntilIdle()
    }

    @Test(arguments: [100, 100_000, 4_000_000])
    func `sends a body once even if a kept connection is closed`(size: Int) async throws {
        let harness = try URLSessionTransportHarness { $0.requestNumber > 1 ? .close : .text("hello") }
        _ = try await harness.send()
        let error = await harness.failure(.post, body: .bytes(Data(repeating: 1, count: size)))
        #expect(error?.code == .connectionLost)
        await harness.waitUntilIdle()
        #expect(harness.server.received.map(\.method) == ["GET", "POST"])
    }

    @Test(arguments: [
        "SSH-2.0-server\r\n",
        "HTTP/3.7 200 OK\r\n\r\n",
        "HTTP/1.1 99 Low\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nabcde",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n",
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nabcde",
        "HTTP/1.1 200 OK\r\nContent-Encoding: odd\r\nContent-Length: 5\r\n\r\nabcde",
    ])
    func `tells what is not HTTP`(bytes: String) async throws {
        let harness = try URLSessionTransportHarness { _ in LoopbackReply(.bytes(Data(bytes.utf8)), .close) }
        let error = await harness.failure()
        #expect(error?.code == .invalidResponse, "\(String(describing: error))")
    }

    // MARK: - Too large

    @Test(arguments: [
        LoopbackReply.data(Self.body),
        .chunked([Self.body, Self.body]),
        .stallInBody(after: 100_000, of: Self.body),
        LoopbackReply(.message(LoopbackMessage(body: .declared(1 << 60, sent: Self.body))), .stall),
        LoopbackReply(.bytes(Data("HTTP/1.1 200 OK\r\n\r\n".utf8) + Self.body), .stall),
        .text(String(repeating: "a", count: 10_001), status: 302, headers: ["Location": "/"]),
        .text(String(repeating: "a", count: 10_001), status: 401, headers: ["WWW-Authenticate": "Basic realm=\"x\""]),
    ])
    func `stops at the limit`(reply: LoopbackReply) async throws {
        let harness = try URLSessionTransportHarness { _ in reply }
        #expect(await harness.failure(to: .memory(limit: 10_000))?.code == .bodyTooLarge)
        await harness.waitUntilIdle()
    }

    @Test func `takes what just fits`() async throws {
        let harness = try URLSessionTransportHarness { request in
            request.path == "/chunked" ? .chunked([Self.body]) : .data(Self.body)
        }
        let fitting = ExchangeContext.BodyDestination.memory(limit: Self.body.count)
        #expect(try await harness.send(to: fitting).data == Self.body)
        #expect(try await harness.send(.get, "chunked", to: fitting).data == Self.body)
        #expect(try await harness.send(.head, to: .memory(limit: 0)).headers["Content-Length"] == "200000")
    }
}
