internal import Errand
internal import TestEffort
internal import Testing

/// Rules that can be told apart: each pattern has a pin named after it.
@Suite("The rules for a host", .timeLimit(.minutes(60)), .paced)
struct TLSPolicyHostTests {
    private static func policy(_ patterns: [String]) -> TLSPolicy {
        TLSPolicy(hosts: Dictionary(uniqueKeysWithValues: patterns.map { ($0, TLSPolicy.Rules(pins: [.init($0)])) }))
    }

    @Test(arguments: [
        ("example.com", "example.com"),
        ("EXAMPLE.com", "example.com"),
        ("example.com.", "example.com"),
        ("a.example.com", "*.example.com"),
        ("b.example.com", "b.example.com"),
        ("a.b.example.com", "*.b.example.com"),
        ("a.a.b.example.com", "**.b.example.com"),
        ("a.a.example.com", "**.example.com"),
        ("a.a.example.com.", "**.example.com"),
        ("x.deep.example.com", "**.deep.example.com"),
        ("deep.example.com", "*.example.com"),
        ("example.org", nil),
        ("anexample.com", nil),
        ("com", nil),
        ("a.com", nil),
        ("example.com.evil.org", nil),
        ("127.0.0.1", "127.0.0.1"),
        ("127.0.0.2", nil),
        ("[::1]", "::1"),
        ("[fe80::1]", "[FE80::1]"),
        ("[::2]", nil),
        ("", nil),
        (".", nil),
        (".example.com", "*.example.com"),
    ])
    func `are those of the most specific pattern`(host: String, pattern: String?) {
        let policy = Self.policy([
            "example.com", "*.example.com", "**.example.com", "b.example.com", "*.b.example.com", "**.b.example.com",
            "**.deep.example.com", "127.0.0.1", "::1", "[FE80::1]",
        ])
        #expect(policy.rules(for: host).pins.map(\.text) == (pattern.map { [$0] } ?? []))
    }

    @Test func `are the standard ones where no pattern matches`() {
        var policy = TLSPolicy(standard: TLSPolicy.Rules(minimumVersion: .tls1_3))
        #expect(policy.rules(for: "a.test").minimumVersion == .tls1_3)
        policy.hosts["*.test"] = TLSPolicy.Rules(trust: .unverifiedDangerously)
        #expect(policy.rules(for: "a.test") == TLSPolicy.Rules(trust: .unverifiedDangerously))
        #expect(policy.rules(for: "test").minimumVersion == .tls1_3)
        policy.hosts["*.test"] = nil
        #expect(policy.rules(for: "a.test").minimumVersion == .tls1_3)
    }

    @Test func `trust the system and speak TLS 1.2 if nothing else is said`() throws {
        let rules = TLSPolicy.system.rules(for: "example.com")
        #expect(rules == TLSPolicy.Rules())
        #expect(rules.trust == .system)
        #expect(rules.pins.isEmpty)
        #expect(rules.clientCertificate == nil)
        #expect(rules.minimumVersion == .tls1_2)
        #expect(TLSPolicy() == .system)
        try TLSPolicy.system.validate()
    }

    @Test func `are the same when they are loaded`() throws {
        var policy = TLSPolicy(hosts: ["*.test": TLSPolicy.Rules(pins: [SecurityFixture.pin])])
        policy.standard.trust = .unverifiedDangerously
        let loaded = try LoadedTLSPolicy(policy)
        #expect(loaded.rules(for: "a.test").pins == [try SecurityFixture.pin.digest()])
        #expect(loaded.rules(for: "a.test") === loaded.rules(for: "b.test"))
        #expect(loaded.rules(for: "test").trust == .unverified)
        #expect(LoadedTLSPolicy.system.rules(for: "test").isStandard)
    }

    // MARK: - Patterns that are none

    @Test(arguments: [
        "", ".", "*", "**", "*.", "**.", "***.a", "a.*", "a.*.b", "*a.b", "*.*.a", "**.*.a", "a b", "a/b", "a:80",
        "https://a", "a..b", ".a", "a@b", "a#", "a?", "[::1", "[::1]:443", "[zz]", "*.[::1]", "*.0.0.1", "a,b", "a%41",
        "ä.test", "a\n",
    ])
    func `cannot have such a pattern`(pattern: String) {
        let error = #expect(throws: ErrandError.self) { try Self.policy([pattern]).validate() }
        #expect(error?.code == .invalidTLSPolicy)
    }

    @Test(arguments: [
        "a", "A.test", "a.test.", "*.a", "**.a", "*.xn--4ca.test", "127.0.0.1", "::1", "[::1]", "a_b.test",
        "*.localhost",
    ])
    func `can have such a pattern`(pattern: String) throws {
        try TLSPolicy(hosts: [pattern: TLSPolicy.Rules()]).validate()
    }

    @Test(arguments: [["a.test", "A.test"], ["a.test", "a.test."], ["*.a", "*.A"], ["::1", "[::1]"]])
    func `cannot have the same pattern twice`(patterns: [String]) {
        let policy = TLSPolicy(hosts: [patterns[0]: TLSPolicy.Rules(), patterns[1]: TLSPolicy.Rules()])
        let error = #expect(throws: ErrandError.self) { try policy.validate() }
        #expect(error?.code == .invalidTLSPolicy)
    }
}
