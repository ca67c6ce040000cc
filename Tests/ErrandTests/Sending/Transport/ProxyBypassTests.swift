internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

@Suite("Hosts without a proxy", .timeLimit(.minutes(60)), .paced)
struct ProxyBypassTests {
    /// An entry, a URL, and whether the entry means it.
    private static let table: [(entry: String, url: String, isMeant: Bool)] = [
        ("c.test", "http://c.test/", true), ("c.test", "http://d.C.test./", true), ("c.test", "http://xc.test/", false),
        ("c.test", "http://test/", false), ("C.Test.", "http://c.test/", true),
        (".c.test", "http://c.test/", true), (".c.test", "http://a.b.c.test/", true),
        (".c.test", "http://xc.test/", false),
        ("*.c.test", "http://a.c.test/", true), ("*.c.test", "http://a.b.c.test/", true),
        ("*.c.test", "http://c.test/", false), ("*.c.test", "http://xc.test/", false),
        ("c.test:8080", "http://c.test:8080/", true), ("c.test:8080", "http://a.c.test:8080/", true),
        ("c.test:8080", "http://c.test/", false), ("c.test:80", "http://c.test/", true),
        ("c.test:443", "https://c.test/", true), ("c.test:80", "https://c.test/", false),
        ("*.c.test:80", "http://a.c.test/", true), ("*.c.test:80", "http://a.c.test:81/", false),
        ("[::1]", "http://[::1]/", true), ("::1", "http://[::1]:8080/", true),
        ("0:0:0:0:0:0:0:1", "http://[::1]/", true),
        ("[::1]:8080", "http://[::1]:8080/", true), ("[::1]:8080", "http://[::1]/", false),
        ("[::2]", "http://[::1]/", false), ("127.0.0.1", "http://127.0.0.1/", true),
        ("127.0.0.1:80", "http://127.0.0.1/", true), ("127.0.0.1:80", "http://127.0.0.1:81/", false),
        ("0.0.1", "http://127.0.0.1/", false), ("127.0.0.1", "http://a.127.0.0.1.test/", false),
        ("10.0.0.0/8", "http://10.1.2.3/", true), ("10.0.0.0/8", "http://11.1.2.3/", false),
        ("192.168.16.0/20", "http://192.168.31.9/", true), ("192.168.16.0/20", "http://192.168.32.9/", false),
        ("10.0.0.0/8", "http://[::1]/", false), ("0.0.0.0/0", "http://9.9.9.9/", true),
        ("10.1.2.3/32", "http://10.1.2.3/", true),
        ("fd00::/8", "http://[fd12::1]/", true), ("fd00::/8", "http://[fe80::1]/", false),
        ("::/0", "http://9.9.9.9/", false),
        ("10.0.0.0/8", "http://10.test/", false),
        ("*", "http://anything.test:1/", true), ("*", "http://[::1]/", true),
        ("localhost", "http://localhost:3000/", true),
        ("localhost:3000", "http://localhost:3000/", true), ("localhost", "http://127.0.0.1/", false),
    ]

    @Test(arguments: Self.table)
    func `an entry means these hosts and ports`(entry: String, url: String, isMeant: Bool) throws {
        let bypass = try #require(ProxyBypass(entry))
        #expect(bypass.contains(try HTTPURL(url)) == isMeant)
    }

    @Test(arguments: [
        ("a.test,b.test", ["a.test", "b.test"]), (" a.test , *.b.test\t[::1]:80 ", ["a.test", "*.b.test", "[::1]:80"]),
        (",,", []), ("", []), ("http://a.test, a.test:x ,10.0.0.0/99,c.test", ["c.test"]), ("*", ["*"]),
    ])
    func `a list has commas or spaces, and what is no entry is passed over`(list: String, entries: [String]) {
        #expect(ProxyBypass.list(list).map(\.text) == entries)
    }

    #if canImport(CErrandCurl)
        @Test(arguments: [
            (["127.0.0.1:PORT"], true), (["127.0.0.0/8"], true), (["127.0.0.1:1"], false),
            (["*"], true), ([], false),
        ])
        func `a request goes past the proxy for these hosts alone`(entries: [String], isDirect: Bool) async throws {
            try #require(CurlTransport.isAvailable)
            let server = try LoopbackServer(routes: [LoopbackRoute("GET", "/a") { _ in .text("direct") }])
            let proxy = try LoopbackServer(routes: [LoopbackRoute("*", "*") { _ in .text("by the proxy") }])
            defer {
                server.stop()
                proxy.stop()
            }
            let bypass = entries.map { $0.replacing("PORT", with: "\(server.port)") }
            var settings = TransportSettings()
            settings.proxy = .url("http://127.0.0.1:\(proxy.port)", bypass: bypass)
            let client = Client(baseURL: server.baseURL) { $0.network = settings }
            for _ in 0..<2 {
                #expect(try await client.send(FixtureText()) == (isDirect ? "direct" : "by the proxy"))
            }
            await client.shutdown()
        }

        @Test func `a list of the environment that changes is read anew`() throws {
            let url = try HTTPURL("https://a.test/")
            var bypass = CurlBypass()
            for (list, isDirect) in [
                ("", false), ("a.test", true), ("b.test a.test", true), ("b.test", false), ("b.test", false),
                ("*", true), ("", false),
            ] {
                #expect(bypass.contains(url, in: list) == isDirect, "\(list)")
            }
        }
    #endif
}
