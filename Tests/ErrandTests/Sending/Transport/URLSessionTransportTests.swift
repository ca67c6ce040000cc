internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

#if canImport(ErrandURLSession)
    @testable internal import ErrandURLSession
#endif

@Suite(.timeLimit(.minutes(60)), .paced)
struct URLSessionTransportTests {
    private static let echo: LoopbackRoute.Handler = { request in
        .data(request.body, headers: ["X-Method": request.method, "X-Type": request.header("Content-Type") ?? "none"])
    }

    // MARK: - Requests

    @Test(arguments: [HTTPMethod.post, .put, .patch, .delete, "REPORT"], [0, 5, 300_000])
    func `sends bytes and receives them`(method: HTTPMethod, size: Int) async throws {
        let harness = try URLSessionTransportHarness(Self.echo)
        let body = Data((0..<size).map { UInt8(truncatingIfNeeded: $0) })
        let response = try await harness.send(method, body: .bytes(body))
        #expect(response.status == .ok)
        #expect(response.data == body)
        #expect(response.headers["X-Method"] == method.rawValue)
        #expect(response.headers["X-Type"] == (size > 0 ? "application/octet-stream" : "none"))
    }

    @Test(arguments: [0, 5, 300_000])
    func `sends a file`(size: Int) async throws {
        let harness = try URLSessionTransportHarness(Self.echo)
        let body = Data((0..<size).map { UInt8(truncatingIfNeeded: $0) })
        let file = FileManager.default.temporaryDirectory.appending(path: "errand-\(UUID().uuidString)")
        try body.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(try await harness.send(.put, body: .file(file)).data == body)
    }

    @Test(arguments: [HTTPMethod.get, .head, .delete, .options, .post])
    func `sends no body`(method: HTTPMethod) async throws {
        let harness = try URLSessionTransportHarness()
        let response = try await harness.send(method)
        #expect(response.data == Data(method == .head ? "".utf8 : "hello".utf8))
        #expect(response.headers["content-length"] == "5")
        let request = try #require(harness.server.received.first)
        #expect(request.body.isEmpty)
        #expect(request.method == method.rawValue)
        #expect(request.header("Content-Type") == nil)
    }

    @Test func `sends the fields as they are, repeated ones as one`() async throws {
        let harness = try URLSessionTransportHarness()
        _ = try await harness.send(
            .post,
            headers: [
                "X-One": "1", "x-one": "2", "Cookie": "a=1", "cookie": "b=2", "X-Empty": "", "User-Agent": "me",
                "Accept-Language": "de", "Content-Type": "text/plain", "Content-Length": "7", "X-Accent": "é",
            ],
            body: .bytes(Data("abc".utf8)))
        let fields = try #require(harness.server.received.first).headers
        #expect(fields.values(of: "X-One") == ["1, 2"])
        #expect(fields.values(of: "Cookie") == ["a=1; b=2"])
        #expect(fields.values(of: "X-Empty") == [""])
        #expect(fields.values(of: "User-Agent") == ["me"])
        #expect(fields.values(of: "Accept-Language") == ["de"])
        #expect(fields.values(of: "Content-Type") == ["text/plain"])
        #expect(fields.values(of: "Content-Length") == ["3"])
        #expect(fields.values(of: "X-Accent") == ["é"])
    }

    @Test func `says who it is`() async throws {
        let harness = try URLSessionTransportHarness()
        _ = try await harness.send()
        let fields = try #require(harness.server.received.first).headers
        #expect(fields["User-Agent"] == "Errand")
        #expect(fields["Accept-Language"] == "*")
    }

    @Test func `keeps the target, and credentials in the URL to itself`() async throws {
        let harness = try URLSessionTransportHarness()
        let url = try HTTPURL("http://user:secret@127.0.0.1:\(harness.server.port)/a%2Fb;c?x=1&y=%41+%20[]#part")
        _ = try await harness.transport.exchange(
            HTTPRequest(url: url),
            ExchangeContext(requestID: .next(), attempt: 1, destination: .memory(limit: 100)))
        let request = try #require(harness.server.received.first)
        #expect(request.target == "/a%2Fb;c?x=1&y=%41+%20%5B%5D")
        #expect(request.header("Authorization") == nil)
    }

    // MARK: - Responses

    @Test(arguments: [200, 201, 204, 206, 304, 400, 404, 410, 500, 503, 599])
    func `delivers any status`(status: Int) async throws {
        let harness = try URLSessionTransportHarness { _ in
            .status(HTTPStatus(rawValue: status), headers: ["ETag": "\"a\""])
        }
        let response = try await harness.send()
        #expect(response.status.code == status)
        #expect(response.headers["ETag"] == "\"a\"")
        #expect(response.data.isEmpty)
    }

