#if canImport(CErrandCurl)
    internal import Errand
    internal import ErrandTesting
    internal import Foundation
    internal import TestEffort
    internal import Testing

    #if canImport(ErrandURLSession)
        @testable internal import ErrandURLSession
    #endif

    @Suite("Messages: https to a server of http, and the other way round", .timeLimit(.minutes(60)), .paced)
    struct MixedUpSchemeTests {
        private func error(
            _ reply: LoopbackReply, _ scheme: String, _ transport: any Transport
        ) async throws -> ErrandError {
            let server = try LoopbackServer()
            server.fallback { _ in reply }
            defer { server.stop() }
            let client = Client(baseURL: "\(scheme)://127.0.0.1:\(server.port)/") { $0.transport = transport }
            return try #require(await #expect(throws: ErrandError.self) { try await client.send(FixtureText()) })
        }

        @Test func `https to a server of http says so, and not that the server could not prove who it is`() async throws
        {
            try #require(CurlTransport.isAvailable)
            let curl = CurlTransport()
            defer { curl.shutdown() }
            for transport in [curl, URLSessionTransport()] as [any Transport] {
                let error = try await self.error(.text("plain"), "https", transport)
                #expect(error.code == .tlsFailed)
                #expect(
                    error.message.hasPrefix(
                        "the server does not speak TLS on this port: should the URL be http:// instead of https://?: "),
                    "\(error)")
                #expect(error.failureReason?.contains("offers no secure connection") == true)
            }
        }

        @Test func `http to a server of https says that the response is no HTTP, and why that may be`() async throws {
            try #require(CurlTransport.isAvailable)
            let curl = CurlTransport()
            defer { curl.shutdown() }
            // An alert of TLS: unexpected message (RFC 8446 §6.2).
            let alert = LoopbackReply(.bytes(Data([0x15, 3, 1, 0, 2, 2, 10])), .close)
            let error = try await self.error(alert, "http", curl)
            #expect(error.code == .invalidResponse)
            #expect(
                error.message.hasPrefix("the response is not valid HTTP: should the URL be https://"), "\(error)"
            )
        }
    }
#endif
