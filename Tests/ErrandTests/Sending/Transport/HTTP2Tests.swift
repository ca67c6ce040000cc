internal import ErrandLocks

#if os(Linux)
    internal import Errand
    internal import ErrandTesting
    internal import Foundation
    internal import TestEffort
    internal import Testing

    @Suite("HTTP/2 with libcurl", .timeLimit(.minutes(60)), .paced, .enabled(if: TLSScene.isPossible, TLSScene.comment))
    struct HTTP2Tests {
        private static let count = 100

        /// Sends many requests at once, and answers what the server knows about each.
        private func sendMany(
            to baseURL: String, _ transport: CurlTransport
        ) async throws -> [NginxServer.About] {
            try await withThrowingTaskGroup(of: Result<HTTPResponse, ErrandError>.self) { group in
                for _ in 0..<Self.count { group.addTask { try await TLSScene.send(to: baseURL, transport) } }
                var all: [NginxServer.About] = []
                for try await result in group {
                    #expect(result.about != nil, "\(result)")
                    if let about = result.about { all.append(about) }
                }
                return all
            }
        }

        @Test func `shares one connection between many requests`() async throws {
            let scene = try await TLSScene()
            let server = try await scene.server(scene.certificates.server) { $0.isHTTP2 = true }
            var settings = TransportSettings()
            settings.tls.standard.trust = scene.authority
            let all = try await self.sendMany(to: server.baseURL, CurlTransport(settings: settings))
            #expect(all.count == Self.count)
            #expect(Set(all.map(\.httpVersion)) == ["HTTP/2.0"])
            #expect(Set(all.map(\.connection)).count == 1)
        }

        @Test func `has many responses under way on one connection`() async throws {
            let scene = try await TLSScene()
            let server = try await scene.server(scene.certificates.server) { $0.isHTTP2 = true }
            let url = server.baseURL + (try server.addFile("large", size: 4_000_000))
            var settings = TransportSettings()
            settings.tls.standard.trust = scene.authority
            let transport = CurlTransport(settings: settings)
            // None is read before all have begun, and each is larger than what may wait for its reader.
            let responses = try await withThrowingTaskGroup(of: HTTPResponse.self) { group in
                for _ in 0..<10 { group.addTask { try await Self.begin(url, transport) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(responses.map { $0.headers["X-Connection"] }).count == 1)
            // From the last to the first, so that most have to wait for long.
            for response in responses.reversed() {
                guard case .stream(let stream) = response.body else {
                    Issue.record("the body is \(response.body)")
                    continue
                }
                var count = 0
                for try await chunk in stream { count += chunk.count }
                #expect(count == 4_000_000)
            }
        }

        private static func begin(_ url: String, _ transport: CurlTransport) async throws -> HTTPResponse {
            try await transport.exchange(
                HTTPRequest(url: HTTPURL(url)),
                ExchangeContext(requestID: .next(), attempt: 1, destination: .stream(buffer: 64 << 10)))
        }

        @Test func `speaks HTTP/1.1 when it is told to, or the server knows no other`() async throws {
            let scene = try await TLSScene()
            for (isHTTP2, versions) in [(true, TransportSettings.HTTPVersions.http1_1), (false, .automatic)] {
                let server = try await scene.server(scene.certificates.server) { $0.isHTTP2 = isHTTP2 }
                var settings = TransportSettings()
                settings.tls.standard.trust = scene.authority
                settings.httpVersions = versions
                let all = try await self.sendMany(to: server.baseURL, CurlTransport(settings: settings))
                #expect(all.count == Self.count)
                #expect(Set(all.map(\.httpVersion)) == ["HTTP/1.1"])
            }
        }

        @Test func `needs no TLS where the server is known to speak it`() async throws {
            var options = NginxServer.Options()
            options.isHTTP2 = true
            let server = try await NginxServer(options)
            var settings = TransportSettings()
            settings.httpVersions = .http2PriorKnowledge
            let all = try await self.sendMany(to: server.baseURL, CurlTransport(settings: settings))
            #expect(all.count == Self.count)
            #expect(Set(all.map(\.httpVersion)) == ["HTTP/2.0"])
        }

        /// Versions before 7.88 cannot use such a connection again.
        @Test func `uses a connection without TLS again`() async throws {
            var options = NginxServer.Options()
            options.isHTTP2 = true
            options.locations = "location = /few { keepalive_requests 2; return 200 few; }"
            let server = try await NginxServer(options)
            var settings = TransportSettings()
            settings.httpVersions = .http2PriorKnowledge
            let transport = CurlTransport(settings: settings)
            var all: [NginxServer.About] = []
            for _ in 0..<50 {
                let result = try await TLSScene.send(to: server.baseURL, transport)
                all.append(try #require(result.about, "\(result)"))
            }
            #expect(Set(all.map(\.httpVersion)) == ["HTTP/2.0"])
            #expect(Set(all.map(\.connection)).count == 1)
            // What a server closes is opened anew.
            for number in 0..<20 {
                let request = HTTPRequest(url: try HTTPURL(server.baseURL + "few"))
                let context = ExchangeContext(requestID: .next(), attempt: 1, destination: .memory(limit: 1000))
                let response = try await transport.exchange(request, context)
                #expect(response.data == Data("few".utf8), "\(number): \(response.status)")
            }
        }

        @Test(arguments: [true, false])
        func `takes an answer that comes before the body is sent, and goes on`(isStreamed: Bool) async throws {
            let scene = try await TLSScene()
            let server = try await scene.server(scene.certificates.server) { $0.isHTTP2 = true }
            let client = Client(baseURL: server.baseURL) {
                $0.options = $0.options.timeouts(Timeouts(attempt: .seconds(3_600)))
                $0.network.tls.standard.trust = scene.authority
                $0.limits.responseBody = 1 << 20
            }
            let chunk = Data(count: 64 << 10)
            for _ in 0..<3 {
                let stream = BodyStream {
                    var rest = 256
                    return { () async throws(ErrandError) -> Data? in
                        rest -= 1
                        return rest < 0 ? nil : chunk
                    }
                }
                let body: RequestBody = isStreamed ? .stream(stream) : .bytes(Data(count: 16 << 20))
                let error = await #expect(throws: ErrandError.self) {
                    try await client.send(Refused(body: body))
                }
                #expect(error?.context.status == 413, "\(error.map { "\($0)" } ?? "")")
                #expect(error?.context.body == Data("too much".utf8))
            }
            #expect(try await client.send(Small()).count == 1024)
            await client.shutdown()
        }

        private struct Refused: Endpoint {
            let body: RequestBody
            var path: EndpointPath { "refusing" }
            var method: HTTPMethod { .post }
        }

        private struct Small: Endpoint {
            var path: EndpointPath { "small" }
        }

        @Test func `tells the version, and whether a connection was there already`() async throws {
            let scene = try await TLSScene()
            let server = try await scene.server(scene.certificates.server) { $0.isHTTP2 = true }
            var settings = TransportSettings()
            settings.tls.standard.trust = scene.authority
            let transport = CurlTransport(settings: settings)
            for isReused in [false, true] {
                let metrics = Locked<ExchangeMetrics?>(nil)
                _ = try await TLSScene.send(to: server.baseURL, transport) { event in
                    if case .finished(let value) = event { metrics.withLock { $0 = value } }
                }
                let value = try #require(metrics.withLock { $0 })
                #expect(value.httpVersion == .http2)
                #expect(value.isConnectionReused == isReused)
                #expect((value.secured == nil) == isReused)
                #expect(value.remoteAddress == "127.0.0.1")
            }
        }
    }
#endif
