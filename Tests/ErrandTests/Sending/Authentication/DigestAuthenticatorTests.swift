internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

@Suite("Digest authentication over real connections", .timeLimit(.minutes(60)), .paced)
struct DigestAuthenticatorTests {
    /// A server that checks digests by itself, as RFC 7616 §3.4.1 says, and refuses a nonce after so many requests.
    private final class Guard: Sendable {
        private struct State {
            var nonce = 1
            /// The counts that came with the nonce that is good.
            var counts: Set<String> = []
            var log: [String] = []
        }

        private let state = Locked(State())
        private let algorithm: String
        private let uses: Int

        var log: [String] { self.state.withLock { $0.log } }

        init(_ algorithm: String, uses: Int = .max) {
            (self.algorithm, self.uses) = (algorithm, uses)
        }

        func reply(to request: LoopbackRequest) -> LoopbackReply {
            self.state.withLock { state in
                let verdict = self.check(request, &state)
                state.log.append(verdict)
                guard verdict != "in" else { return .text("in") }
                let stale = verdict == "stale" ? ", stale=true" : ""
                return .status(
                    401,
                    headers: [
                        "WWW-Authenticate":
                            "Newauth realm=\"x\", Digest realm=\"the realm\", nonce=\"n\(state.nonce)\", "
                            + "qop=\"auth\", algorithm=\(self.algorithm), opaque=\"o\"\(stale)"
                    ])
            }
        }

        private func hash(_ text: String) -> String {
            self.algorithm.hasPrefix("MD5") ? MD5(of: text).description : SHA256(of: text).description
        }

        private func check(_ request: LoopbackRequest, _ state: inout State) -> String {
            guard let field = request.header("Authorization"), field.hasPrefix("Digest ") else { return "none" }
            var values: [String: String] = [:]
            for part in field.dropFirst(7).components(separatedBy: ", ") {
                let pair = part.split(separator: "=", maxSplits: 1)
                guard pair.count == 2 else { return "malformed" }
                values[String(pair[0])] = pair[1].trimmingCharacters(in: ["\""])
            }
            guard let nonce = values["nonce"], let count = values["nc"], let own = values["cnonce"],
                values["uri"] == request.target, values["opaque"] == "o", values["qop"] == "auth",
                values["realm"] == "the realm", values["username"] == "user", values["algorithm"] == self.algorithm
            else { return "wrong fields" }
            var secret = self.hash("user:the realm:pass")
            if self.algorithm.hasSuffix("-sess") { secret = self.hash("\(secret):\(nonce):\(own)") }
            let target = self.hash("\(request.method):\(request.target)")
            guard values["response"] == self.hash("\(secret):\(nonce):\(count):\(own):auth:\(target)") else {
                return "wrong"
            }
            guard nonce == "n\(state.nonce)" else { return "stale" }
            guard state.counts.insert(count).inserted else { return "replayed" }
            if state.counts.count >= self.uses {
                state.nonce += 1
                state.counts = []
            }
            return "in"
        }
    }

    private func client(_ server: LoopbackServer, password: String = "pass") -> Client {
        Client(baseURL: server.baseURL) {
            $0.credentials.authenticator = DigestAuthenticator(user: "user", password: password)
            $0.options = $0.options.timeouts(Timeouts(attempt: .seconds(3_600)))
        }
    }

    private func server(_ guard: Guard) throws -> LoopbackServer {
        try LoopbackServer(routes: [
            LoopbackRoute(where: { $0.path == "/from" }, handler: { _ in .redirect(to: "/to") }),
            LoopbackRoute("*", "/*") { `guard`.reply(to: $0) },
        ])
    }

    // MARK: -

    @Test(arguments: ["MD5", "MD5-sess", "SHA-256", "SHA-256-sess"])
    func `signs later requests before a server asks`(algorithm: String) async throws {
        let door = Guard(algorithm)
        let server = try self.server(door)
        let client = self.client(server)
        for path in ["a", "b?x=1", "c"] { #expect(try await client.send(FixtureText(path)) == "in") }
        #expect(
            try await client.send(
                FixtureText("d") {
                    $0.method = .post
                    $0.body = .bytes(Data("x".utf8))
                }) == "in")
        #expect(door.log == ["none", "in", "in", "in", "in"])
        server.stop()
    }

