#if os(Linux)
    internal import Errand
    internal import ErrandTesting
    internal import Foundation
    internal import TestEffort
    internal import Testing

    /// An nginx that does what goes wrong with one, before a server that does what a test says.
    private struct NginxFaultScene {
        let nginx: NginxServer
        let upstream: LoopbackServer
        let clock = TestClock()

        init() async throws {
            let upstream = try LoopbackServer()
            var options = NginxServer.Options()
            options.rules = """
                limit_req_zone $server_addr zone=few:32k rate=20r/s;
                proxy_http_version 1.1;
                """
            options.locations = """
                location /gone { proxy_pass http://unix:/nobody/listens.here; }
                location /slow/ { proxy_pass http://127.0.0.1:\(upstream.port)/; proxy_read_timeout 50ms; }
                location /behind/ { proxy_pass http://127.0.0.1:\(upstream.port)/; proxy_read_timeout 1h; }
                location = /silent { return 444; }
                location = /busy { limit_req zone=few; limit_req_status 503; proxy_pass http://127.0.0.1:\(upstream.port)/a; }
                location = /many {
                    limit_req zone=few;
                    limit_req_status 429;
                    add_header Retry-After 0 always;
                    proxy_pass http://127.0.0.1:\(upstream.port)/a;
                }
                location /files/limited { limit_rate 20k; }
                location = /brief { keepalive_timeout 50ms; return 200 "good"; }
                location = /status { stub_status; }
                """
            self.nginx = try await NginxServer(options)
            self.upstream = upstream
        }

        /// Has the server behind it do this first; then all goes well.
        func script(_ replies: [LoopbackReply]) {
            self.upstream.route(where: { $0.path == "/a" }) { _, number in
                number <= replies.count ? replies[number - 1] : .text("good")
            }
        }

        func client(_ configure: (inout Client.Configuration) -> Void = { _ in }) -> Client {
            Client(baseURL: self.nginx.baseURL) {
                $0.options = $0.options.withoutTimeout()
                $0.options = $0.options.retries(RetryPolicy(limit: 1, backoff: .every(.zero)))
                configure(&$0)
            }
        }

        func stop() {
            self.nginx.stop()
            self.upstream.stop()
        }
    }

    @Suite(
        "What goes wrong with an nginx (G6, G16, G18)", .timeLimit(.minutes(60)), .paced,
        .enabled(
            if: TestProgram.areWanted && TestProgram.nginx != nil, "ERRAND_PROGRAMS is not 1, or nginx is not installed"
        ))
    struct NginxFaultTests {
        /// One thing that goes wrong.
        struct Fault: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let path: String
            /// What the server behind it does first; then all goes well.
            let reply: LoopbackReply?
            /// The value, or the code of the error.
            let end: String
            let status: HTTPStatus?
            let attempts: Int
            let method: HTTPMethod

            init(
                _ name: String, _ path: String, _ reply: LoopbackReply? = nil, method: HTTPMethod = .get, end: String,
                status: HTTPStatus? = nil, attempts: Int
            ) {
                (self.testDescription, self.path, self.reply) = (name, path, reply)
                (self.end, self.status, self.attempts, self.method) = (end, status, attempts, method)
            }

            var call: FixtureText {
                FixtureText(self.path) {
                    $0.method = self.method
                    if self.method == .post { $0.body = .bytes(Data("order".utf8)) }
                }
            }
        }

        private static let body = Data(String(repeating: "good", count: 25_000).utf8)

        private static let faults: [Fault] = [
            Fault("the server behind it is gone: 502", "gone", end: "unacceptableStatus", status: 502, attempts: 2),
            Fault(
                "POST: the server behind it is gone", "gone", method: .post, end: "unacceptableStatus", status: 502,
                attempts: 1),
            Fault("the server behind it is slow: 504", "slow/a", LoopbackReply(.stall), end: "good", attempts: 2),
            Fault(
                "POST: the server behind it is slow", "slow/a", LoopbackReply(.stall), method: .post,
                end: "unacceptableStatus", status: 504, attempts: 1),
            Fault("closed without an answer: 444", "silent", end: "connectionLost", attempts: 2),
            Fault("POST: closed without an answer", "silent", method: .post, end: "connectionLost", attempts: 1),
            Fault(
                "a body that the server behind it cuts short", "behind/a",
                .shortBody(declared: Self.body.count, sent: Self.body.prefix(50_000)), end: "good", attempts: 2),
            Fault(
                "POST: a body that the server behind it cuts short", "behind/a",
                .shortBody(declared: Self.body.count, sent: Self.body.prefix(50_000)), method: .post,
                end: "connectionLost", attempts: 1),
            Fault(
                "chunks that the server behind it cuts short", "behind/a",
                LoopbackReply(
                    .bytes(Data("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ngood\r\n".utf8)), .close),
                end: "good", attempts: 2),
            Fault("the server behind it closes without an answer: 502", "behind/a", .close, end: "good", attempts: 2),
            Fault(
                "the server behind it speaks something else, which is passed on", "behind/a",
                .raw("220 mail\r\n").closing(), end: "invalidResponse", attempts: 1),
            Fault(
                "the server behind it resets the body", "behind/a", .resetInBody(after: 2, of: Self.body), end: "good",
                attempts: 2),
        ]

        @Test(arguments: Self.faults)
        func `ends as it should, and leaves nothing`(fault: Fault) async throws {
            let scene = try await NginxFaultScene()
            scene.script(fault.reply.map { [$0] } ?? [])
            let client = scene.client()
            do throws(ErrandError) {
                let response = try await client.request(fault.call).response
                #expect(response.value == fault.end)
                #expect(response.attempts == fault.attempts)
            } catch {
                #expect(error.code.description == fault.end)
                #expect(error.context.attempts == fault.attempts)
                if fault.end == "unacceptableStatus" { #expect(error.context.status == fault.status) }
            }
            #expect(await client.record.count == 0)
            #expect(await client.scheduler.activeCount == 0)
            scene.stop()
        }

        @Test(arguments: [("busy", 503), ("many", 429)])
        func `requests that come too fast are sent again until one passes`(path: String, status: Int) async throws {
            let scene = try await NginxFaultScene()
            scene.upstream.route("*", "/a", .text("good"))
            let hasty = scene.client { $0.options = $0.options.retries(.never) }
            // As many as it takes: how fast they come is not up to the test.
            var refused: ErrandError?
            while refused == nil { refused = await hasty.request(FixtureText(path)).fixtureResult.fixtureFailure }
            #expect(refused?.context.status?.rawValue == status)
            let patient = scene.client {
                $0.limits.retryBudget = .unlimited
                $0.options = $0.options.retries(RetryPolicy(limit: 1_000, backoff: .every(.milliseconds(2))))
            }
            await withTaskGroup(of: String?.self) { group in
                for _ in 0..<5 {
                    group.addTask { await patient.request(FixtureText(path)).fixtureResult.fixtureSuccess }
                }
                for await value in group { #expect(value == "good") }
            }
            scene.stop()
        }

        @Test func `a body that comes slowly is waited for`() async throws {
            let scene = try await NginxFaultScene()
            let file = try scene.nginx.addFile("limited", size: 30_000)
            let response = try await scene.client().request(FixtureText(file)).response
            #expect(response.value.utf8.count == 30_000)
            #expect(response.attempts == 1)
            scene.stop()
        }

        @Test func `a server behind it that never answers is given up at the deadline, and asked again`() async throws {
            let scene = try await NginxFaultScene()
            scene.upstream.route("*", "/a", LoopbackReply(.stall), .text("good"))
            let client = scene.client {
                $0.environment.clock = scene.clock
                $0.options = $0.options.timeout(attempt: .seconds(9))
            }
            let request = client.request(FixtureText("behind/a"))
            await request.start()
            #expect(await scene.upstream.waitForRequests(1))
            scene.clock.advance(by: .seconds(9))
            let response = try await request.response
            #expect(response.value == "good" && response.attempts == 2)
            scene.stop()
        }

        @Test(arguments: [HTTPMethod.get, .post])
        func `a connection that was closed between two requests is replaced`(method: HTTPMethod) async throws {
            let scene = try await NginxFaultScene()
            let (client, watcher) = (scene.client(), scene.client())
            let call = Fault("", "brief", method: method, end: "good", attempts: 1).call
            for _ in 0..<3 {
                let response = try await client.request(call).response
                #expect(response.value == "good" && response.attempts == 1)
                // Nobody but who asks.
                await fixtureUntil {
                    let status = try? await watcher.send(FixtureText("status"))
                    return status?.hasPrefix("Active connections: 1 ") == true
                }
            }
            scene.stop()
        }

        @Test func `a server that fails all is left alone, until it is well`() async throws {
            let scene = try await NginxFaultScene()
            scene.script(Array(repeating: .close, count: 6))
            let client = scene.client {
                $0.environment.clock = scene.clock
                $0.options = $0.options.circuitBreaker(
                    CircuitBreaker(
                        failureRate: 0.5, minimumRequests: 3, openFor: .seconds(60), jitter: 0))
            }
            for _ in 0..<3 {
                let error = await client.request(FixtureText("behind/a")).fixtureResult.fixtureFailure
                #expect(error?.context.status == 502 && error?.context.attempts == 2)
            }
            let error = await client.request(FixtureText("behind/a")).fixtureResult.fixtureFailure
            #expect(error?.code == .circuitOpen)
            #expect(scene.upstream.receivedCount == 6)
            scene.clock.advance(by: .seconds(60))
            #expect(try await client.send(FixtureText("behind/a")) == "good")
            #expect(client.circuits?.states.isEmpty == true)
            scene.stop()
        }
    }
#endif
