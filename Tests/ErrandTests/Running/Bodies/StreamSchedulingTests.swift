internal import Errand
internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

#if os(Linux)
    @Suite("Bodies that are read hold one slot, and wait for no other one", .timeLimit(.minutes(60)), .paced)
    struct StreamSchedulingTests {
        private let scene: StreamingScene

        init() throws {
            self.scene = try StreamingScene()
        }

        private var server: LoopbackServer { self.scene.server }

        /// Answers in turn; the last reply is repeated.
        private func route(_ path: String, _ replies: LoopbackReply...) {
            let turns = Locked(0)
            self.server.route("GET", path) { _ in
                turns.withLock { turns in
                    turns += 1
                    return replies[min(turns, replies.count) - 1]
                }
            }
        }

        private func text(_ response: StreamedResponse) async throws -> String {
            String(decoding: try await streamingAll(response.body), as: UTF8.self)
        }

        @Test(arguments: [false, true])
        func `the slot is held as long as the closure runs, and no longer`(isIntercepted: Bool) async throws {
            self.server.route("GET", "/a", .text("content"))
            self.server.route("GET", "/b", .text("b"))
            let client = self.scene.narrowClient {
                if isIntercepted { $0.interceptors = [FixtureInterceptor { try await $2($0) }] }
            }
            let reading = FixtureGate()
            let task = Task {
                try await client.stream(FixtureData()) { response in
                    let text = try await self.text(response)
                    await reading.pass()
                    return text
                }
            }
            await reading.waitUntilReached()
            #expect(await client.scheduler.activeCount == 1)
            let other = Task { try await client.send(FixtureText("b")) }
            await fixtureUntil { await client.scheduler.waitingCount == 1 }
            #expect(self.server.receivedCount == 1)
            reading.open()
            #expect(try await task.value == "content")
            #expect(try await other.value == "b")
            #expect(await client.scheduler.activeCount == 0)
        }

        @Test(arguments: [false, true])
        func `a redirection is followed`(isLong: Bool) async throws {
            let body = streamingBytes(isLong ? 1_000_000 : 5)
            self.server.route("GET", "/a", .data(body, status: 302, headers: ["Location": "/b"]))
            self.server.route("GET", "/b", .text("here"))
            let client = self.scene.narrowClient()
            #expect(try await client.stream(FixtureData()) { try await self.text($0) } == "here")
            await self.scene.expectEnded(client)
        }

        @Test func `a redirection that is looked at with the same client is followed`() async throws {
            self.server.route("GET", "/a", .redirect(to: "/b"))
            self.server.route("GET", "/b", .text("here"))
            self.server.route("GET", "/ask", .text("yes"))
            let other = Locked<Client?>(nil)
            let client = self.scene.narrowClient {
                $0.options = $0.options.redirects(
                    .decide { _ in
                        let answer = try? await other.withLock { $0 }?.send(FixtureText("ask"))
                        return answer == "yes" ? .follow : .stop
                    })
            }
            other.withLock { $0 = client }
            #expect(try await client.stream(FixtureData()) { try await self.text($0) } == "here")
            other.withLock { $0 = nil }
        }

        @Test func `a challenge is answered with the same client`() async throws {
            self.server.route("GET", "/a") { request in
                guard request.header("Authorization") != nil else {
                    return .text("who?", status: 401, headers: ["WWW-Authenticate": "Basic realm=\"home\""])
                }
                return .text("in")
            }
            self.server.route("GET", "/login", .text("token"))
            let other = Locked<Client?>(nil)
            let login = StreamingLogin {
                // Nobody may wait for ever here: the slot must be free.
                _ = try await other.withLock { $0 }?.send(FixtureText("login"))
            }
            let client = self.scene.narrowClient { $0.credentials.authenticator = login }
            other.withLock { $0 = client }
            #expect(try await client.stream(FixtureData()) { try await self.text($0) } == "in")
            other.withLock { $0 = nil }
            #expect(self.server.received.map(\.path) == ["/a", "/login", "/a"])
        }

        @Test func `a challenge that nobody answers is the error`() async throws {
            self.server.route("GET", "/a", .text("who?", status: 401))
            struct Silent: Authenticator {
                func credential(for context: AuthenticationContext) async throws -> HTTPCredential? { nil }
            }
            let client = self.scene.narrowClient { $0.credentials.authenticator = Silent() }
            let error = await streamingFailure { _ = try await client.stream(FixtureData()) { _ in } }
            #expect(error?.context.status == .unauthorized)
            #expect(error?.context.body == Data("who?".utf8))
            await self.scene.expectEnded(client)
        }

        @Test func `an interceptor can send again after a refusal`() async throws {
            self.route("/a", .data(streamingBytes(1_000_000), status: 500), .text("no", status: 500), .text("yes"))
            let retry = FixtureInterceptor { request, _, next in
                var response = try await next(request)
                while response.status == 500 { response = try await next(request) }
                return response
            }
            let client = self.scene.narrowClient { $0.interceptors = [retry] }
            #expect(try await client.stream(FixtureData()) { try await self.text($0) } == "yes")
            #expect(self.server.receivedCount == 3)
            await self.scene.expectEnded(client)
        }

        @Test func `an interceptor can send again after an answer`() async throws {
            self.route("/a", .stallInBody(after: 3, of: Data("content".utf8)), .text("again"))
            let twice = FixtureInterceptor { request, _, next in
                let first = try await next(request)
                let second = try await next(request)
                // Still held, as it is in most code: what it has of a slot must not be what the second waits for.
                withExtendedLifetime(first) {}
                return second
            }
            let client = self.scene.narrowClient { $0.interceptors = [twice] }
            #expect(try await client.stream(FixtureData()) { try await self.text($0) } == "again")
            await self.scene.expectEnded(client)
            #expect(await self.server.waitForClosedConnections(1))
        }

        @Test func `an interceptor that drops an answer holds no slot while it waits`() async throws {
            self.route("/a", .stallInBody(after: 3, of: Data("content".utf8)), .text("again"))
            let gate = FixtureGate()
            let later = FixtureInterceptor { request, _, next in
                _ = try await next(request)
                await gate.pass()
                return try await next(request)
            }
            let client = self.scene.narrowClient { $0.interceptors = [later] }
            let task = Task { try await client.stream(FixtureData()) { try await self.text($0) } }
            await gate.waitUntilReached()
            await fixtureUntil { await client.scheduler.activeCount == 0 }
            #expect(client.environment.deadlines.count == 0)
            #expect(await self.server.waitForClosedConnections(1))
            gate.open()
            #expect(try await task.value == "again")
            await self.scene.expectEnded(client)
        }

        @Test func `the deadlines of an answer that was dropped end nothing`() async throws {
            self.route("/a", .stallInBody(after: 3, of: Data("content".utf8)), .text("again"))
            let gate = FixtureGate()
            let twice = FixtureInterceptor { request, context, next in
                _ = try await next(request)
                let second = try await next(request)
                await gate.pass()
                return second
            }
            let client = self.scene.client {
                $0.interceptors = [twice]
                $0.environment.clock = self.scene.clock
                $0.options = $0.options.timeouts(Timeouts(attempt: .seconds(10)))
            }
            let task = Task { try await client.stream(FixtureData()) { try await self.text($0) } }
            await gate.waitUntilReached()
            // One deadline is left, and it is the one of the second attempt.
            #expect(client.environment.deadlines.count == 1)
            gate.open()
            #expect(try await task.value == "again")
            await self.scene.expectEnded(client)
        }

        @Test func `an interceptor can refresh its token with the same client`() async throws {
            self.route("/a", .text("who?", status: 401), .text("in"))
            self.server.route("GET", "/login", .text("token"))
            let other = Locked<Client?>(nil)
            let refresh = FixtureInterceptor { request, context, next in
                let response = try await next(request)
                guard response.status == .unauthorized else { return response }
                _ = try await other.withLock { $0 }?.send(FixtureText("login"))
                return try await next(request)
            }
            let client = self.scene.narrowClient()
            other.withLock { $0 = client }
            let call = FixtureReading(interceptors: [refresh]) { try await self.text($0) }
            #expect(try await client.send(call) == "in")
            other.withLock { $0 = nil }
        }

        @Test func `an interceptor may answer in place of a body that it drops`() async throws {
            self.server.route("GET", "/a", .stallInBody(after: 3, of: Data("content".utf8)))
            let own = FixtureInterceptor { request, _, next in
                _ = try await next(request)
                return HTTPResponse(status: 200, body: Data("own".utf8))
            }
            let client = self.scene.narrowClient { $0.interceptors = [own] }
            #expect(try await client.stream(FixtureData()) { try await self.text($0) } == "own")
            await self.scene.expectEnded(client)
            #expect(await self.server.waitForClosedConnections(1))
        }

        @Test func `an interceptor can change what is read`() async throws {
            self.server.route("GET", "/a", .text("content"))
            let shout = FixtureInterceptor { request, _, next in
                var response = try await next(request)
                guard case .stream(let body) = response.body else { return response }
                response.body = .stream(
                    BodyStream {
                        var iterator = body.makeAsyncIterator()
                        return { () async throws(ErrandError) -> Data? in
                            let chunk = try await iterator.next()
                            return chunk.map { Data(String(decoding: $0, as: UTF8.self).uppercased().utf8) }
                        }
                    })
                return response
            }
            let client = self.scene.narrowClient { $0.interceptors = [shout] }
            #expect(try await client.stream(FixtureData()) { try await self.text($0) } == "CONTENT")
            let file = try await client.download(
                FixtureText { $0.options = .interceptors([shout]) }, to: self.scene.place())
            #expect(file.size == 7)
            #expect(await client.scheduler.activeCount == 0)
        }

        @Test func `many at once stay within the limits`() async throws {
            self.server.route("GET", "/a", .data(streamingBytes(100_000)))
            let client = self.scene.client { $0.limits.concurrency = RequestScheduler.Limits(total: 3, perHost: 2) }
            let readers = StreamingReaders()
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<40 {
                    group.addTask {
                        try await client.stream(FixtureData()) { response in
                            readers.enter()
                            defer { readers.leave() }
                            return try await streamingAll(response.body).count
                        }
                    }
                }
                for try await count in group { #expect(count == 100_000) }
            }
            #expect((1...2).contains(readers.peak))
            #expect(await client.scheduler.activeCount == 0)
        }
    }

    /// Counts how many read at once.
    private final class StreamingReaders: Sendable {
        private let counts = Locked((now: 0, peak: 0))

        var peak: Int { self.counts.withLock { $0.peak } }

        func enter() {
            self.counts.withLock { $0 = ($0.now + 1, max($0.peak, $0.now + 1)) }
        }

        func leave() {
            self.counts.withLock { $0.now -= 1 }
        }
    }
#endif
