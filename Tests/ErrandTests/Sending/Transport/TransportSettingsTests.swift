internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

@Suite("The settings of a transport", .timeLimit(.minutes(60)), .paced)
struct TransportSettingsTests {
    @Test func `are possible as they are`() throws {
        try TransportSettings().validate()
        #expect(try TransportSettings().proxy.address() == nil)
    }

    @Test(arguments: [
        TransportSettings.with { $0.interface = "" },
        TransportSettings.with { $0.interface = "eth 0" },
        TransportSettings.with { $0.interface = "host!a" },
        TransportSettings.with { $0.interface = "a\n" },
        TransportSettings.with { $0.unixSocket = "" },
        TransportSettings.with { $0.unixSocket = "relative" },
        TransportSettings.with { $0.unixSocket = "/a\0b" },
        TransportSettings.with { $0.unixSocket = "/" + String(repeating: "a", count: 103) },
        TransportSettings.with { ($0.unixSocket, $0.proxy) = ("/a", .url("http://b")) },
        TransportSettings.with { $0.maximumIdleConnections = 0 },
        TransportSettings.with { $0.maximumIdleConnections = -1 },
        TransportSettings.with { $0.nameCacheLifetime = .milliseconds(-1) },
        TransportSettings.with { $0.idleConnectionLifetime = .milliseconds(-1) },
    ])
    func `can be wrong`(settings: TransportSettings) {
        let error = #expect(throws: ErrandError.self) { try settings.validate() }
        #expect(error?.code == .invalidConfiguration)
    }

    @Test(arguments: [
        TransportSettings.with { $0.interface = "eth0" },
        TransportSettings.with { $0.interface = "fe80::1%2" },
        TransportSettings.with { ($0.unixSocket, $0.proxy) = ("/run/a b.sock", .none) },
        TransportSettings.with { $0.unixSocket = "/" + String(repeating: "a", count: 102) },
        TransportSettings.with { $0.maximumIdleConnections = 1 },
        TransportSettings.with { $0.nameCacheLifetime = .zero },
        TransportSettings.with { $0.idleConnectionLifetime = .zero },
    ])
    func `can be right`(settings: TransportSettings) throws {
        try settings.validate()
    }

    @Test func `are wrong if the rules for TLS are`() {
        let settings = TransportSettings.with { $0.tls.standard.pins = ["sha256/none"] }
        let error = #expect(throws: ErrandError.self) { try settings.validate() }
        #expect(error?.code == .invalidTLSPolicy)
    }

    // MARK: - Proxies

    @Test(
        arguments: [
            ("http://proxy.test:3128", "http://proxy.test:3128", nil, nil),
            ("HTTP://Proxy.test", "http://proxy.test:1080", nil, nil),
            ("https://proxy.test/", "https://proxy.test:443", nil, nil),
            ("socks4://a", "socks4://a:1080", nil, nil),
            ("socks4a://a:1", "socks4a://a:1", nil, nil),
            ("socks5://ann@a", "socks5://a:1080", "ann", nil),
            ("socks5h://ann:p%40ss@[::1]:9", "socks5h://[::1]:9", "ann", "p@ss"),
            ("http://ann:@a", "http://a:1080", "ann", ""),
        ] as [(String, String, String?, String?)])
    func `may name a proxy`(text: String, url: String, user: String?, password: String?) throws {
        let address = try #require(try TransportSettings.Proxy.url(text).address())
        #expect(address.url == url)
        #expect(address.user == user)
        #expect(address.password == password)
    }

    @Test(arguments: [
        "", "proxy.test", "proxy.test:80", "ftp://a", "socks://a", "http:/a", "http://", "http://:80", "http://a:b",
        "http://a:70000", "http://a/path", "http://a?query", "http://a#", "http://a b", "http://ann:secret@",
        "http://a\n",
        "http://secret\n@a",
    ])
    func `may not name such a proxy`(text: String) {
        let error = #expect(throws: ErrandError.self) {
            try TransportSettings.with { $0.proxy = .url(text) }.validate()
        }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("secret") == false)
    }

    @Test func `may name hosts that need no proxy`() throws {
        let policy = TransportSettings.Proxy.url(
            "http://a", bypass: ["B.test", "127.0.0.1", "::1", "[::2]", "c.test.", "d.test:80"])
        let address = try #require(try policy.address())
        #expect(address.bypass.map(\.text) == ["b.test", "127.0.0.1", "::1", "[::2]", "c.test.", "d.test:80"])
        #expect(address.bypass.map(\.isPlainHost) == [true, true, true, true, true, false])
    }

    @Test(arguments: [
        "", ".", "*.", "a,b", "a b", "a:", "a:x", "a:123456", "http://a", "a/8", "10.0.0.0/33", "::/129", "10.0.0.0/",
        "[::1", "::1]:80", "*a", "a.*", "a..b", "1.2.3.4\0", "a@b",
    ])
    func `may not bypass what is not a host`(host: String) {
        let error = #expect(throws: ErrandError.self) {
            try TransportSettings.Proxy.url("http://a", bypass: [host]).address()
        }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("\"\(host)\" names no hosts") == true || host.utf8.contains(0))
    }
}
