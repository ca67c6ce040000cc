internal import Errand
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import ErrandTesting

@Suite(.timeLimit(.minutes(60)), .paced)
struct LoopbackServerTests {
    private static let get = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n"

    @Test func `keeps a connection for request after request`() async throws {
        let server = try LoopbackServer()
        server.route("GET", "/a") { .text("\($0.connectionNumber).\($0.requestNumber)") }
        let bodies = try await LoopbackTestClient(server).run { socket in
            try (1...3).map { _ in
                try socket.write(Self.get)
                return try socket.readBody()
            }
        }
        #expect(bodies == ["1.1", "1.2", "1.3"])
        #expect(server.connectionsAccepted == 1)
        #expect(server.receivedCount == 3)
    }

    @Test func `answers pipelined requests in their order`() async throws {
        let server = try LoopbackServer()
        server.route("GET", "/slow") { .text($0.target).delayed(by: .milliseconds(5)) }
        server.route("*", "/*") { .text($0.target + String(decoding: $0.body, as: UTF8.self)) }
        let text = """
            GET /slow HTTP/1.1\r\nHost: x\r\n\r\nPOST /1 HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab\
            \r\nGET /2 HTTP/1.1\r\nHost: x\r\n\r\n
            """
        let bodies = try await LoopbackTestClient(server).run { socket in
            try socket.write(text)
            return try (1...3).map { _ in try socket.readBody() }
        }
        #expect(bodies == ["/slow", "/1ab", "/2"])
    }

    @Test func `reads chunked bodies with extensions and trailers`() async throws {
        let server = try LoopbackServer()
        server.route("PUT", "/a", .status(204))
        let reply = try await LoopbackTestClient(server).exchange(
            """
            PUT /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n\
            3;name=value\r\nabc\r\n0A\r\n0123456789\r\n0\r\nX-Sum: 13\r\n\r\n
            """)
        #expect(reply == "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
        let request = try #require(server.received.first)
        #expect(request.body == Data("abc0123456789".utf8))
        #expect(request.trailers["x-sum"] == "13")
    }

