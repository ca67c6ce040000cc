internal import Errand
internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

#if os(Linux)
    @Suite("CurlTransport and connections that nothing uses", .timeLimit(.minutes(60)), .paced)
    struct CurlIdleTests {
        private let server: LoopbackServer

        init() throws {
            self.server = try LoopbackServer()
        }

        private func send(
            _ path: String, _ method: HTTPMethod = .get, over transport: CurlTransport
        ) async throws -> HTTPResponse {
            let url = try HTTPURL(parsing: self.server.baseURL + path)
            let body: HTTPRequest.Body = method == .post ? .bytes(Data("order".utf8)) : .none
            return try await transport.exchange(
                HTTPRequest(method: method, url: url, body: body),
                ExchangeContext(requestID: .next(), attempt: 1, destination: .memory(limit: 1 << 20)))
        }

        private static func reply(_ fields: String, _ body: String) -> Data {
            Data("HTTP/1.1 200 OK\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)
        }

        // MARK: - What nobody asked for

        @Test(arguments: [HTTPMethod.get, .post], ["HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong", "\r\n", "H"])
        func `a response that comes on an idle connection is not that of the next request`(
            method: HTTPMethod, extra: String
        ) async throws {
            self.server.route("*", "/next", .text("next"))
            let transport = CurlTransport()
            for number in 1...5 {
                let (gate, end) = (LoopbackGate(), LoopbackGate())
                self.server.route(
                    "GET", "/first",
                    LoopbackReply(
                        .bytes(Self.reply("", "first")), .hold(gate), .bytes(Data(extra.utf8)), .hold(end)))
                #expect(try await self.send("first", over: transport).data == Data("first".utf8))
                gate.open()
                #expect(await end.waitUntilReached())
                let next = try await self.send("next", method, over: transport)
                #expect(next.data == Data("next".utf8) && next.metrics?.isConnectionReused == false)
                // This one is kept, and serves the next round.
                #expect(self.server.connectionsAccepted == number + 1)
            }
            #expect(self.server.receivedCount == 10)
            transport.shutdown()
            self.server.stop()
        }

        @Test func `a request is sent again however often a connection ended under one before`() async throws {
            let count = Locked(0)
            self.server.route("GET", "/a") { _ in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                // Each second request is the second one of its connection.
                return number.isMultiple(of: 2) ? .close : .text("good")
            }
            let transport = CurlTransport()
            for _ in 1...16 {
                #expect(try await self.send("a", over: transport).data == Data("good".utf8))
            }
            transport.shutdown()
            self.server.stop()
        }

        @Test func `a POST that may have been processed stays so when no other connection can be opened`() async throws
        {
            self.server.route("GET", "/a", .text("good"))
            self.server.route("POST", "/a") { [server = self.server] _ in
                server.stop()
                return .close
            }
            let transport = CurlTransport()
            _ = try await self.send("a", over: transport)
            let error = await #expect(throws: ErrandError.self) { try await self.send("a", .post, over: transport) }
            #expect(error?.code == .connectionLost && error?.isUnprocessed == false)
            transport.shutdown()
        }

        @Test func `a connection that the server has closed is in no request's way, whatever its method`() async throws
        {
            self.server.route("*", "/a", LoopbackReply(.bytes(Self.reply("", "good")), .close))
            let transport = CurlTransport()
            for number in 1...5 {
                #expect(try await self.send("a", .post, over: transport).data == Data("good".utf8))
                #expect(await self.server.waitForClosedConnections(number))
            }
            #expect(self.server.receivedCount == 5)
            transport.shutdown()
            self.server.stop()
        }

        // MARK: - Lifetime

        @Test(
            arguments: [
                (.seconds(60), "", true), (.zero, "", false),
                (.seconds(60), "Keep-Alive: timeout=100, max=9\r\n", true),
                (.seconds(60), "keep-alive: max=5, Timeout = 1\r\n", false),
                (.seconds(60), "Keep-Alive: timeout=0\r\n", false), (.zero, "Keep-Alive: timeout=100\r\n", false),
                (.seconds(60), "Keep-Alive: timeout=-1\r\n", true), (.seconds(60), "Keep-Alive: timeout\r\n", true),
                (.seconds(60), "Keep-Alive: timeout=99999999999999999999\r\n", true),
            ] as [(Duration, String, Bool)])
        func `a connection is used again only before its time is over, by the settings and by the server`(
            lifetime: Duration, fields: String, isKept: Bool
        ) async throws {
            self.server.route("*", "/a", LoopbackReply(.bytes(Self.reply(fields, "good"))))
            let transport = CurlTransport(settings: .with { $0.idleConnectionLifetime = lifetime })
            for method in [HTTPMethod.get, .post, .get] {
                #expect(try await self.send("a", method, over: transport).data == Data("good".utf8))
            }
            #expect(self.server.connectionsAccepted == (isKept ? 1 : 3))
            #expect(self.server.receivedCount == 3)
            transport.shutdown()
            self.server.stop()
        }

        @Test func `connections without a lifetime are closed, however many there were at once`() async throws {
            let gate = LoopbackGate()
            self.server.route("GET", "/held", LoopbackReply.text("good").held(by: gate))
            self.server.route("GET", "/a", .text("good"))
            let transport = CurlTransport(settings: .with { $0.idleConnectionLifetime = .zero })
            try await withThrowingTaskGroup(of: HTTPStatus.self) { group in
                for _ in 0..<20 { group.addTask { try await self.send("held", over: transport).status } }
                #expect(await gate.waitUntilReached(times: 20))
                gate.open()
                for try await status in group { #expect(status == .ok) }
            }
            for _ in 0..<20 { #expect(try await self.send("a", over: transport).status == .ok) }
            #expect(self.server.connectionsAccepted == 40)
            transport.shutdown()
            self.server.stop()
        }

        // MARK: - Expectations

        @Test(arguments: [HTTPMethod.post, .put], [true, false])
        func `a server that does not meet an expectation is asked once more without it`(
            method: HTTPMethod, isMet: Bool
        ) async throws {
            self.server.add(
                .early("*", "/a") { request in
                    request.headers["Expect"] == nil && isMet ? .text("yes") : .text("no", status: 417)
                })
            let transport = CurlTransport()
            let url = try HTTPURL(parsing: self.server.baseURL + "a")
            let request = HTTPRequest(
                method: method, url: url, headers: ["Expect": "100-continue"], body: .bytes(Data("order".utf8)))
            for destination in [ExchangeContext.BodyDestination.memory(limit: 1 << 20), .stream(buffer: 1 << 10)] {
                let data = await CurlExchangeCall(request, into: destination).outcome(over: transport)
                #expect(try data.get() == Data((isMet ? "yes" : "no").utf8))
            }
            transport.shutdown()
            self.server.stop()
        }
    }
#endif
