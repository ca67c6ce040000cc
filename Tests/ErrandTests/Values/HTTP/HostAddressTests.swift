internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

/// Hosts are shown as the address that they reach, so that an app can keep requests out of its own network.
@Suite("URLs: hosts that are addresses", .timeLimit(.minutes(60)), .paced)
struct HostAddressTests {
    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1"), ("2130706433", "127.0.0.1"), ("0x7f.1", "127.0.0.1"), ("127.1", "127.0.0.1"),
        ("0X7F000001", "127.0.0.1"), ("0177.0.0.1", "127.0.0.1"), ("127.0.1", "127.0.0.1"), ("127.0.0.1.", "127.0.0.1"),
        ("0x7f.0x0.0x0.0x1", "127.0.0.1"), ("017700000001", "127.0.0.1"), ("0", "0.0.0.0"), ("0x", "0.0.0.0"),
        ("0x.0x.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"), ("4294967295", "255.255.255.255"),
        ("192.168.257", "192.168.1.1"), ("192.168.0.01", "192.168.0.1"), ("169.254.43518", "169.254.169.254"),
        ("00000000000000000000000000000000010.1", "8.0.0.1"),
    ])
    func `IPv4 addresses have one spelling`(host: String, shown: String) throws {
        for url in try [
            HTTPURL("http://u:p@\(host):8080/a?b#c"), HTTPURL("http://a.test/").resolving("//\(host):8080/"),
        ] {
            #expect(url.host == shown && url.authority == "\(shown):8080" && url.origin == "http://\(shown):8080")
        }
        let url = try HTTPURL("http://u:p@\(host)?b#c")
        #expect(url.string == "http://u:p@\(shown)/?b#c" && url.path == "/" && url.query == "b" && url.fragment == "c")
        #expect(url.user == "u" && url.port == nil && url.withoutUserInfo.string == "http://\(shown)/?b#c")
    }

    @Test(arguments: [
        "256.0.0.1", "1.2.3.256", "4294967296", "0x100000000", "1.16777216", "08", "0x7g.1", "1..2", "1.2.3.09",
        "99999999999999999999999999", ".1",
    ])
    func `numbers that are no address are refused`(host: String) {
        let error = #expect(throws: ErrandError.self) { try HTTPURL("http://\(host)/") }
        #expect(error?.code == .invalidURL)
    }

    @Test(arguments: [
        "a.test", "1.a", "0x7f.a", "1a", "a1", "0xg", "x.0xg", "127.0.0.1.a", "localhost.", "1.2.3.4..", "1.127.0.0.1",
        "a.1", "a.0x7f", "1-2", "a.1-",
    ])
    func `other hosts stay as they are`(host: String) throws {
        #expect(try HTTPURL("http://\(host)/").host == host)
    }

    @Test(arguments: [
        ("[::1]", "[::1]"), ("[0:0:0:0:0:0:0:1]", "[::1]"), ("[0000::0001]", "[::1]"), ("[::]", "[::]"),
        ("[2001:DB8:0:0:1:0:0:1]", "[2001:db8::1:0:0:1]"), ("[2001:db8::1:1:1:1:1]", "[2001:db8:0:1:1:1:1:1]"),
        ("[2001:db8:0:0:0:0:2:1]", "[2001:db8::2:1]"), ("[1:0:0:2:0:0:0:3]", "[1:0:0:2::3]"), ("[1::]", "[1::]"),
        ("[::ffff:7f00:1]", "[::ffff:127.0.0.1]"), ("[0:0:0:0:0:FFFF:127.0.0.1]", "[::ffff:127.0.0.1]"),
        ("[::ffff:0:0]", "[::ffff:0.0.0.0]"), ("[64:ff9b::a00:1]", "[64:ff9b::10.0.0.1]"),
        ("[::127.0.0.1]", "[::127.0.0.1]"), ("[1:2:3:4:5:6:7:8]", "[1:2:3:4:5:6:7:8]"), ("[0:1::]", "[0:1::]"),
    ])
    func `IPv6 addresses are written as RFC 5952 has them`(host: String, shown: String) throws {
        let url = try HTTPURL("https://\(host):444/a")
        #expect(url.host == shown && url.authority == "\(shown):444" && url.string == "https://\(shown):444/a")
        #expect(url.path == "/a" && url.port == 444)
    }

    @Test(arguments: ["http://127.1/x", "//0x7f.1/x", "http://2130706433/x", "//[::ffff:7f00:1]/x"])
    func `a decision about a redirection sees the address`(location: String) async throws {
        let world = FixtureWorld {
            $0.options = $0.options.redirects(.decide { $0.target.host.contains("127.0.0.1") ? .stop : .follow })
        }
        world.transport.route("a", .redirect(location, 307))
        let response = try await world.client.response(for: FixtureText { $0.validation = .any })
        #expect(response.head.status == 307)
        #expect(world.transport.receivedCount == 1)
    }

    @Test func `rules for the host of an address hold for each of its spellings`() throws {
        let policy = TLSPolicy(hosts: ["[0:0::1]": TLSPolicy.Rules(minimumVersion: .tls1_3)])
        #expect(policy.rules(for: try HTTPURL("https://[::0001]/").host).minimumVersion == .tls1_3)
        #expect(policy.rules(for: "::1").minimumVersion == .tls1_3)
    }
}
