internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Digest authentication: odd challenges (RFC 7616)", .timeLimit(.minutes(60)), .paced)
struct DigestChallengeTests {
    /// What a server asks for, and what is sent.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// One `WWW-Authenticate` field each.
        let fields: [String]
        /// Parameters of what is sent, as they stand there; `nil` where nothing is.
        let sent: [String]?

        init(_ name: String, _ fields: [String], sent: [String]?) {
            (self.testDescription, self.fields, self.sent) = (name, fields, sent)
        }
    }

    private static let good = #"Digest realm="r", nonce="n", qop="auth""#

    private static let cases: [Case] = [
        Case("as usual", [Self.good], sent: [#"realm="r""#, #"nonce="n""#, "qop=auth", "nc=00000001"]),
        Case(
            "a comma and an equals sign in quotes", [#"Digest realm="a, b=c", nonce="n", qop="auth""#],
            sent: [#"realm="a, b=c""#]),
        Case(
            "escaped quotes", [#"Digest realm="a \"b\", Digest \\", nonce="n", qop="auth""#],
            sent: [#"realm="a \"b\", Digest \\""#]),
        Case("an empty realm", [#"Digest realm="", nonce="n", qop="auth""#], sent: [#"realm="""#]),
        Case(
            "spaces and case", [#"DIGEST  REALM = "r" ,, Nonce="n",QOP="AUTH" ,"#], sent: [#"realm="r""#, "qop=auth"]),
        Case("without quotes", ["Digest realm=r, nonce=n, qop=auth, algorithm=MD5"], sent: ["algorithm=MD5"]),
        Case(
            "an algorithm in quotes", [#"Digest realm="r", nonce="n", algorithm="sha-256""#],
            sent: ["algorithm=SHA-256"]),
        Case(
            "several qualities", [#"Digest realm="r", nonce="n", qop="auth-int , auth""#],
            sent: ["qop=auth", "nc=00000001"]
        ),
        Case("qop for bodies only", [#"Digest realm="r", nonce="n", qop="auth-int""#], sent: nil),
        Case("no nonce", [#"Digest realm="r", qop="auth""#], sent: nil),
        Case("no realm", [#"Digest nonce="n", qop="auth""#], sent: nil),
        Case("an unknown algorithm", [#"Digest realm="r", nonce="n", algorithm=SHA-512-256"#], sent: nil),
        Case(
            "an unknown algorithm before a known one",
            [#"Digest realm="r", nonce="x", algorithm=SHA-512-256, Digest realm="r", nonce="n", algorithm=SHA-256"#],
            sent: [#"nonce="n""#, "algorithm=SHA-256"]),
        Case(
            "what cannot be met in a field before", [#"Digest realm="r", nonce="x", qop="auth-int""#, Self.good],
            sent: [#"nonce="n""#]),
        Case(
            "other schemes in the same field",
            [#"Negotiate, Basic realm="a, Digest nonce=1", Bearer abc==, \#(Self.good), Newauth x="y""#],
            sent: [#"nonce="n""#]),
        Case(
            "several that can be met, of which the first counts",
            [#"Digest realm="r", nonce="one", algorithm=SHA-256"#, #"Digest realm="r", nonce="two", algorithm=MD5"#],
            sent: [#"nonce="one""#]),
        Case("for a session", [Self.good + ", algorithm=MD5-sess"], sent: ["algorithm=MD5-sess", "cnonce=\""]),
        Case(
            "for a session without qop", [#"Digest realm="r", nonce="n", algorithm=SHA-256-sess"#],
            sent: ["algorithm=SHA-256-sess", "cnonce=\""]),
        Case("a hashed user", [Self.good + ", userhash=TRUE"], sent: ["userhash=true"]),
        Case("no hashed user", [Self.good + ", userhash=false, charset=UTF-8"], sent: ["username*=UTF-8''Jos%C3%A9"]),
        Case("what is opaque, and empty", [Self.good + #", opaque="""#], sent: [#"opaque="""#]),
        Case("a parameter twice", [#"Digest realm="r", realm="s", nonce="n", qop="auth""#], sent: [#"realm="r""#]),
    ]

    private func client(
        _ transport: StubTransport, _ configure: (inout Client.Configuration) -> Void = { _ in }
    ) -> Client {
        Client(baseURL: "https://api.test/") {
            $0.transport = transport
            // Composed when it is sent, whichever way it is written.
            $0.credentials.authenticator = DigestAuthenticator(user: "Jose\u{301}", password: "p")
            configure(&$0)
        }
    }

    private func challenge(_ fields: [String]) -> StubReply {
        var headers = HTTPFields()
        for field in fields { headers.append(name: "WWW-Authenticate", value: field) }
        return .status(401, headers: headers)
    }

    @Test(arguments: Self.cases)
    func `are met, or the response stays what it is`(example: Case) async throws {
        let transport = StubTransport()
        transport.route("*", self.challenge(example.fields), .text("in"))
        let request = self.client(transport).request(FixtureText())
        guard let sent = example.sent else {
            #expect(await request.fixtureResult.fixtureFailure?.context.status == 401)
            #expect(transport.receivedCount == 1)
            return
        }
        #expect(try await request.value == "in")
        let value = try #require(transport.received.last?.headers["Authorization"])
        for part in sent { #expect(value.contains(part), "\(value)") }
    }

    @Test func `are counted from one, and by nothing but requests`() async throws {
        let transport = StubTransport()
        transport.route("*", self.challenge([Self.good]), .text("in"))
        let client = self.client(transport) {
            $0.cache = MemoryCache()
            $0.options = $0.options.coalescing(true)
        }
        let call = FixtureText { $0.options = .caching(.fresh(for: .seconds(60))) }
        #expect(try await client.send(call) == "in")
        for _ in 1...3 { #expect(try await client.response(for: call).source.isCache) }
        #expect(try await client.send(FixtureText("b")) == "in")
        #expect(try await client.send(FixtureText("c")) == "in")
        let counts = transport.received.dropFirst().map { request in
            request.headers["Authorization"]?.components(separatedBy: "nc=").last?.prefix(8)
        }
        #expect(counts == ["00000001", "00000002", "00000003"])
    }

    @Test func `make no difference between requests that are equal`() async throws {
        let transport = StubTransport()
        let gate = StubGate()
        transport.route("first", self.challenge([Self.good]), .text("in"))
        transport.route("same", StubReply.text("in").held(by: gate))
        let client = self.client(transport) { $0.options = $0.options.coalescing(true) }
        #expect(try await client.send(FixtureText("first")) == "in")
        let requests = (0..<10).map { _ in client.request(FixtureText("same")) }
        for request in requests { await request.start() }
        await gate.waitUntilReached()
        for _ in 0..<200 { await Task.yield() }
        gate.open()
        for request in requests { #expect(try await request.value == "in") }
        #expect(transport.receivedCount == 3)
    }

    @Test(arguments: ["stale=TRUE", "stale=\"true\"", "Stale=True"])
    func `that say that only the nonce is too old are met again`(stale: String) async throws {
        let transport = StubTransport()
        transport.route(
            "*", self.challenge([Self.good]), self.challenge([#"Digest realm="r", nonce="m", qop="auth", \#(stale)"#]),
            .text("in"))
        #expect(try await self.client(transport).send(FixtureText()) == "in")
        #expect(transport.received.last?.headers["Authorization"]?.contains(#"nonce="m""#) == true)
        #expect(transport.received.last?.headers["Authorization"]?.contains("nc=00000001") == true)
    }

    @Test(arguments: ["stale=false", "stale=yes", ""])
    func `that say nothing of that are those of a wrong password`(stale: String) async {
        let transport = StubTransport()
        transport.route("*", self.challenge([Self.good + (stale.isEmpty ? "" : ", \(stale)")]))
        let request = self.client(transport).request(FixtureText())
        #expect(await request.fixtureResult.fixtureFailure?.context.status == 401)
        #expect(transport.receivedCount == 2)
    }
}
