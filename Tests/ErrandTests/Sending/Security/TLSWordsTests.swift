internal import Errand
internal import Foundation
internal import TestEffort
internal import Testing

/// Whatever is printed of a policy or of settings, it has no secrets in it.
@Suite("Words about TLS and proxies", .timeLimit(.minutes(60)), .paced)
struct TLSWordsTests {
    private static let secret = "open-sesame"

    private static var settings: TransportSettings {
        var settings = TransportSettings()
        settings.proxy = .url("http://ann:\(Self.secret)@proxy.test:3128")
        settings.tls.standard.clientCertificate = TLSPolicy.ClientCertificate(
            chain: .text(SecurityFixture.certificate),
            privateKey: .text(SecurityFixture.block("PRIVATE KEY", Self.secret)), passphrase: Self.secret)
        settings.tls.hosts["*.test"] = settings.tls.standard
        return settings
    }

    /// All that Swift has to put a value into words.
    private static func words(_ value: some Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        return [String(describing: value), String(reflecting: value), "\(value)", dumped]
    }

    @Test func `hold no secret`() throws {
        let settings = Self.settings
        let certificate = try #require(settings.tls.standard.clientCertificate)
        let values: [Any] = [
            settings, settings.tls, settings.tls.standard, settings.tls.hosts, certificate, certificate.privateKey,
            settings.proxy, [settings.proxy], try #require(try settings.proxy.address()),
            Optional(certificate) as Any,
        ]
        for value in values {
            for words in Self.words(value) {
                #expect(!words.contains(Self.secret))
                // As bytes, too.
                #expect(!words.contains("111, 112, 101, 110"))
            }
        }
    }

    @Test func `tell where something is from`() throws {
        #expect("\(TLSPolicy.PEM.text("abc"))" == "PEM of 3 bytes")
        #expect("\(TLSPolicy.PEM.file(URL(filePath: "/a/b.pem")))" == "PEM in /a/b.pem")
        let certificate = TLSPolicy.ClientCertificate(chain: .text("a"), privateKey: .file(URL(filePath: "/k")))
        #expect("\(certificate)" == "client certificate: PEM of 1 bytes, key: PEM in /k")
        #expect("\(SecurityFixture.pin)" == SecurityFixture.pin.text)
        #expect("\(Self.settings.proxy)" == "http://proxy.test:3128")
        #expect(
            "\(TransportSettings.Proxy.none), \(TransportSettings.Proxy.environment)"
                == "no proxy, proxies of the environment")
        #expect("\(TransportSettings.Proxy.url("nonsense \(Self.secret)"))" == "a proxy that is not valid")
    }
}
