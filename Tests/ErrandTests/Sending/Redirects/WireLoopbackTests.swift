internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

#if canImport(ErrandURLSession)
    @testable internal import ErrandURLSession
#endif

@Suite("Redirects, cookies and credentials over real connections", .timeLimit(.minutes(60)), .paced)
struct WireLoopbackTests {
    enum Way: CaseIterable, CustomTestStringConvertible {
        case platform, urlSession

        var testDescription: String { "\(self)" }
    }

    private func client(
        _ server: LoopbackServer, _ way: Way, _ configure: (inout Client.Configuration) -> Void = { _ in }
    ) -> Client {
        Client(baseURL: server.baseURL) {
            $0.options = $0.options.timeouts(Timeouts(attempt: .seconds(3_600)))
            if way == .urlSession { $0.transport = URLSessionTransport() }
            configure(&$0)
        }
    }

    @Test(arguments: Way.allCases)
    func `a chain of redirections is followed, relative ones too`(way: Way) async throws {
        let server = try LoopbackServer()
        server.replaceRoutes(with: [
            LoopbackRoute("GET", "/a/start") { _ in .redirect(to: "next") },
            LoopbackRoute(where: { $0.target == "/a/next" }, handler: { _ in .redirect(to: "?x=1", status: 301) }),
            LoopbackRoute(
                where: { $0.target == "/a/next?x=1" }, handler: { _ in .redirect(to: "../end", status: 308) }),
            LoopbackRoute("GET", "/end") { _ in .text("here") },
        ])
        let response = try await self.client(server, way).response(for: FixtureText("a/start"))
        #expect(response.value == "here")
        #expect(response.url.string == server.baseURL + "end")
        #expect(response.redirects == 3)
        #expect(server.received.map(\.target) == ["/a/start", "/a/next", "/a/next?x=1", "/end"])
        server.stop()
    }

    @Test(arguments: Way.allCases, [307, 308])
    func `a body is sent again`(way: Way, status: Int) async throws {
        let server = try LoopbackServer()
        server.route("POST", "/a", .redirect(to: "/b", status: HTTPStatus(rawValue: status)))
        server.route("POST", "/b") { .data($0.body) }
        let body = String(repeating: "content ", count: 20_000)
        let file = FileManager.default.temporaryDirectory.appending(path: "errand-\(UUID().uuidString)")
        try Data(body.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        for kind in [RequestBody.text(body), .file(file)] {
            let endpoint = FixtureText("a") {
                $0.method = .post
                $0.body = kind
            }
            #expect(try await self.client(server, way).send(endpoint) == body)
        }
        #expect(server.received.map(\.body.count) == Array(repeating: body.utf8.count, count: 4))
        server.stop()
    }

    @Test(arguments: Way.allCases)
    func `another port is another origin`(way: Way) async throws {
        let (server, other) = (try LoopbackServer(), try LoopbackServer())
        server.route("GET", "/a", .redirect(to: "\(other.baseURL)b"))
        other.route("GET", "/b", .text("here"))
        let client = self.client(server, way) {
            $0.credentials.origin = .basic(user: "Ann", password: "secret")
            $0.credentials.secretHeaders = ["X-Api-Key"]
        }
        let endpoint = FixtureText("a") { $0.headers = ["X-Api-Key": "k", "Cookie": "a=1", "X-Other": "o"] }
        #expect(try await client.send(endpoint) == "here")
        let (first, second) = (try #require(server.received.first), try #require(other.received.first))
        #expect(first.header("Authorization") == "Basic QW5uOnNlY3JldA==")
        #expect(first.header("Cookie") == "a=1")
        #expect(second.header("Authorization") == nil)
        #expect(second.header("Cookie") == nil)
        #expect(second.header("X-Api-Key") == nil)
        #expect(second.header("X-Other") == "o")
        #expect(second.header("Host") == "127.0.0.1:\(other.port)")
        server.stop()
        other.stop()
    }

    @Test(arguments: Way.allCases)
    func `a login sets a cookie and leads on`(way: Way) async throws {
        let server = try LoopbackServer()
        server.route("POST", "/login", .redirect(to: "/home", status: 303, headers: ["Set-Cookie": "s=1; HttpOnly"]))
        server.route("GET", "/home") { .text($0.header("Cookie") ?? "nobody") }
        let client = self.client(server, way) { $0.cookies = .perClient }
        let login = FixtureText("login") {
            $0.method = .post
            $0.body = .text("password")
        }
        #expect(try await client.send(login) == "s=1")
        #expect(try await client.send(FixtureText("home")) == "s=1")
        #expect(server.received[1].header("Content-Type") == nil)
        server.stop()
    }

    @Test(arguments: Way.allCases)
    func `a challenge is answered`(way: Way) async throws {
        struct Login: Authenticator {
            func credential(for context: AuthenticationContext) async throws -> HTTPCredential? {
                guard context.challenges.contains(where: { $0.isScheme("basic") && $0.realm == "home" }) else {
                    return nil
                }
                return .basic(user: "Ann", password: "secret")
            }
        }
        let server = try LoopbackServer()
        server.route("GET", "/a") { request in
            guard request.header("Authorization") == "Basic QW5uOnNlY3JldA==" else {
                return .text("who?", status: 401, headers: ["WWW-Authenticate": "Basic realm=\"home\""])
            }
            return .text("in")
        }
        #expect(
            try await self.client(server, way) { $0.credentials.authenticator = Login() }.send(FixtureText("a")) == "in"
        )
        let error = await #expect(throws: ErrandError.self) {
            try await self.client(server, way).send(FixtureText("a"))
        }
        #expect(error?.context.status == .unauthorized)
        server.stop()
    }

    @Test(arguments: Way.allCases)
    func `default fields arrive`(way: Way) async throws {
        let server = try LoopbackServer()
        server.route("GET", "/a", .json("1"))
        _ = try await self.client(server, way).send(FixtureJSON("a", Int.self))
        let request = try #require(server.received.first)
        #expect(request.header("User-Agent") == DefaultHeaders.standard.userAgent)
        #expect(request.header("Accept") == "application/json")
        server.stop()
    }

    @Test(arguments: Way.allCases)
    func `the deadlines of silence end a server that stalls`(way: Way) async throws {
        let server = try LoopbackServer()
        server.route("GET", "/a", .stall)
        server.route("GET", "/b", .stallInBody(after: 3, of: Data("content".utf8)))
        for (path, timeouts, words) in [
            ("a", Timeouts(firstByte: .milliseconds(50)), "no response"),
            ("b", Timeouts(idle: .milliseconds(50)), "nothing was sent or received"),
        ] {
            let error = await #expect(throws: ErrandError.self) {
                try await self.client(server, way).send(FixtureText(path) { $0.options = .timeouts(timeouts) })
            }
            #expect(error?.code == .timedOut)
            #expect(error?.message.contains(words) == true)
        }
        server.stop()
    }
}
