internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite(.timeLimit(.minutes(60)), .paced)
struct LoopbackEarlyReplyTests {
    private static func post(_ length: Int, _ fields: String = "") -> String {
        "POST /a HTTP/1.1\r\nHost: x\r\n\(fields)Content-Length: \(length)\r\n\r\n"
    }

    @Test func `answers before the body has come, and reads it afterwards`() async throws {
        let server = try LoopbackServer()
        server.earlyRoute("POST", "/a", .text("early"))
        let bodies = try await LoopbackTestClient(server).run { socket in
            try socket.write(Self.post(4))
            let early = try socket.readBody()
            try socket.write("abcd" + Self.post(2))
            let next = try socket.readBody()
            try socket.write("ef")
            return [early, next]
        }
        #expect(bodies == ["early", "early"])
        #expect(await server.waitForRequests(2))
        #expect(server.received.map(\.body) == [Data("abcd".utf8), Data("ef".utf8)])
        #expect(server.received.map(\.requestNumber) == [1, 2])
    }

    @Test func `answers requests without a body as well`() async throws {
        let server = try LoopbackServer()
        server.earlyRoute("*", "/a", .text("early"))
        let reply = try await LoopbackTestClient(server).exchange(
            "GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        #expect(reply.hasSuffix("early"))
        #expect(server.receivedCount == 1)
    }

    @Test func `asks nobody to go on who gets an answer`() async throws {
        let server = try LoopbackServer()
        server.earlyRoute("POST", "/a", .text("no", status: 417))
        let head = try await LoopbackTestClient(server).run { socket in
            try socket.write(Self.post(4, "Expect: 100-continue\r\n"))
            return try socket.readHead()
        }
        #expect(head.hasPrefix("HTTP/1.1 417 "))
    }

    @Test func `leaves other routes as they are`() async throws {
        let server = try LoopbackServer()
        server.earlyRoute("POST", "/b", .text("early"))
        server.route("POST", "/a") { .text(String(decoding: $0.body, as: UTF8.self)) }
        let (interim, body) = try await LoopbackTestClient(server).run { socket in
            try socket.write(Self.post(2, "Expect: 100-continue\r\n"))
            let interim = try socket.readHead()
            try socket.write("ab")
            return (interim, try socket.readBody())
        }
        #expect(interim == "HTTP/1.1 100 Continue\r\n\r\n")
        #expect(body == "ab")
    }

    @Test func `takes no more than a little while the reply is held`() async throws {
        let (server, gate) = (try LoopbackServer(), LoopbackGate())
        server.earlyRoute("POST", "/a", LoopbackReply.text("late").held(by: gate))
        let body = Data(repeating: 65, count: 40_000_000)
        async let reply = LoopbackTestClient(server).run { socket in
            try socket.write(Self.post(body.count))
            try socket.write(body)
            return try socket.readBody()
        }
        await gate.waitUntilReached()
        #expect(server.receivedCount == 0)
        gate.open()
        #expect(try await reply == "late")
        #expect(await server.waitForRequests(1))
        #expect(server.received.first?.body == body)
    }

    @Test func `closes in good order before the body has come`() async throws {
        let server = try LoopbackServer()
        server.earlyRoute("POST", "/a", LoopbackReply.text("early").closing())
        let (text, end) = try await LoopbackTestClient(server).run { socket in
            try socket.write(Self.post(1_000_000) + "abc")
            let read = try socket.readToEnd()
            return (read.text, read.end)
        }
        #expect(text.hasSuffix("Connection: close\r\n\r\nearly"))
        #expect(end == .closed)
        #expect(await server.waitForClosedConnections(1))
        #expect(server.receivedCount == 0)
    }

    @Test func `counts the bytes of all connections`() async throws {
        let server = try LoopbackServer()
        server.route("GET", "/a", .raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab"))
        let request = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n"
        for _ in 1...2 {
            _ = try await LoopbackTestClient(server).run { socket in
                try socket.write(request)
                return try socket.readBody()
            }
        }
        // What was sent is counted by the time the server sees that its client has gone.
        #expect(await server.waitForClosedConnections(2))
        #expect(server.bytesReceived == 2 * request.utf8.count)
        #expect(server.bytesSent == 2 * 40)
    }
}
