internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

@Suite("Connections: what messages say", .timeLimit(.minutes(60)), .paced)
struct ConnectionMessageTests {
    @Test func `a socket and a proxy that do not go together are both named`() {
        let settings = TransportSettings.with {
            ($0.unixSocket, $0.proxy) = ("/run/a.sock", .url("http://ann:pw@b.test"))
        }
        let error = #expect(throws: ErrandError.self) { try settings.validate() }
        #expect(
            error?.message
                == "unixSocket is /run/a.sock and proxy http://b.test:1080: a socket cannot be reached through a proxy, set one of the two"
        )
    }

    @Test(arguments: [("proxy.test:80", "\"proxy.test:80\""), ("http://a.test/path", "\"http://a.test/path\"")])
    func `a bad proxy is quoted`(text: String, quoted: String) {
        let error = #expect(throws: ErrandError.self) {
            try TransportSettings.with { $0.proxy = .url(text) }.validate()
        }
        #expect(error?.message.hasPrefix("\(quoted) is not the URL of a proxy: ") == true)
    }

    #if canImport(CErrandCurl)
        private func message(
            _ settings: TransportSettings, from base: String = "http://a.test/"
        ) async throws -> String? {
            try #require(CurlTransport.isAvailable)
            let transport = CurlTransport(settings: settings)
            let client = Client(baseURL: base) { $0.transport = transport }
            let error = await #expect(throws: ErrandError.self) { try await client.send(FixtureText()) }
            #expect(error?.code == .cannotConnect)
            transport.shutdown()
            return error?.message
        }

        @Test func `a socket that nobody listens at is named`() async throws {
            let folder = try TestFolder()
            let path = folder.file("x.sock").path
            let message = try await self.message(.with { ($0.unixSocket, $0.proxy) = (path, .none) })
            #expect(message?.hasPrefix("no connection could be made at the socket \(path): ") == true)
        }

        @Test func `a proxy that nobody listens at is named, without credentials`() async throws {
            let message = try await self.message(.with { $0.proxy = .url("http://ann:hunter2@127.0.0.1:1") })
            #expect(message?.hasPrefix("no connection could be made through the proxy http://127.0.0.1:1: ") == true)
            #expect(message?.contains("hunter2") == false)
        }

        @Test(arguments: [403, 502])
        func `a proxy that refuses a tunnel is named`(status: HTTPStatus) async throws {
            let proxy = try LoopbackServer(routes: [LoopbackRoute("*", "*") { _ in .status(status).closing() }])
            defer { proxy.stop() }
            let url = "http://127.0.0.1:\(proxy.port)"
            let message = try await self.message(.with { $0.proxy = .url(url) }, from: "https://a.test/")
            #expect(message?.hasPrefix("no connection could be made through the proxy \(url): ") == true)
            #expect(message?.contains("\(status.code)") == true)
        }

        @Test(arguments: ["http", "https"], [HTTPMethod.get, .post])
        func `a proxy that does not accept the password is asked once, and opens no circuit`(
            scheme: String, method: HTTPMethod
        ) async throws {
            try #require(CurlTransport.isAvailable)
            let refusal = LoopbackReply.status(407)
            let proxy = try LoopbackServer(routes: [LoopbackRoute("*", "*") { _ in refusal }])
            defer { proxy.stop() }
            let url = "127.0.0.1:\(proxy.port)"
            let transport = CurlTransport(settings: .with { $0.proxy = .url("http://ann:hunter2@\(url)") })
            defer { transport.shutdown() }
            let client = Client(baseURL: "\(scheme)://a.test/") {
                $0.transport = transport
                $0.options = $0.options.retries(RetryPolicy(limit: 2, backoff: .every(.zero)))
                $0.options = $0.options.circuitBreaker(CircuitBreaker(failureRate: 0, minimumRequests: 1))
            }
            for count in 1...3 {
                let error = await #expect(throws: ErrandError.self) {
                    try await client.send(FixtureText { $0.method = method })
                }
                #expect(error?.code == .proxyAuthenticationFailed)
                #expect(error?.context.status == 407 && error?.isUnprocessed == true && error?.context.attempts == 1)
                let start = "nothing was sent through the proxy http://\(url): "
                #expect(error?.message.hasPrefix(start) == true && error?.message.contains("hunter2") == false)
                #expect(proxy.receivedCount == count)
            }
        }

        @Test func `a 407 of a server that no proxy is before is its response`() async throws {
            try #require(CurlTransport.isAvailable)
            let server = try LoopbackServer(routes: [LoopbackRoute("*", "*") { _ in .status(407) }])
            defer { server.stop() }
            let transport = CurlTransport(settings: .with { $0.proxy = .none })
            defer { transport.shutdown() }
            let client = Client(baseURL: server.baseURL) { $0.transport = transport }
            let error = await #expect(throws: ErrandError.self) { try await client.send(FixtureText()) }
            #expect(error?.code == .unacceptableStatus && error?.context.status == 407)
        }

        @Test func `a proxy that is bypassed is not named`() async throws {
            let settings = TransportSettings.with { $0.proxy = .url("http://b.test", bypass: ["127.0.0.1"]) }
            let message = try await self.message(settings, from: "http://127.0.0.1:1/")
            #expect(message?.hasPrefix("no connection could be made: ") == true)
        }

        @Test(
            arguments: [
                ("http://a.test/", ["http_proxy": "http://ann:hunter2@b.test"], "http_proxy"),
                ("http://a.test/", ["HTTP_PROXY": "b.test", "https_proxy": "b.test", "http_proxy": ""], nil),
                ("https://a.test/", ["HTTPS_PROXY": "b.test", "ALL_PROXY": "b.test"], "HTTPS_PROXY"),
                ("https://a.test/", ["ALL_PROXY": "b.test"], "ALL_PROXY"),
                ("https://a.test/", ["ALL_PROXY": "b.test", "no_proxy": "c.test", "NO_PROXY": "a.test"], "ALL_PROXY"),
                ("https://a.test/", ["ALL_PROXY": "b.test", "NO_PROXY": "c.test a.test:443"], nil),
            ] as [(String, [String: String], String?)])
        func `of the environment the variable is named`(
            url: String, environment: [String: String], name: String?
        ) throws {
            let settings = try CurlSettings(TransportSettings(), version: 0x08_00_00)
            let words = name.map { "(perhaps through the proxy that \($0) names in the environment)" }
            #expect(settings.way(to: try HTTPURL(url), in: environment) == words)
        }
    #endif
}
