#if os(Linux)
    internal import Errand
    internal import ErrandLocks
    internal import ErrandTesting
    internal import Foundation
    internal import TestEffort
    internal import Testing

    /// An nginx behind a relay whose connections can go silent, and a server behind that nginx that waits.
    private struct SilentScene {
        let nginx: NginxServer
        let relay: SilentRelay
        let upstream: LoopbackServer
        let gate = LoopbackGate()
        let clock = TestClock()
        /// Holds the certificates.
        private let tls: TLSScene

        init() async throws {
            let (upstream, gate) = (try LoopbackServer(), self.gate)
            upstream.route("GET", "/held", LoopbackReply(.hold(gate), .bytes(Self.response)))
            upstream.route(
                "GET", "/half",
                LoopbackReply(.bytes(Data("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf".utf8)), .hold(gate)))
            let scene = try await TLSScene()
            self.nginx = try await scene.server(scene.certificates.server) {
                $0.isHTTP2 = true
                $0.locations = """
                    location /behind/ {
                        proxy_http_version 1.1;
                        proxy_buffering off;
                        proxy_pass http://127.0.0.1:\(upstream.port)/;
                    }
                    """
            }
            self.upstream = upstream
            self.tls = scene
            let port = try #require(URL(string: self.nginx.baseURL)?.port)
            self.relay = try SilentRelay(to: UInt16(port))
        }

        private static let response = Data("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwhole".utf8)

        /// A client whose deadlines pass when its clock is moved, and whose connection has served requests before.
        func client(_ configure: (inout Client.Configuration) -> Void = { _ in }) async throws -> Client {
            let client = Client(baseURL: "https://127.0.0.1:\(self.relay.port)/") {
                $0.network.tls.standard.trust = self.tls.authority
                $0.network.proxy = .none
                $0.options = $0.options.withoutTimeout()
                $0.environment.clock = self.clock
                configure(&$0)
            }
            for _ in 0..<2 { try await self.expectAnswer(from: client, on: 1) }
            return client
        }

        /// Expects that the next request is answered, over the connection with this number.
        func expectAnswer(from client: Client, on connection: Int) async throws {
            let about = try await client.send(About(timeouts: .unlimited))
            #expect(about.httpVersion == "HTTP/2.0")
            #expect(self.relay.connections == connection)
        }

        /// Lets the deadlines pass.
        func passTime() async {
            await self.clock.waitForSleeper()
            self.clock.advance(by: .seconds(10))
        }

        func stop(_ client: Client) async {
            self.gate.open()
            await client.shutdown()
            self.relay.stop()
            self.upstream.stop()
        }
    }

    private struct About: Endpoint {
        var path: EndpointPath { "about" }
        var timeouts: Timeouts?
        var options: RequestOptions { self.timeouts.map { .timeouts($0) } ?? RequestOptions() }
        func decode(_ response: HTTPResponse) throws -> NginxServer.About { NginxServer.About(response.data) }
    }

    private struct Behind: Endpoint {
        let name: String
        var options = RequestOptions.withoutTimeout()
        var path: EndpointPath { "behind/\(self.name)" }
    }

    @Suite(
        "A connection over HTTP/2 that goes silent", .timeLimit(.minutes(60)), .paced,
        .enabled(if: TLSScene.isPossible, TLSScene.comment))
    struct SilentConnectionTests {
        private static let deadlines = [
            Timeouts(attempt: .seconds(10)), Timeouts(firstByte: .seconds(10)), Timeouts(idle: .seconds(10)),
            Timeouts(total: .seconds(10)),
        ]

        @Test func `a deadline gives it up, and the next request opens another`() async throws {
            let scene = try await SilentScene()
            let client = try await scene.client()
            for (number, timeouts) in zip(1..., Self.deadlines) {
                scene.relay.silence()
                let call = About(timeouts: timeouts)
                let task = Task { await streamingFailure { _ = try await client.send(call) } }
                await scene.relay.waitUntilSwallowed(on: number)
                await scene.passTime()
                #expect(await task.value?.code == .timedOut)
                for _ in 0..<3 { try await scene.expectAnswer(from: client, on: number + 1) }
            }
            await scene.stop(client)
        }

        @Test func `a deadline of a download to a file gives it up`() async throws {
            let scene = try await SilentScene()
            let client = try await scene.client()
            scene.relay.silence()
            let file = FileManager.default.temporaryDirectory.appending(path: "errand-\(UUID().uuidString)")
            let call = About(timeouts: Timeouts(attempt: .seconds(10)))
            let task = Task { await streamingFailure { _ = try await client.download(call, to: file) } }
            await scene.relay.waitUntilSwallowed()
            await scene.passTime()
            #expect(await task.value?.code == .timedOut)
            try await scene.expectAnswer(from: client, on: 2)
            await scene.stop(client)
        }

        @Test func `an idle deadline in the middle of a stream gives it up`() async throws {
            let scene = try await SilentScene()
            let client = try await scene.client()
            let half = Waiter<Void>()
            let isOver = Locked(false)
            let call = Behind(name: "half", options: .timeouts(Timeouts(idle: .seconds(10))))
            let task = Task {
                defer { isOver.withLock { $0 = true } }
                return await streamingFailure {
                    try await client.stream(call) { for try await _ in $0.body { half.resume(()) } }
                }
            }
            _ = await half.wait()
            // Time counts only while the reader waits.
            await fixtureUntil {
                scene.clock.advance(by: .seconds(10))
                return isOver.withLock { $0 }
            }
            #expect(await task.value?.code == .timedOut)
            try await scene.expectAnswer(from: client, on: 2)
            await scene.stop(client)
        }

        @Test func `the second attempt of a request is sent on another`() async throws {
            let scene = try await SilentScene()
            let client = try await scene.client {
                $0.options = $0.options.timeouts(Timeouts(attempt: .seconds(10)))
                $0.options = $0.options.retries(RetryPolicy(limit: 1, backoff: .every(.zero)))
            }
            scene.relay.silence()
            async let about = client.send(About())
            await scene.relay.waitUntilSwallowed()
            await scene.passTime()
            #expect(try await about.httpVersion == "HTTP/2.0")
            #expect(scene.relay.connections == 2)
            await scene.stop(client)
        }

        @Test func `a request that is sent twice is sent on another the second time`() async throws {
            let scene = try await SilentScene()
            let client = try await scene.client {
                $0.options = $0.options.hedging(.after(.seconds(10)))
                $0.limits.retryBudget = .unlimited
            }
            scene.relay.silence()
            async let about = client.send(About())
            await scene.relay.waitUntilSwallowed()
            await scene.passTime()
            #expect(try await about.httpVersion == "HTTP/2.0")
            #expect(scene.relay.connections == 2)
            await scene.stop(client)
        }

        @Test func `other exchanges on a connection that was given up go on`() async throws {
            let scene = try await SilentScene()
            let client = try await scene.client()
            async let held = client.send(Behind(name: "held"))
            #expect(await scene.upstream.waitForRequests(1))
            let call = Behind(name: "held", options: .timeouts(Timeouts(attempt: .seconds(10))))
            let task = Task { await streamingFailure { _ = try await client.send(call) } }
            #expect(await scene.upstream.waitForRequests(2))
            await scene.passTime()
            #expect(await task.value?.code == .timedOut)
            for _ in 0..<3 { try await scene.expectAnswer(from: client, on: 2) }
            scene.gate.open()
            #expect(try await held == Data("whole".utf8))
            try await scene.expectAnswer(from: client, on: 2)
            await scene.stop(client)
        }
    }
#endif
