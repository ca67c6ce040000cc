internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

/// What holds for the stub and the server alike: each test runs with both.
@Suite(.timeLimit(.minutes(60)), .paced)
struct RoutingTests {
    enum Side: CaseIterable {
        case stub, server
    }

    /// One of the two, and a transport that leads there; replies are texts.
    private struct Scene: Sendable {
        let stub: StubTransport?
        let server: LoopbackServer?
        let transport: any Transport
        let origin: String

        init(_ side: Side) throws {
            let stub = side == .stub ? StubTransport() : nil
            let server = side == .server ? try LoopbackServer() : nil
            (self.stub, self.server, self.origin) = (stub, server, server?.baseURL ?? "http://api.test/")
            self.transport = stub ?? PlainTransport()
        }

        func route(_ pattern: String, method: HTTPMethod? = nil, _ text: String) {
            self.stub?.route(pattern, method: method, .text(text))
            self.server?.route(pattern, method: method, .text(text))
        }

        func response(_ path: String, _ method: HTTPMethod = .get) async throws(ErrandError) -> HTTPResponse {
            let context = ExchangeContext(requestID: .next(), attempt: 1, destination: .memory(limit: 10_000))
            let request = HTTPRequest(method: method, url: try HTTPURL(self.origin + path))
            return try await self.transport.exchange(request, context)
        }

        func send(_ path: String, _ method: HTTPMethod = .get) async throws(ErrandError) -> String {
            String(decoding: try await self.response(path, method).data, as: UTF8.self)
        }
    }

    @Test(arguments: Side.allCases)
    func `the same pattern registered again replaces the earlier`(_ side: Side) async throws {
        let scene = try Scene(side)
        scene.route("/a", "old")
        scene.route("*", "any")
        scene.route("a", "new")
        scene.route("/a", method: .post, "posted")

        #expect(try await scene.send("a") == "new")
        #expect(try await scene.send("a", .post) == "new")
        #expect(try await scene.send("b") == "any")
    }

    @Test(arguments: Side.allCases)
    func `a status is written in the same way`(_ side: Side) async throws {
        let scene = try Scene(side)
        scene.stub?.route("*", .status(.notFound))
        scene.server?.route("*", .status(.notFound))
        #expect(try await scene.response("a").status == 404)
    }

    @Test(arguments: Side.allCases)
    func `a route with a whole URL answers requests to that host only`(_ side: Side) async throws {
        let scene = try Scene(side)
        scene.route("http://elsewhere.test/a", "elsewhere")
        scene.route("\(scene.origin)a", "here")
        scene.route("\(scene.origin)b/*", "below")

        #expect(try await scene.send("a?x=1") == "here")
        #expect(try await scene.send("b/c/d") == "below")
    }

    @Test(arguments: Side.allCases)
    func `a HEAD without a route is answered as the GET is`(_ side: Side) async throws {
        let scene = try Scene(side)
        scene.route("/a", method: .get, "content")

        #expect(try await scene.send("a", .head) == "")
    }

    @Test(arguments: Side.allCases)
    func `replies are given in turn, and the last again and again`(_ side: Side) async throws {
        let scene = try Scene(side)
        scene.stub?.route("GET", "/a", .text("1"), .text("2"))
        scene.server?.route("GET", "/a", .text("1"), .text("2"))

        for expected in ["1", "2", "2"] { #expect(try await scene.send("a") == expected) }
    }

    @Test(arguments: Side.allCases)
    func `handlers are told how often they were used`(_ side: Side) async throws {
        let scene = try Scene(side)
        scene.stub?.route(where: { $0.routedPath == "/a" }, answer: { .text("\($0.routedMethod) \($1)") })
        scene.server?.route(where: { $0.routedPath == "/a" }, answer: { .text("\($0.routedMethod) \($1)") })

        #expect(try await scene.send("a") == "GET 1")
        #expect(try await scene.send("a", .post) == "POST 2")
    }

    @Test(arguments: Side.allCases)
    func `a reply for a status takes header fields`(_ side: Side) async throws {
        let scene = try Scene(side)
        scene.stub?.route("/a", .status(503, headers: ["Retry-After": "5"]))
        scene.server?.route("/a", .status(503, headers: ["Retry-After": "5"]))

        let response = try await scene.response("a")
        #expect(response.status == 503)
        #expect(response.head.headers["retry-after"] == "5")
    }

    @Test func `texts take header fields, and a media type of their own`() async throws {
        let scene = try Scene(.stub)
        scene.stub?.route("/a", .text("a,b", headers: ["content-type": "text/csv", "ETag": "1"]))
        scene.stub?.route("/b", .json("{}", headers: ["ETag": "2"]))

        let csv = try await scene.response("a").head.headers
        #expect(csv.values(for: "Content-Type") == ["text/csv"] && csv["ETag"] == "1")
        let json = try await scene.response("b").head.headers
        #expect(json.values(for: "Content-Type") == ["application/json"] && json["ETag"] == "2")
    }

    // MARK: - Without a route

    @Test func `a request without a route lists the routes, and why one of them matches nothing`() async throws {
        let scene = try Scene(.stub)
        scene.route("users", method: .post, "x")
        scene.route("https://api.test/*", "x")
        scene.route("ftp://api.test/a", "x")
        scene.stub?.route(where: { _ in false }, .text("x"))

        let error = await #expect(throws: ErrandError.self) { try await scene.send("users?id=1") }
        #expect(error?.code == .cannotConnect)
        let message = error?.message ?? ""
        #expect(message.hasPrefix("no route for GET http://api.test/users"))
        #expect(
            message.contains("the routes are: POST /users, * https://api.test/*, * ftp://api.test/a (matches nothing"))
        #expect(message.hasSuffix("), a predicate"))
    }

    @Test func `a long list of routes is cut, and an empty one is said to be empty`() async throws {
        let scene = try Scene(.stub)
        let empty = await #expect(throws: ErrandError.self) { try await scene.send("x") }
        #expect(empty?.message.hasSuffix("; there are no routes") == true)

        for number in 0..<30 { scene.route("/\(number)", "x") }
        let error = await #expect(throws: ErrandError.self) { try await scene.send("x") }
        #expect(error?.message.hasSuffix("* /18, * /19, and 10 more") == true)
    }

    @Test func `a server's answer without a route lists the routes`() async throws {
        let scene = try Scene(.server)
        scene.route("users", method: .post, "x")

        let text = try await scene.send("users?id=1")
        #expect(text == "Not Found: no route for GET /users; the routes are: POST /users")
    }
}