    @Test func `goes on with the next nonce when one is too old`() async throws {
        let door = Guard("SHA-256", uses: 3)
        let server = try self.server(door)
        let client = self.client(server)
        for path in 1...7 { #expect(try await client.send(FixtureText("\(path)")) == "in") }
        #expect(door.log == ["none", "in", "in", "in", "stale", "in", "in", "in", "stale", "in"])
        server.stop()
    }

    @Test func `signs what many send at once, each with its own count`() async throws {
        let door = Guard("SHA-256")
        let server = try self.server(door)
        let client = self.client(server)
        #expect(try await client.send(FixtureText("first")) == "in")
        try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<50 { group.addTask { try await client.send(FixtureText("\(number)")) } }
            for try await text in group { #expect(text == "in") }
        }
        #expect(door.log.filter { $0 == "in" }.count == 51)
        #expect(door.log.filter { $0 != "in" } == ["none"])
        server.stop()
    }

    @Test func `answers once for many that were not signed`() async throws {
        let door = Guard("MD5")
        let server = try self.server(door)
        let client = self.client(server)
        try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<20 { group.addTask { try await client.send(FixtureText("\(number)")) } }
            for try await text in group { #expect(text == "in") }
        }
        #expect(Set(door.log) == ["none", "in"])
        server.stop()
    }

    @Test func `signs where a redirection leads anew`() async throws {
        let door = Guard("SHA-256")
        let server = try self.server(door)
        let client = self.client(server)
        #expect(try await client.send(FixtureText("a")) == "in")
        #expect(try await client.send(FixtureText("from")) == "in")
        #expect(door.log == ["none", "in", "in"])
        server.stop()
    }

    @Test func `takes a wrong password for what it is`() async throws {
        let door = Guard("SHA-256")
        let server = try self.server(door)
        let client = self.client(server, password: "wrong")
        for _ in 1...2 {
            let error = await #expect(throws: ErrandError.self) { _ = try await client.send(FixtureText("a")) }
            #expect(error?.context.status == 401)
        }
        #expect(door.log == ["none", "wrong", "none", "wrong"])
        server.stop()
    }

    @Test func `signs a body that cannot be sent twice with what was learned from it`() async throws {
        let door = Guard("SHA-256")
        let server = try self.server(door)
        let client = self.client(server)
        let upload = FixtureText("a") {
            $0.method = .post
            $0.body = .stream(FixtureBody.stream([Data("x".utf8)], isRepeatable: false))
        }
        await #expect(throws: ErrandError.self) { _ = try await client.send(upload) }
        let again = FixtureText("a") {
            $0.method = .post
            $0.body = .stream(FixtureBody.stream([Data("x".utf8)], isRepeatable: false))
        }
        #expect(try await client.send(again) == "in")
        #expect(door.log == ["none", "in"])
        server.stop()
    }

    // MARK: - Over a transport of the test's

    private func context(_ nonce: String, attempt: Int = 1, refused: String?) throws -> AuthenticationContext {
        let head = HTTPResponse.Head(
            status: 401, headers: ["WWW-Authenticate": "Digest realm=\"r\", nonce=\"\(nonce)\", qop=\"auth\""])
        return AuthenticationContext(
            requestID: .next(), method: .get, url: try HTTPURL("https://api.test/a"), challenges: head.challenges,
            attempt: attempt, refused: refused, date: Date())
    }

    @Test func `the challenge to a request that comes late does not replace the newer nonce of another`() async throws {
        let digest = DigestAuthenticator(user: "u", password: "p")
        let url = try HTTPURL("https://api.test/a")
        #expect(try digest.renew(try self.context("n1", refused: nil)))
        #expect(try digest.renew(try self.context("n2", refused: "n1")))
        #expect(try digest.renew(try self.context("n3", refused: "n1")))
        #expect(digest.kept(for: url, at: Date())?.key == "n2")
    }

    @Test func `a request that is refused for good leaves the newer nonce of another`() async throws {
        let digest = DigestAuthenticator(user: "u", password: "p")
        let url = try HTTPURL("https://api.test/a")
        #expect(try digest.renew(try self.context("n1", refused: nil)))
        #expect(try digest.renew(try self.context("n2", refused: "n1")))
        #expect(try !digest.renew(try self.context("n3", attempt: 2, refused: "n1")))
        #expect(digest.kept(for: url, at: Date())?.key == "n2")
        #expect(try !digest.renew(try self.context("n3", attempt: 2, refused: "n2")))
        #expect(digest.kept(for: url, at: Date())?.key == nil)
    }

    @Test func `keeps stored responses at hand from one request to the next`() async throws {
        let transport = StubTransport()
        transport.route(where: { _ in true }) { request, _ in
            request.headers["Authorization"]?.hasPrefix("Digest ") == true
                ? .text("in")
                : .status(401, headers: ["WWW-Authenticate": #"Digest realm="r", nonce="n", qop="auth""#])
        }
        func client(_ user: String, _ cache: MemoryCache) -> Client {
            Client(baseURL: "https://api.test/") {
                $0.transport = transport
                $0.cache = cache
                $0.credentials.authenticator = DigestAuthenticator(user: user, password: "p")
            }
        }
        let cache = MemoryCache()
        let endpoint = FixtureText { $0.options = .caching(.fresh(for: .seconds(600))) }
        let ann = client("ann", cache)
        #expect(try await ann.response(for: endpoint).source == .network)
        #expect(try await ann.response(for: endpoint).source.isCache)
        #expect(try await client("ann", cache).response(for: endpoint).source.isCache)
        #expect(try await client("bob", cache).response(for: endpoint).source == .network)
        ann.forgetCredentials()
        _ = try await ann.send(FixtureText("b"))
        #expect(transport.received.suffix(2).map { $0.headers["Authorization"] == nil } == [true, false])
    }

    @Test func `is met by no password that cannot be sent, and never prints one`() async {
        let transport = StubTransport()
        transport.route("*", .status(401, headers: ["WWW-Authenticate": #"Digest realm="r", nonce="n", qop="auth""#]))
        let digest = DigestAuthenticator(user: "a:b", password: "secret")
        let client = Client(baseURL: "https://api.test/") {
            $0.transport = transport
            $0.credentials.authenticator = digest
        }
        let error = await #expect(throws: ErrandError.self) { _ = try await client.send(FixtureText()) }
        #expect(error?.code == .invalidRequest)
        var text = "\(digest) \(String(reflecting: digest))"
        dump(digest, to: &text)
        #expect(!text.contains("secret"))
    }
}
