internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Challenges (RFC 9110 §11)", .timeLimit(.minutes(60)), .paced)
struct AuthenticationChallengeTests {
    private func challenges(_ values: String...) -> [AuthenticationContext.Challenge] {
        let fields = values.map { HTTPField(name: "WWW-Authenticate", value: $0) }
        return HTTPResponse.Head(status: 401, headers: HTTPFields(fields)).challenges
    }

    @Test(
        "are read with their parameters, one or several in a field",
        arguments: [
            ("Basic", ["Basic"]), ("Basic realm=\"simple\"", ["Basic realm=\"simple\""]),
            ("Basic realm=simple", ["Basic realm=\"simple\""]),
            (
                "Basic realm=\"a, b\", charset=\"UTF-8\"", ["Basic realm=\"a, b\", charset=\"UTF-8\""]
            ),
            (
                "Newauth realm=\"apps\", type=1, title=\"Login to \\\"apps\\\"\", Basic realm=\"simple\"",
                [
                    "Newauth realm=\"apps\", type=\"1\", title=\"Login to \\\"apps\\\"\"",
                    "Basic realm=\"simple\"",
                ]
            ),
            ("Negotiate, Basic realm=\"x\"", ["Negotiate", "Basic realm=\"x\""]),
            ("Negotiate a87421000492aa874209af8bc028==", ["Negotiate a87421000492aa874209af8bc028=="]),
            ("Negotiate abc/+==, Basic", ["Negotiate abc/+==", "Basic"]),
            ("Negotiate , NTLM", ["Negotiate", "NTLM"]), (",, Basic , ,Bearer ,", ["Basic", "Bearer"]),
            ("Basic realm = \"x\" , a = 1", ["Basic realm=\"x\", a=\"1\""]),
            ("Digest Realm=x, NONCE=\"y\"", ["Digest realm=\"x\", nonce=\"y\""]),
            ("Bearer error=\"invalid_token\"", ["Bearer error=\"invalid_token\""]),
            ("Basic\trealm=\"x\"", ["Basic realm=\"x\""]), ("basic REALM=\"\"", ["basic realm=\"\""]),
        ])
    func reading(value: String, expected: [String]) {
        #expect(self.challenges(value).map(\.description) == expected)
    }

    @Test(
        "are read leniently",
        arguments: [
            ("", []), (" ", []), (",", []), ("=", []), ("\"Basic\"", []), ("realm=\"x\"", []),
            ("Basic realm=\"x", ["Basic realm=\"x\""]), ("Basic realm=\"x\\", ["Basic realm=\"x\\\\\""]),
            ("Basic realm=\"x\" nonce=\"y\"", ["Basic realm=\"x\", nonce=\"y\""]),
            ("Basic realm=my realm, a=1", ["Basic realm=\"my\", a=\"1\""]),
            ("Basic @@ realm=\"x\"", ["Basic realm=\"x\""]), ("Basic \"a, b\", Bearer", ["Basic", "Bearer"]),
            (
                "Bearer authorization_uri=https://a.test/?x, realm=\"y\"",
                [
                    "Bearer authorization_uri=\"https://a.test/?x\", realm=\"y\""
                ]
            ),
            ("Basic a=, b=1", ["Basic a="]), ("Negotiate abc=, x=1", ["Negotiate abc="]),
            ("Basic realm=\"x\"; charset=y", ["Basic realm=\"x\", charset=\"y\""]),
        ] as [(String, [String])])
    func lenience(value: String, expected: [String]) {
        #expect(self.challenges(value).map(\.description) == expected)
    }

    @Test("of several fields come one after another")
    func severalFields() {
        let found = self.challenges("Digest realm=\"d\"", "Basic realm=\"b\"")
        #expect(found.map(\.scheme) == ["Digest", "Basic"])
        #expect(found.map(\.realm) == ["d", "b"])
        #expect(HTTPResponse.Head(status: 401).challenges.isEmpty)
    }

    @Test("are looked into whatever the case")
    func looking() throws {
        let challenge = try #require(self.challenges("BASIC Realm=\"x\", a=1, A=2").first)
        #expect(challenge.isScheme("basic"))
        #expect(!challenge.isScheme("bearer"))
        #expect(challenge["REALM"] == "x")
        #expect(challenge["a"] == "1")
        #expect(challenge["b"] == nil)
        #expect(challenge.token68 == nil)
        #expect(
            challenge
                == AuthenticationContext.Challenge(
                    scheme: "BASIC",
                    parameters: [
                        .init(name: "realm", value: "x"), .init(name: "A", value: "1"), .init(name: "a", value: "2"),
                    ]))
    }

    @Test("survive any bytes, and are read again as they are written (G12)")
    func randomValues() {
        var random = SplitMix64(seed: 11)
        let pieces = [
            "Basic", "Bearer", "realm", "=", "\"", "\\", ",", " ", "\t", "==", "a", "é", "\u{0}", "\r\n", "x=y", "/",
            "token68", "@", "\u{1F600}", "\"quoted, comma\"", ";",
        ]
        var found = 0
        for round in 0..<TestEffort.rounds(of: 100_000) {
            let value: String
            if round % 4 == 0 {
                let bytes = (0..<Int.random(in: 0...24, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
                value = String(decoding: bytes, as: UTF8.self)
            } else {
                value = (0..<Int.random(in: 0...16, using: &random))
                    .map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            }
            let challenges = self.challenges(value)
            found += challenges.count
            let again = self.challenges(challenges.map(\.description).joined(separator: ", "))
            // Not `#expect` each time: it costs more than the reading.
            if again != challenges { Issue.record("\(value.debugDescription) is read in two ways") }
        }
        #expect(found > TestEffort.rounds(of: 10_000))
    }

    @Test("of any length are read in one go")
    func longValues() {
        let count = 20_000
        #expect(self.challenges(String(repeating: "Basic realm=\"x\", ", count: count)).count == count)
        let parameters = self.challenges("Basic " + String(repeating: "a=\"b\", ", count: count)).first?.parameters
        #expect(parameters?.count == count)
        #expect(self.challenges("Basic " + String(repeating: "\\\"", count: count)).count == 1)
        #expect(self.challenges(String(repeating: "a ", count: count)).count == 1)
    }
}
