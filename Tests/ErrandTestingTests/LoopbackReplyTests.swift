internal import Errand
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import ErrandTesting

@Suite(.timeLimit(.minutes(60)), .paced)
struct LoopbackReplyTests {
    private static let get = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n"

    private func server(_ reply: LoopbackReply) throws -> LoopbackServer {
        try LoopbackServer(routes: [LoopbackRoute("GET", "/a") { _ in reply }])
    }

    @Test func `JSON can be written as a literal, for a server and for a transport`() async throws {
        let literal: JSONValue = ["nick": "Ann", "level": 3, "tags": ["a", nil]]
        let text = #"{"level":3,"nick":"Ann","tags":["a",null]}"#
        let server = try self.server(.json(["nick": "Ann", "level": 3, "tags": ["a", nil]]))
        let body = try await LoopbackTestClient(server).run { socket in
            try socket.write(Self.get)
            return try socket.readBody()
        }
        #expect(body == text)
        let transport = StubTransport()
        transport.route("a", .json(["nick": "Ann", "level": 3, "tags": ["a", nil]], status: 201))
        let answer = try await Client { $0.transport = transport }.response(for: GetJSON())
        #expect(answer.value == literal)
        #expect(answer.head.status == 201)
    }

    @Test(arguments: [("0-9223372036854775807", "hello"), ("2-3", "ll"), ("-2", "lo"), ("4-", "o")])
    func `sends the range that is asked for, whatever numbers it has`(range: String, body: String) async throws {
        let server = try LoopbackServer(routes: [LoopbackRoute("GET", "/a") { .range(of: Data("hello".utf8), for: $0) }]
        )
        defer { server.stop() }
        let received = try await LoopbackTestClient(server).run { socket in
            try socket.write("GET /a HTTP/1.1\r\nHost: x\r\nRange: bytes=\(range)\r\n\r\n")
            return try socket.readBody()
        }
        #expect(received == body)
    }

    private struct GetJSON: Endpoint {
        typealias Response = JSONValue
        var path: EndpointPath { "https://api.test/a" }
    }

    // MARK: - Gates

    @Test func `holds replies until their gate opens`() async throws {
        let gate = LoopbackGate()
        let server = try server(.text("passed").held(by: gate))
        server.route("GET", "/b", .text("free"))
        let client = LoopbackTestClient(server)
        let ask: @Sendable (LoopbackTestSocket) throws -> String = { socket in
            try socket.write(Self.get)
            return try socket.readBody()
        }
        async let first = client.run(ask)
        async let second = client.run(ask)
        #expect(await gate.waitUntilReached(times: 2))
        let free = try await client.run { socket in
            try socket.write("GET /b HTTP/1.1\r\nHost: x\r\n\r\n")
            return try socket.readBody()
        }
        #expect(free == "free")
        #expect(!gate.isOpen)
        gate.open()
        gate.open()
        #expect(try await first == "passed")
        #expect(try await second == "passed")
        #expect(try await client.run(ask) == "passed")
        #expect(gate.reachedCount == 3)
    }

    @Test func `holds a body in its middle`() async throws {
        let gate = LoopbackGate()
        let message = LoopbackMessage(body: .declared(10, sent: Data("01234".utf8)))
        let server = try server(LoopbackReply(.message(message), .hold(gate), .bytes(Data("56789".utf8))))
        let body = try await LoopbackTestClient(server).run { socket in
            try socket.write(Self.get)
            _ = try socket.readHead()
            let first = try socket.read(5)
            gate.open()
            return String(decoding: first + (try socket.read(5)), as: UTF8.self)
        }
        #expect(body == "0123456789")
    }

    @Test func `closes a held connection whose client has left`() async throws {
        let gate = LoopbackGate()
        let server = try server(.text("x").held(by: gate))
        try await LoopbackTestClient(server).run { try $0.write(Self.get) }
        #expect(await server.waitForClosedConnections(1))
        #expect(server.openConnections == 0)
        gate.open()
    }

    @Test func `lets a cancelled task leave a gate`() async {
        let gate = LoopbackGate()
        let waiting = Task { await gate.waitUntilReached() }
        waiting.cancel()
        #expect(await waiting.value == false)
    }

