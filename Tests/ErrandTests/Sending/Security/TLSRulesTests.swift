internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Rules for TLS", .timeLimit(.minutes(60)), .paced)
struct TLSRulesTests {
    private func load(_ rules: TLSPolicy.Rules) throws -> LoadedTLSRules {
        try LoadedTLSPolicy(TLSPolicy(standard: rules)).rules(for: "a.test")
    }

    /// The error that rules are refused with, as standard and for a host.
    private func refusal(of rules: TLSPolicy.Rules) throws -> ErrandError {
        let standard = #expect(throws: ErrandError.self) { try TLSPolicy(standard: rules).validate() }
        let hosts = #expect(throws: ErrandError.self) { try TLSPolicy(hosts: ["*.test": rules]).validate() }
        #expect(standard?.code == .invalidTLSPolicy)
        #expect(hosts?.code == .invalidTLSPolicy)
        #expect(hosts?.message.contains("*.test") == true)
        return try #require(standard)
    }

    // MARK: - Pins

    @Test func `have pins as digests and as libcurl wants them`() throws {
        let second = "sha256/\(String(repeating: "/", count: 42))8="
        let loaded = try self.load(TLSPolicy.Rules(pins: [SecurityFixture.pin, TLSPolicy.PublicKeyPin(second)]))
        #expect(loaded.pins == [Data(0..<32), Data(repeating: 0xFF, count: 32)])
        let base64 = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
        #expect(loaded.pinList == "sha256//\(base64);sha256//\(String(repeating: "/", count: 42))8=")
        #expect(try self.load(TLSPolicy.Rules()).pinList == nil)
        #expect(!loaded.isStandard)
    }

    @Test(arguments: [
        "", "sha256/", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
        "sha1/AAECAwQFBgcICQoLDA0ODxAREhM=", "sha256/AAECAwQFBgcICQoLDA0ODxAREhM=",
        "sha256//AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
        "SHA256/AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
        "sha256/AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
        "sha256/AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=;sha256/AA",
        " sha256/AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", "sha256/---------------------------------------=",
    ])
    func `cannot have such a pin`(text: String) throws {
        let error = try self.refusal(of: TLSPolicy.Rules(pins: [SecurityFixture.pin, TLSPolicy.PublicKeyPin(text)]))
        #expect(error.message.contains("\"\(text)\""))
    }

    // MARK: - Authorities

    @Test func `have authorities as one PEM`() throws {
        let folder = try TestFolder()
        try Data(SecurityFixture.certificate.utf8).write(to: folder.file("a.pem"))
        let withoutNewline = SecurityFixture.certificate.trimmingCharacters(in: .newlines)
        let loaded = try self.load(
            TLSPolicy.Rules(
                trust: .authorities([
                    .text(withoutNewline), .bytes(Data("Some words\r\n\(withoutNewline)".utf8)),
                    .file(folder.file("a.pem")),
                ])))
        guard case .authorities(let pem) = loaded.trust else {
            Issue.record("the trust is \(loaded.trust)")
            return
        }
        let lines = String(decoding: pem, as: UTF8.self).split(whereSeparator: \.isNewline)
        #expect(lines.filter { $0 == "-----BEGIN CERTIFICATE-----" }.count == 3)
        #expect(lines.filter { $0 == "-----END CERTIFICATE-----" }.count == 3)
        #expect(!loaded.isStandard)
    }

    @Test(arguments: [
        "", "no certificate at all", SecurityFixture.key,
        SecurityFixture.block("CERTIFICATE", ""),
        SecurityFixture.block("CERTIFICATE", "not base64!"),
        // One byte is missing, one is too many, and one is of another kind.
        SecurityFixture.block("CERTIFICATE", "MAMCAQ=="),
        SecurityFixture.block("CERTIFICATE", "MAMCAQUF"),
        SecurityFixture.block("CERTIFICATE", "MQMCAQU="),
        SecurityFixture.block("CERTIFICATE", "MIIBAAU="),
        SecurityFixture.block("CERTIFICATE", "MIAAAA=="),
        SecurityFixture.certificate + "-----BEGIN CERTIFICATE-----\nMAMCAQU=\n",
        "-----BEGIN CERTIFICATE-----\n" + SecurityFixture.certificate,
        "-----BEGIN CERTIFICATE-----\nMAMCAQU=\n-----END PRIVATE KEY-----\n",
        "-----END CERTIFICATE-----\n",
    ])
    func `cannot have such an authority`(pem: String) throws {
        _ = try self.refusal(of: TLSPolicy.Rules(trust: .authorities([.text(pem)])))
        _ = try self.refusal(
            of: TLSPolicy.Rules(trust: .authorities([.text(SecurityFixture.certificate), .text(pem)])))
    }

    @Test func `cannot trust nobody by mistake`() throws {
        _ = try self.refusal(of: TLSPolicy.Rules(trust: .authorities([])))
    }

    @Test func `say in each exchange that nothing is verified`() throws {
        #expect(try self.load(TLSPolicy.Rules(trust: .unverifiedDangerously)).notice?.contains("not verified") == true)
        #expect(try self.load(TLSPolicy.Rules(pins: [SecurityFixture.pin])).notice == nil)
    }

    // MARK: - Client certificates

