internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

#if os(Linux)
    @Suite("CurlTransport: heads that are too large (G12)", .timeLimit(.minutes(60)), .paced)
    struct CurlHeadLimitTests {
        /// The outcome of an exchange whose head has so many fields of 64 bytes.
        private func outcome(fields count: Int) async throws -> Result<Data, ErrandError> {
            let server = try LoopbackServer()
            defer { server.stop() }
            let line = "X-Small: \(String(repeating: "x", count: 53))\r\n"
            let fields = String(repeating: line, count: count)
            server.route("GET", "/a", .raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\(fields)\r\nok"))
            let transport = CurlTransport()
            defer { transport.shutdown() }
            return try await CurlExchangeCall(server, "/a").outcome(over: transport)
        }

        @Test func `a head has no more than 5000 lines`() async throws {
            let server = try LoopbackServer()
            defer { server.stop() }
            for (path, count) in [("/few", 4_990), ("/many", 5_001)] {
                let fields = String(repeating: "A: b\r\n", count: count)
                server.route("GET", path, .raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\(fields)\r\nok"))
            }
            let transport = CurlTransport()
            defer { transport.shutdown() }
            #expect(try await CurlExchangeCall(server, "/few").outcome(over: transport).get() == Data("ok".utf8))
            let outcome = try await CurlExchangeCall(server, "/many").outcome(over: transport)
            let error = #expect(throws: ErrandError.self) { try outcome.get() }
            #expect(error?.code == .invalidResponse)
            #expect(error?.message == "the head of the response has more than 5000 lines")
        }

        @Test func `the limit of 256 KiB holds for small lines too`() async throws {
            #expect(try await self.outcome(fields: 4000).get() == Data("ok".utf8))
            // Less than libcurl's own limit, which is 300 KiB in versions that have one.
            let outcome = try await self.outcome(fields: 4200)
            let error = #expect(throws: ErrandError.self) { try outcome.get() }
            #expect(error?.code == .invalidResponse)
            #expect(error?.message.contains("larger than 262144 bytes") == true)
        }
    }
#endif