    @Test func `serves one gate to two servers, and outlives them`() async throws {
        let gate = LoopbackGate()
        let servers = try [server(.text("1").held(by: gate)), server(.text("2").held(by: gate))]
        async let first = LoopbackTestClient(servers[0]).exchange(Self.get)
        async let second = LoopbackTestClient(servers[1]).run { socket in
            try socket.write(Self.get)
            return try socket.readBody()
        }
        await gate.waitUntilReached(times: 2)
        servers[0].stop()
        #expect(try await first.isEmpty)
        gate.open()
        #expect(try await second == "2")
    }

    // MARK: - Faults

    @Test func `resets instead of answering`() async throws {
        let server = try server(.reset)
        let (text, end) = try await LoopbackTestClient(server).run { socket in
            try socket.write(Self.get)
            return try socket.readToEnd()
        }
        #expect(text.isEmpty)
        #expect(end == .reset)
    }

    @Test(arguments: [0, 5, 3_000_000])
    func `resets after exactly so many bytes of a body`(count: Int) async throws {
        let server = try server(.resetInBody(after: count, of: Data(repeating: 0x61, count: 6_000_000)))
        let (head, body, end) = try await LoopbackTestClient(server).run { socket in
            try socket.write(Self.get)
            let head = try socket.readHead()
            let (body, end) = try socket.readToEnd()
            return (head, body, end)
        }
        #expect(head == "HTTP/1.1 200 OK\r\nContent-Length: 6000000\r\n\r\n")
        #expect(body.utf8.count == count)
        #expect(end == .reset)
    }

    @Test(arguments: [
        (LoopbackReply.cutHeader("HTTP/1.1 200 OK\r\nConte"), "HTTP/1.1 200 OK\r\nConte"),
        (.shortBody(declared: 9, sent: Data("ab".utf8)), "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab"),
        (.close, ""),
        (.raw("\u{1}anything\n").closing(), "\u{1}anything\n"),
        (
            .redirect(to: "/b").closing(),
            "HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        ),
        (
            .dripped(Data("abcde".utf8), chunk: 2, every: .milliseconds(1)).closing(),
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nabcde"
        ),
    ])
    func `puts exactly the scripted bytes on the wire`(reply: LoopbackReply, bytes: String) async throws {
        let server = try server(reply)
        #expect(try await LoopbackTestClient(server).exchange(Self.get) == bytes)
    }

    @Test func `stalls until the server stops`() async throws {
        let server = try server(.stallInBody(after: 3, of: Data("abcdef".utf8)))
        async let reply = LoopbackTestClient(server).exchange(Self.get)
        await server.waitForRequests(1)
        // A second connection whose answer shows that the loop has gone on after stalling the first.
        server.route("GET", "/b", .text("x"))
        _ = try await LoopbackTestClient(server).run { socket in
            try socket.write("GET /b HTTP/1.1\r\nHost: x\r\n\r\n")
            return try socket.readBody()
        }
        server.stop()
        #expect(try await reply == "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc")
        await server.waitUntilStopped()
        #expect(server.openConnections == 0)
    }

    @Test func `ends a stall when the client leaves`() async throws {
        let server = try server(.stall)
        try await LoopbackTestClient(server).run { try $0.write(Self.get) }
        #expect(await server.waitForClosedConnections(1))
        #expect(server.receivedCount == 1)
    }

    // MARK: - Scripts

    @Test func `spaces the pieces of a drip`() throws {
        let request = LoopbackRequest(
            method: "GET", target: "/", minorVersion: 1, connectionNumber: 1, requestNumber: 1)
        let reply = LoopbackReply(.drip(Data("abcde".utf8), chunk: 2, every: .seconds(3))).delayed(by: .seconds(9))
        var script = LoopbackScript(reply, to: request)
        var said: [String] = []
        while said.last != "finished false" {
            switch script.next() {
            case .send(let data): said.append(String(decoding: data, as: UTF8.self))
            case .sleep(let duration): said.append("\(duration.components.seconds)s")
            case .finished(let closes): said.append("finished \(closes)")
            case .hold, .reset, .close, .hangUp, .receive, .stall: Issue.record("not in the script")
            }
        }
        #expect(said == ["9s", "ab", "3s", "cd", "3s", "e", "finished false"])
    }
}