    @Test func `keeps the fields of a head, and cookies apart`() async throws {
        let harness = try URLSessionTransportHarness { _ in
            .text(
                "",
                headers: [
                    "X-One": "1", "X-One": "2", "Set-Cookie": "a=1; Expires=Wed, 21 Oct 2015 07:28:00 GMT; Path=/",
                    "Set-Cookie": "b=\"2, 3\"", "Set-Cookie": "c=; Max-Age=0",
                ])
        }
        let fields = try await harness.send().headers
        #expect(fields["X-One"] == "1, 2")
        #expect(
            fields.values(for: "Set-Cookie") == [
                "a=1; Expires=Wed, 21 Oct 2015 07:28:00 GMT; Path=/", "b=\"2, 3\"", "c=; Max-Age=0",
            ])
    }

    @Test func `joins chunks`() async throws {
        let pieces = (0..<40).map { Data(repeating: UInt8($0), count: $0 * 1000) }
        let harness = try URLSessionTransportHarness { _ in .chunked(pieces) }
        #expect(try await harness.send().data == Data(pieces.joined()))
    }

    @Test func `decompresses`() async throws {
        let packed = try #require(Data(base64Encoded: "H4sIAAAAAAACA8tIzcnJV8igOwkAL/r4SHgAAAA="))
        let harness = try URLSessionTransportHarness { _ in .data(packed, headers: ["Content-Encoding": "gzip"]) }
        let response = try await harness.send()
        #expect(response.data == Data(String(repeating: "hello ", count: 20).utf8))
    }

    @Test func `receives what ends with the connection`() async throws {
        let harness = try URLSessionTransportHarness { _ in
            LoopbackReply(.bytes(Data("HTTP/1.0 200 OK\r\n\r\nhello".utf8)), .close)
        }
        #expect(try await harness.send().data == Data("hello".utf8))
    }

    @Test func `passes over interim responses`() async throws {
        let harness = try URLSessionTransportHarness { _ in
            LoopbackReply(
                .bytes(Data("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n".utf8)),
                .message(LoopbackMessage(body: .fixed(Data("hello".utf8)))))
        }
        let (task, events) = harness.start()
        var heads: [HTTPStatus] = []
        for await case .responseHead(let head) in events { heads.append(head.status) }
        #expect(heads == [.ok])
        #expect(try await task.value.get().data == Data("hello".utf8))
    }

    @Test(arguments: [301, 302, 303, 307, 308], ["/next", "next?a=1", "http://127.0.0.1:1/"])
    func `delivers a redirection with its body`(status: Int, location: String) async throws {
        let harness = try URLSessionTransportHarness { _ in
            .text("elsewhere", status: HTTPStatus(rawValue: status), headers: ["Location": location])
        }
        let response = try await harness.send(.post, body: .bytes(Data("abc".utf8)))
        #expect(response.status.code == status)
        #expect(response.headers["Location"] == location)
        #expect(response.data == Data("elsewhere".utf8))
        #expect(harness.server.receivedCount == 1)
    }

    @Test(arguments: ["Basic realm=\"x\"", "Digest realm=\"x\", nonce=\"1\"", "Bearer"], [HTTPMethod.get, .post])
    func `delivers a challenge`(challenge: String, method: HTTPMethod) async throws {
        let harness = try URLSessionTransportHarness { _ in
            .text("who?", status: 401, headers: ["WWW-Authenticate": challenge])
        }
        let body: HTTPRequest.Body = method == .post ? .bytes(Data(repeating: 1, count: 100_000)) : .none
        let response = try await harness.send(method, body: body)
        #expect(response.status.code == 401)
        #expect(response.headers["WWW-Authenticate"] == challenge)
        #expect(response.data == Data("who?".utf8))
        #expect(harness.server.receivedCount == 1)
    }

    @Test func `keeps a connection, but no cookies and no responses`() async throws {
        let harness = try URLSessionTransportHarness { _ in
            .text("hello", headers: ["Set-Cookie": "a=1", "Cache-Control": "max-age=3600"])
        }
        for _ in 0..<5 { _ = try await harness.send() }
        #expect(harness.server.connectionsAccepted == 1)
        #expect(harness.server.receivedCount == 5)
        #expect(harness.server.received.allSatisfy { $0.header("Cookie") == nil })
    }

    @Test func `performs two hundred exchanges at once`() async throws {
        let harness = try URLSessionTransportHarness(Self.echo)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let body = Data("number \(number)".utf8)
                    return try await harness.send(.post, body: .bytes(body)).data == body
                }
            }
            for try await isEcho in group { #expect(isEcho) }
        }
        #expect(harness.server.receivedCount == 200)
        #expect(harness.transport.inFlightCount == 0)
    }

    // MARK: - Events

    @Test func `reports the head once, and both bodies`() async throws {
        let reply = Data(repeating: 66, count: 400_000)
        let harness = try URLSessionTransportHarness { _ in .data(reply) }
        let (task, events) = harness.start(.post, body: .bytes(Data(repeating: 65, count: 200_000)))
        var heads: [HTTPStatus] = []
        var sent: [TransferProgress] = []
        var received: [TransferProgress] = []
        for await event in events {
            switch event {
            case .responseHead(let head): heads.append(head.status)
            case .sent(let progress): sent.append(progress)
            case .received(let progress): received.append(progress)
            case .connected, .interimResponse, .finished, .notice: break
            }
        }
        #expect(try await task.value.get().data == reply)
        #expect(heads == [.ok])
        #expect(sent.last == TransferProgress(bytes: 200_000, total: 200_000))
        #expect(sent.map(\.bytes) == sent.map(\.bytes).sorted())
        #expect(received.last == TransferProgress(bytes: 400_000, total: 400_000))
        #expect(received.map(\.bytes) == received.map(\.bytes).sorted())
    }
}
