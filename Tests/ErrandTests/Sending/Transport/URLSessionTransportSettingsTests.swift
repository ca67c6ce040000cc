internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

#if canImport(ErrandURLSession)
    @testable internal import ErrandURLSession
#endif

@Suite("URLSessionTransport and its settings", .timeLimit(.minutes(60)), .paced)
struct URLSessionTransportSettingsTests {
    /// Sends a request to a server that does not speak TLS, whatever the URL says.
    private func code(_ settings: TransportSettings, _ url: String) async throws -> ErrandError.Code? {
        let transport = URLSessionTransport(settings: settings)
        do throws(ErrandError) {
            _ = try await transport.exchange(
                HTTPRequest(url: HTTPURL(url)),
                ExchangeContext(requestID: .next(), attempt: 1, destination: .memory(limit: 100)))
            return nil
        } catch {
            return error.code
        }
    }

    @Test(
        arguments: [
            (TransportSettings.with { $0.addressFamily = .ipv6 }, .unsupported),
            (TransportSettings.with { $0.addressFamily = .ipv4 }, .unsupported),
            (TransportSettings.with { $0.interface = "lo" }, .unsupported),
            (TransportSettings.with { $0.httpVersions = .http1_1 }, .unsupported),
            (TransportSettings.with { $0.httpVersions = .http2PriorKnowledge }, .unsupported),
            (TransportSettings.with { $0.unixSocket = "/a" }, .unsupported),
            (TransportSettings.with { $0.decodesContent = false }, .unsupported),
            (TransportSettings.with { $0.unixSocket = "a" }, .invalidConfiguration),
            (TransportSettings.with { $0.proxy = .url("ftp://a") }, .invalidConfiguration),
            (TransportSettings.with { $0.proxy = .url("socks4://a") }, .unsupported),
            (TransportSettings.with { $0.tls.standard.pins = ["sha1/"] }, .invalidTLSPolicy),
            (
                TransportSettings.with { $0.tls.hosts["other.test"] = TLSPolicy.Rules(pins: ["sha1/"]) },
                .invalidTLSPolicy
            ),
        ] as [(TransportSettings, ErrandError.Code)])
    func `refuses what it cannot do, and what cannot be`(
        settings: TransportSettings, code: ErrandError.Code
    ) async throws {
        let server = try LoopbackServer(routes: [LoopbackRoute("*", "/*") { _ in .text("hello") }])
        #expect(try await self.code(settings, server.baseURL) == code)
        #expect(server.connectionsAccepted == 0)
    }

    @Test(arguments: [
        TransportSettings.with { $0.maximumIdleConnections = 1 },
        TransportSettings.with { $0.nameCacheLifetime = .zero },
        TransportSettings.with { $0.idleConnectionLifetime = .zero },
    ])
    func `leaves to URLSession what is URLSession's`(settings: TransportSettings) async throws {
        let server = try LoopbackServer(routes: [LoopbackRoute("*", "/*") { _ in .text("hello") }])
        #expect(try await self.code(settings, server.baseURL) == nil)
    }

    #if os(Linux)
        @Test(arguments: [TransportSettings.Proxy.none, .url("http://a"), .url("socks5h://a")])
        func `refuses other proxies than those of the environment`(proxy: TransportSettings.Proxy) async throws {
            let server = try LoopbackServer(routes: [LoopbackRoute("*", "/*") { _ in .text("hello") }])
            #expect(try await self.code(TransportSettings.with { $0.proxy = proxy }, server.baseURL) == .unsupported)
            #expect(server.connectionsAccepted == 0)
        }

        @Test(arguments: [
            TLSPolicy.Rules(pins: [SecurityFixture.pin]),
            TLSPolicy.Rules(trust: .unverifiedDangerously),
            TLSPolicy.Rules(trust: .authorities([.text(SecurityFixture.certificate)])),
            TLSPolicy.Rules(clientCertificate: SecurityFixture.identity(SecurityFixture.key)),
            TLSPolicy.Rules(minimumVersion: .tls1_3),
        ])
        func `refuses hosts with rules of their own for TLS, and no others`(rules: TLSPolicy.Rules) async throws {
            let server = try LoopbackServer(routes: [LoopbackRoute("*", "/*") { _ in .text("hello") }])
            let settings = TransportSettings.with { $0.tls.hosts["127.0.0.1"] = rules }
            let port = server.port
            #expect(try await self.code(settings, "https://127.0.0.1:\(port)/") == .unsupported)
            #expect(server.connectionsAccepted == 0)
            #expect(try await self.code(settings, "https://localhost:\(port)/") == .tlsFailed)
            #expect(try await self.code(settings, "http://127.0.0.1:\(port)/") == nil)
        }
    #endif
}