    @Test func `writes chunks and trailers byte by byte`() async throws {
        let server = try LoopbackServer()
        let pieces = [Data("abc".utf8), Data(), Data("0123456789".utf8)]
        server.route("GET", "/a", .chunked(pieces, trailers: ["X-Sum": "13"]).closing())
        #expect(
            try await LoopbackTestClient(server).exchange(Self.get) == """
                HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n\
                3\r\nabc\r\na\r\n0123456789\r\n0\r\nX-Sum: 13\r\n\r\n
                """)
    }

    @Test func `sends no body to HEAD, and asks the route for GET`() async throws {
        let server = try LoopbackServer()
        server.route("GET", "/a", .json("{}", headers: ["ETag": "1"]))
        let reply = try await LoopbackTestClient(server).exchange(
            "HEAD /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        #expect(
            reply == """
                HTTP/1.1 200 OK\r\nETag: 1\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\
                Connection: close\r\n\r\n
                """)
        #expect(server.received.map(\.method) == ["HEAD"])
    }

    @Test func `asks routes in order, and takes changes at once`() async throws {
        let server = try LoopbackServer(routes: [LoopbackRoute("GET", "/a/*") { _ in .text("prefix") }])
        server.route("GET", "/a/b", .text("behind"))
        server.route(where: { $0.header("x-KEY") == "1" }, handler: { _ in .text("key") })
        let client = LoopbackTestClient(server)
        func body(_ path: String) async throws -> String {
            try await client.run { socket in
                try socket.write("GET \(path) HTTP/1.1\r\nHost: x\r\nX-Key: 1\r\n\r\n")
                return try socket.readBody()
            }
        }
        #expect(try await body("/a/b") == "prefix")
        #expect(try await body("/b") == "key")
        server.route("GET", "/a/*", .text("replaced"))
        #expect(try await body("/a/b") == "replaced")
        server.replaceRoutes()
        #expect(try await body("/a/b") == "Not Found")
        server.fallback { _ in .text("fallback") }
        #expect(try await body("/a/b") == "fallback")
    }

    @Test(arguments: [
        ("/p/q?a=1&b&c=x%20y=z&%41=+", "/p/q", "a=1 b c=x y=z A=+"),
        ("http://host:1/p?a=%zz%4", "/p", "a=%zz%4"),
        ("http://host?a", "/", "a"),
        ("/p?next=http://h/x?y", "/p", "next=http://h/x?y"),
        ("*", "*", ""),
        ("/%2F?", "/%2F", ""),
    ])
    func `takes targets apart`(target: String, path: String, items: String) {
        let request = LoopbackRequest(
            method: "GET", target: target, minorVersion: 1, connectionNumber: 1, requestNumber: 1)
        #expect(request.path == path)
        let found = request.queryItems.map { item in item.value.map { "\(item.name)=\($0)" } ?? item.name }
        #expect(found.joined(separator: " ") == items)
    }

    @Test func `tells a client that waits to go on with its body`() async throws {
        let server = try LoopbackServer()
        server.route("POST", "/a") { .text(String(decoding: $0.body, as: UTF8.self)) }
        let (interim, body) = try await LoopbackTestClient(server).run { socket in
            try socket.write("POST /a HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
            let interim = try socket.readHead()
            try socket.write("ab")
            return (interim, try socket.readBody())
        }
        #expect(interim == "HTTP/1.1 100 Continue\r\n\r\n")
        #expect(body == "ab")
    }

    @Test func `leaves a client waiting for 100 where the options say so`() async throws {
        var options = LoopbackOptions()
        options.answersExpectContinue = false
        let server = try LoopbackServer(options: options)
        let reply = try await LoopbackTestClient(server).exchange(
            """
            POST /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nab
            """)
        #expect(reply.hasPrefix("HTTP/1.1 404 "))
    }

    @Test func `closes after HTTP 1.0 unless asked to keep the connection`() async throws {
        let server = try LoopbackServer(routes: [LoopbackRoute("GET", "/a") { _ in .text("x") }])
        let reply = try await LoopbackTestClient(server).exchange(
            "GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /a HTTP/1.0\r\n\r\n")
        let type = "Content-Type: text/plain; charset=utf-8\r\nContent-Length: 1\r\n"
        #expect(
            reply == """
                HTTP/1.1 200 OK\r\n\(type)Connection: keep-alive\r\n\r\nx\
                HTTP/1.1 200 OK\r\n\(type)Connection: close\r\n\r\nx
                """)
    }

    @Test func `sends large bodies to a client that reads late`() async throws {
        let server = try LoopbackServer()
        let piece = Data((0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let body = (0..<184).reduce(into: Data()) { data, _ in data += piece }
        server.route("GET", "/a", .data(body))
        let isSame = try await LoopbackTestClient(server).run { socket in
            try socket.write(Self.get + Self.get)
            let isSame = try (1...2).map { _ in
                _ = try socket.readHead()
                return try socket.read(body.count) == body
            }
            return isSame
        }
        #expect(isSame == [true, true])
    }

    // MARK: - The record

    @Test func `wakes those who wait for requests`() async throws {
        let server = try LoopbackServer()
        async let one = server.waitForRequests(1)
        async let three = server.waitForRequests(3)
        try await LoopbackTestClient(server).run { socket in
            try socket.write(Self.get + Self.get + Self.get)
            for _ in 1...3 { _ = try socket.readBody() }
        }
        #expect(await one)
        #expect(await three)
        #expect(server.received.map(\.requestNumber) == [1, 2, 3])
    }

    @Test func `lets a cancelled task go, and everyone when it stops`() async throws {
        let server = try LoopbackServer()
        let cancelled = Task { await server.waitForRequests(1) }
        let left = Task { await server.waitForRequests(1) }
        cancelled.cancel()
        #expect(await cancelled.value == false)
        server.stop()
        #expect(await left.value == false)
    }

    @Test func `keeps the latest requests and counts all`() async throws {
        var options = LoopbackOptions()
        options.recordLimit = 3
        options.keepsBodies = false
        let server = try LoopbackServer(options: options)
        let text = "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nb"
        try await LoopbackTestClient(server).run { socket in
            try socket.write(String(repeating: text, count: 8))
            for _ in 1...8 { _ = try socket.readBody() }
        }
        #expect(server.receivedCount == 8)
        #expect(server.received.map(\.requestNumber) == [6, 7, 8])
        #expect(server.received.map(\.body) == [Data(), Data(), Data()])
    }

    // MARK: - Ending

    @Test func `stops once and for all`() async throws {
        let server = try LoopbackServer()
        server.stop()
        server.stop()
        // Not by knocking at its port: another server may have been given that by now.
        #expect(await server.waitUntilStopped())
        server.stop()
        #expect(await server.waitUntilStopped())
        #expect(server.openConnections == 0)
    }

    @Test func `ends with its last reference`() async throws {
        let gate = LoopbackGate()
        var server: LoopbackServer? = try LoopbackServer()
        server?.route("GET", "/a", .text("x").held(by: gate))
        let client = try LoopbackTestClient(#require(server))
        async let reply = client.exchange(Self.get)
        await gate.waitUntilReached()
        server = nil
        #expect(try await reply.isEmpty)
    }
}
