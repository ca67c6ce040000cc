internal import Errand
internal import TestEffort
internal import Testing

@Suite("Digest authentication: what is sent (RFC 7616)", .timeLimit(.minutes(60)), .paced)
struct DigestSessionTests {
    private static let nonce = "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v"
    private static let clientNonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
    private static let opaque = "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"

    private func session(
        _ challenge: String, user: String = "Mufasa", password: String = "Circle of Life"
    ) throws -> DigestSession {
        let head = HTTPResponse.Head(status: 401, headers: ["WWW-Authenticate": challenge])
        let known = try #require(head.challenges.compactMap { DigestChallenge($0) }.first)
        return DigestSession(known, user: user, password: password, clientNonce: Self.clientNonce)
    }

    private func sent(
        _ session: DigestSession, _ url: String = "http://www.example.org/dir/index.html"
    ) throws -> [String: String] {
        let value = session.fieldValue(for: .get, try HTTPURL(url))
        let head = HTTPResponse.Head(status: 401, headers: ["WWW-Authenticate": value])
        let challenge = try #require(head.challenges.first)
        #expect(challenge.scheme == "Digest")
        return Dictionary(challenge.parameters.map { ($0.name, $0.value) }) { $1 }
    }

    // MARK: - The examples of RFC 7616

    @Test(arguments: [
        ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
        ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
        ("MD5-sess", "e783283f46242139c486a698fec7211d"),
        ("SHA-256-sess", "2fd51b3a77ad75bad6afad6003e818d767133c46d9e2749e7f5232ae1ea3efd7"),
    ])
    func `section 3_9_1, and the same for a session`(algorithm: String, response: String) throws {
        let session = try self.session(
            """
            Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=\(algorithm), \
            nonce="\(Self.nonce)", opaque="\(Self.opaque)"
            """)
        #expect(
            try self.sent(session) == [
                "username": "Mufasa", "realm": "http-auth@example.org", "uri": "/dir/index.html",
                "algorithm": algorithm, "nonce": Self.nonce, "nc": "00000001", "cnonce": Self.clientNonce,
                "qop": "auth", "response": response, "opaque": Self.opaque,
            ])
    }

    @Test func `the spelling that servers expect`() throws {
        let session = try self.session(
            #"Digest realm="a \"b\" \\c", nonce="n", qop="auth", algorithm=sha-256"#)
        let value = session.fieldValue(for: .post, try HTTPURL("http://a.test/p?q=1#f"))
        #expect(value.contains(#"realm="a \"b\" \\c""#))
        #expect(value.contains(#"uri="/p?q=1""#))
        #expect(value.contains("qop=auth, nc=00000001, cnonce=\""))
        #expect(value.contains("algorithm=SHA-256,"))
    }

    // MARK: - Variants

    @Test func `counts requests in hexadecimal digits`() throws {
        let session = try self.session(#"Digest realm="r", nonce="n", qop="auth""#)
        let counts = try (0..<17).map { _ in try self.sent(session)["nc"] }
        #expect(counts.first == "00000001")
        #expect(counts[9] == "0000000a")
        #expect(counts.last == "00000011")
    }

    @Test func `without qop nothing is counted`() throws {
        let session = try self.session(#"Digest realm="http-auth@example.org", nonce="\#(Self.nonce)""#)
        let sent = try self.sent(session)
        #expect(sent["response"] == "7b2cc3b30e75b4777ea31027084363fd")
        #expect(Set(sent.keys) == ["username", "realm", "nonce", "uri", "response"])
    }

    @Test func `a user is hashed where the server wants it`() throws {
        let session = try self.session(
            #"Digest realm="http-auth@example.org", nonce="n", qop="auth", algorithm=SHA-256, userhash=true"#)
        let sent = try self.sent(session)
        #expect(sent["username"] == "a947aad205e80e429958a387394944c6b496301e79f89d35a4cc23b6ee12b5b6")
        #expect(sent["userhash"] == "true")
    }

    @Test func `a user that does not fit into quotes is encoded`() throws {
        let session = try self.session(#"Digest realm="r", nonce="n", qop="auth""#, user: "Jäsøn Doe")
        #expect(
            session.fieldValue(for: .get, try HTTPURL("http://a.test/")).contains(
                "username*=UTF-8''J%C3%A4s%C3%B8n%20Doe,"))
    }

    // MARK: - Challenges

    @Test(arguments: [
        #"Digest nonce="n", qop="auth""#, #"Digest realm="r", qop="auth""#,
        #"Digest realm="r", nonce="n", qop="auth-int""#,
        #"Digest realm="r", nonce="n", qop="""#,
        #"Digest realm="r", nonce="n", qop="auth", algorithm=SHA-512-256"#, #"Basic realm="r""#,
    ])
    func `what cannot be met is passed over`(challenge: String) {
        let head = HTTPResponse.Head(status: 401, headers: ["WWW-Authenticate": challenge])
        #expect(head.challenges.compactMap { DigestChallenge($0) }.isEmpty)
    }
}
