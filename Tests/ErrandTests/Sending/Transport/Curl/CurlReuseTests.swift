internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

#if os(Linux)
    @Suite("Handles and connections that are used again", .timeLimit(.minutes(60)), .paced, .tags(.threadSanitizer))
    struct CurlReuseTests {
        private let server: LoopbackServer
        /// Lets all answers go at once, so that so many connections are in use at the same time.
        private let gate = LoopbackGate()

        init() throws {
            self.server = try LoopbackServer()
            self.server.route("GET", "/a", .text("content"))
            self.server.route("GET", "/held", LoopbackReply.text("content").held(by: self.gate))
        }

        private func transport(_ configure: (inout TransportSettings) -> Void = { _ in }) -> CurlTransport {
            var settings = TransportSettings()
            configure(&settings)
            return CurlTransport(settings: settings)
        }

        private func get(_ path: String, over transport: CurlTransport) async throws -> HTTPResponse {
            let request = HTTPRequest(url: try HTTPURL(parsing: self.server.baseURL + path))
            return try await transport.exchange(request, Self.context)
        }

        private static var context: ExchangeContext {
            ExchangeContext(requestID: .next(), attempt: 1, destination: .memory(limit: 1 << 20))
        }

        /// Does so many exchanges, all of them in flight at the same time.
        private func getTogether(_ count: Int, over transport: CurlTransport) async throws {
            try await withThrowingTaskGroup(of: HTTPStatus.self) { group in
                for _ in 0..<count { group.addTask { try await self.get("held", over: transport).status } }
                #expect(await self.gate.waitUntilReached(times: count))
                self.gate.open()
                for try await status in group { #expect(status == .ok) }
            }
        }

        @Test func `one after another they are one handle and one connection`() async throws {
            let transport = self.transport()
            for _ in 0..<5 { #expect(try await self.get("a", over: transport).status == .ok) }
            #expect(await transport.ledger() == CurlLedger(active: 0, idle: 1))
            #expect(self.server.connectionsAccepted == 1)
            transport.shutdown()
            self.server.stop()
        }

        @Test func `a handle that is used again sends the fields of its request and no others`() async throws {
            let transport = self.transport()
            for fields in [["X-A": "1"], ["X-A": "1"], ["x-a": "1"], [:], ["X-A": "2", "X-B": ""]] as [HTTPFields] {
                let request = HTTPRequest(url: try HTTPURL(parsing: self.server.baseURL + "a"), headers: fields)
                _ = try await transport.exchange(request, Self.context)
                let sent = try #require(self.server.received.last).headers.filter {
                    $0.name.lowercased().hasPrefix("x-")
                }
                #expect(sent.map { [$0.name, $0.value] } == fields.map { [$0.name, $0.value] })
            }
            #expect(await transport.ledger() == CurlLedger(active: 0, idle: 1))
            transport.shutdown()
            self.server.stop()
        }

        @Test func `many at once keep their connections for the next ones`() async throws {
            let transport = self.transport()
            try await self.getTogether(100, over: transport)
            #expect(self.server.connectionsAccepted == 100)
            try await withThrowingTaskGroup(of: HTTPStatus.self) { group in
                for _ in 0..<100 { group.addTask { try await self.get("a", over: transport).status } }
                for try await status in group { #expect(status == .ok) }
            }
            #expect(self.server.connectionsAccepted == 100)
            #expect(await transport.ledger() == CurlLedger(active: 0, idle: 100))
            transport.shutdown()
            self.server.stop()
        }

        @Test func `who asks for the response is told over which connection it came`() async throws {
            let client = Client(baseURL: self.server.baseURL) {
                $0.options = $0.options.timeouts(Timeouts(attempt: .seconds(3_600)))
            }
            let first = try #require(try await client.response(for: FixtureData()).metrics)
            let second = try #require(try await client.response(for: FixtureData()).metrics)
            #expect(first.httpVersion == .http1_1)
            #expect(first.remoteAddress == "127.0.0.1")
            #expect(first.bytesReceived == 7)
            #expect([first.isConnectionReused, second.isConnectionReused] == [false, true])
            await client.shutdown()
            self.server.stop()
        }

        @Test(arguments: [1, 3, 10]) func `no more connections stay open than the settings say`(limit: Int) async throws
        {
            let transport = self.transport { $0.maximumIdleConnections = limit }
            try await self.getTogether(20, over: transport)
            let over = 20 - limit
            // Of several whose responses came at once libcurl closes one; each of those that come later closes another.
            for _ in 0..<over { #expect(try await self.get("a", over: transport).status == .ok) }
            #expect(await self.server.waitForClosedConnections(over))
            #expect(self.server.connectionsAccepted == 20)
            #expect(self.server.openConnections == limit)
            // Those that stay open serve what comes next, and no other is opened.
            for _ in 0..<5 { #expect(try await self.get("a", over: transport).status == .ok) }
            #expect(self.server.connectionsAccepted == 20)
            #expect(self.server.openConnections == limit)
            transport.shutdown()
            #expect(await self.server.waitForClosedConnections(20))
            self.server.stop()
        }

        @Test(arguments: [1, 2, 5]) func `nor to all hosts together`(limit: Int) async throws {
            let transport = self.transport { $0.maximumIdleConnections = limit }
            let servers = try (0..<6).map { _ in try LoopbackServer() }
            for server in servers { server.route("GET", "/a", .text("a")) }
            for (number, server) in servers.enumerated() {
                let request = HTTPRequest(url: try HTTPURL(parsing: server.baseURL + "a"))
                #expect(try await transport.exchange(request, Self.context).status == .ok)
                // One has made room; of those that were used in the same millisecond it may be any.
                await fixtureUntil { servers.reduce(0) { $0 + $1.openConnections } == min(number + 1, limit) }
            }
            #expect(servers.allSatisfy { $0.connectionsAccepted == 1 })
            transport.shutdown()
            for server in servers {
                #expect(await server.waitForClosedConnections(1))
                server.stop()
            }
            self.server.stop()
        }
    }
#endif