    @Test(
        arguments: [
            (SecurityFixture.key, nil), (SecurityFixture.encryptedKey, "x"), (SecurityFixture.oldEncryptedKey, "x"),
            (SecurityFixture.certificate + SecurityFixture.key, nil),
            (
                SecurityFixture.block("EC PARAMETERS", "BggqhkjOPQMBBw==")
                    + SecurityFixture.block("EC PRIVATE KEY", "MAA="), nil
            ),
        ] as [(String, String?)])
    func `have a client certificate`(key: String, passphrase: String?) throws {
        let certificate = SecurityFixture.identity(key, passphrase: passphrase)
        let identity = try #require(try self.load(TLSPolicy.Rules(clientCertificate: certificate)).identity)
        #expect(identity.chain == Data(SecurityFixture.certificate.utf8))
        #expect(identity.privateKey == Data(key.utf8))
        #expect(identity.passphrase == passphrase)
    }

    @Test func `keep no passphrase that is not needed`() throws {
        let certificate = SecurityFixture.identity(SecurityFixture.key, passphrase: "x")
        #expect(try self.load(TLSPolicy.Rules(clientCertificate: certificate)).identity?.passphrase == nil)
    }

    @Test(arguments: [
        "", SecurityFixture.certificate, SecurityFixture.encryptedKey, SecurityFixture.oldEncryptedKey,
        SecurityFixture.key + SecurityFixture.key, SecurityFixture.block("PRIVATE KEY", "*"),
        SecurityFixture.block("PUBLIC KEY", "MAMCAQU="),
    ])
    func `cannot have such a key, or one without its passphrase`(key: String) throws {
        let error = try self.refusal(of: TLSPolicy.Rules(clientCertificate: SecurityFixture.identity(key)))
        #expect(!error.message.contains("MAMCAQ"))
    }

    @Test func `cannot have a client certificate that is none`() throws {
        let certificate = TLSPolicy.ClientCertificate(
            chain: .text(SecurityFixture.key), privateKey: .text(SecurityFixture.key))
        _ = try self.refusal(of: TLSPolicy.Rules(clientCertificate: certificate))
    }

    // MARK: - Files

    @Test func `cannot have a file that is not there, not a file, or not here`() throws {
        let folder = try TestFolder()
        for file in [
            folder.file("none"), folder.url, URL(filePath: "/dev/null"), try #require(URL(string: "http://a/b")),
        ] {
            let error = try self.refusal(of: TLSPolicy.Rules(trust: .authorities([.file(file)])))
            #expect(error.message.contains(file.path))
            #expect(error.cause != nil)
        }
    }

    @Test func `read no file that is as long as a disk`() throws {
        let folder = try TestFolder()
        try Data(SecurityFixture.certificate.utf8).write(to: folder.file("a.pem"))
        try #require(unsafe truncate(folder.file("a.pem").path, 900 << 30) == 0)
        let policy = TLSPolicy(standard: TLSPolicy.Rules(trust: .authorities([.file(folder.file("a.pem"))])))
        let error = #expect(throws: ErrandError.self) { try policy.validate() }
        #expect(error?.code == .invalidTLSPolicy)
        var settings = TransportSettings()
        settings.tls = policy
        #expect(!settings.cachePartition.isEmpty)
    }

    @Test func `follow links to files`() throws {
        let folder = try TestFolder()
        try Data(SecurityFixture.certificate.utf8).write(to: folder.file("a.pem"))
        try FileManager.default.createSymbolicLink(at: folder.file("link"), withDestinationURL: folder.file("a.pem"))
        try TLSPolicy(standard: TLSPolicy.Rules(trust: .authorities([.file(folder.file("link"))]))).validate()
    }

    // MARK: - Verified chains

    @Test func `an unverified chain is refused with its cause, unless the rules say otherwise`() throws {
        struct Expired: Error {}
        let refusal = try self.load(TLSPolicy.Rules()).refusal(
            of: "a.test", isVerified: false, keys: [], cause: Expired())
        #expect(refusal?.code == .tlsFailed)
        #expect(refusal?.message == "the certificate of a.test is not trusted")
        #expect(refusal?.cause is Expired)
        let lenient = try self.load(TLSPolicy.Rules(trust: .unverifiedDangerously))
        #expect(lenient.refusal(of: "a.test", isVerified: false, keys: []) == nil)
    }

    @Test func `a verified chain must have a pinned key, whosever it is`() throws {
        let (pinned, other) = (Data(0..<32), Data(repeating: 1, count: 32))
        let rules = try self.load(TLSPolicy.Rules(pins: [SecurityFixture.pin]))
        #expect(rules.refusal(of: "a.test", isVerified: true, keys: [pinned]) == nil)
        #expect(rules.refusal(of: "a.test", isVerified: true, keys: [other, nil, pinned]) == nil)
        for keys in [[other], [nil], []] as [[Data?]] {
            let refusal = rules.refusal(of: "a.test", isVerified: true, keys: keys)
            #expect(refusal?.message == "a.test has none of the public keys pinned for it")
        }
        let free = try self.load(TLSPolicy.Rules())
        #expect(free.refusal(of: "a.test", isVerified: true, keys: [nil]) == nil)
    }

    @Test func `of an unverified chain only the server's own key counts`() throws {
        let (pinned, other) = (Data(0..<32), Data(repeating: 1, count: 32))
        let rules = try self.load(TLSPolicy.Rules(trust: .unverifiedDangerously, pins: [SecurityFixture.pin]))
        #expect(rules.refusal(of: "a.test", isVerified: false, keys: [pinned, other]) == nil)
        #expect(rules.refusal(of: "a.test", isVerified: false, keys: [other, pinned])?.code == .tlsFailed)
    }
}
