internal import Errand
internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Tracing", .timeLimit(.minutes(60)), .paced)
struct TracingInterceptorTests {
    private static let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    private func world(
        _ tracing: TracingInterceptor = TracingInterceptor(),
        _ configure: (inout Client.Configuration) -> Void = { _ in }
    ) -> FixtureWorld {
        FixtureWorld(isRecording: true) {
            $0.interceptors = [tracing]
            configure(&$0)
        }
    }

    private func sent(_ world: FixtureWorld) -> [TraceContext?] {
        world.transport.received.map { request in
            request.headers["traceparent"].flatMap {
                TraceContext(traceparent: $0, tracestate: request.headers["tracestate"])
            }
        }
    }

    private func told(_ world: FixtureWorld) -> [TraceContext] {
        world.recorder.entries.compactMap {
            guard case .event(.traced(let context)) = $0.call else { return nil }
            return context
        }
    }

    @Test func `begins a trace for each request, and tells of it`() async throws {
        let world = self.world(TracingInterceptor(isSampled: { $0.url.path == "/1" }))
        world.transport.route("*", .text("x"))
        _ = try await world.client.send(FixtureText("1"))
        _ = try await world.client.send(FixtureText("2"))
        let sent = self.sent(world)
        #expect(sent == self.told(world))
        #expect(sent.map { $0?.isSampled } == [true, false])
        #expect(sent.count == 2 && sent[0]?.traceID != sent[1]?.traceID)
        #expect(world.transport.received.allSatisfy { !$0.headers.contains("tracestate") })
    }

    @Test func `continues the trace of the task, or of the request itself, which goes first`() async throws {
        let world = self.world()
        world.transport.route("*", .text("x"))
        let context = TraceContext()
        try await TraceContext.$current.withValue(context) {
            _ = try await world.client.send(FixtureText("1"))
            _ = try await world.client.send(
                FixtureText("2") { $0.headers = ["traceparent": Self.parent, "tracestate": "a=1"] })
            _ = try await world.client.send(FixtureText("3") { $0.headers = ["traceparent": "rubbish"] })
        }
        let sent = self.sent(world)
        #expect(sent.map { $0?.traceID } == [context.traceID, "0af7651916cd43dd8448eb211c80319c", context.traceID])
        #expect(sent.allSatisfy { $0?.spanID != context.spanID && $0?.spanID != "b7ad6b7169203331" })
        #expect(sent.map { $0?.state } == [nil, "a=1", nil])
        #expect(world.transport.received.allSatisfy { $0.headers.values(for: "traceparent").count == 1 })
    }

    @Test func `reaches the requests of batches and chains`() async throws {
        let world = self.world()
        world.transport.route("*", .text("x"))
        let context = TraceContext()
        try await TraceContext.$current.withValue(context) {
            _ = try await world.client.batch(of: (0..<3).map { FixtureText("\($0)") }).value
            _ = try await world.client.chain(FixtureText("1")).then { _ in FixtureText("2") }.value
        }
        #expect(self.sent(world).map { $0?.traceID } == Array(repeating: context.traceID, count: 5))
        #expect(Set(self.sent(world).map { $0?.spanID }).count == 5)
    }

    @Test func `each attempt has an id of its own in the same trace: sent again, redirected, and challenged`()
        async throws
    {
        let retry = FixtureInterceptor { request, _, next in
            do { return try await next(request) } catch { return try await next(request) }
        }
        let world = self.world { $0.credentials.authenticator = AnyPassword() }
        world.transport.route("/1", .failure(.connectionLost), Self.redirection("/2"))
        world.transport.route("/2", Self.challenge, .text("x"))
        _ = try await world.client.send(FixtureText("1") { $0.options = .interceptors([retry]) })
        let sent = self.sent(world)
        #expect(world.sentPaths == ["1", "1", "2", "2"])
        #expect(Set(sent.map { $0?.traceID }).count == 1)
        #expect(Set(sent.map { $0?.spanID }).count == 4)
        #expect(sent == self.told(world))
    }

    @Test func `a circle of redirections is still one`() async throws {
        let world = self.world()
        world.transport.route("/1", Self.redirection("/2"))
        world.transport.route("/2", Self.redirection("/1"))
        let error = await #expect(throws: ErrandError.self) { try await world.client.send(FixtureText("1")) }
        #expect(error?.code == .invalidRedirect)
        #expect(world.sentPaths == ["1", "2"])
    }

    @Test func `goes only where it may`() async throws {
        let world = self.world(TracingInterceptor(reaches: { $0.host == "api.test" }))
        world.transport.route("/1", Self.redirection("https://other.test/2"))
        world.transport.route("/2", .text("x"))
        _ = try await world.client.send(FixtureText("1") { $0.headers = ["traceparent": Self.parent] })
        #expect(self.sent(world).map { $0 != nil } == [true, false])
        #expect(self.told(world).count == 1)
    }

    @Test func `gives ids that can be foretold from numbers that can`() async throws {
        let numbers = FixtureNumbers()
        let world = self.world(TracingInterceptor(random: { numbers.next() }))
        world.transport.route("*", .text("x"))
        _ = try await world.client.send(FixtureText("1"))
        #expect(
            world.transport.received.first?.headers["traceparent"]
                == "00-00000000000000010000000000000002-0000000000000004-01")
    }

    private static func redirection(_ target: String) -> StubReply {
        .data(Data(), status: 302, headers: ["Location": target])
    }

    private static let challenge = StubReply.data(
        Data(), status: 401, headers: ["WWW-Authenticate": "Basic realm=\"x\""])

    private struct AnyPassword: Authenticator {
        func credential(for context: AuthenticationContext) async throws -> HTTPCredential? {
            .basic(user: "u", password: "p")
        }
    }

    private final class FixtureNumbers: Sendable {
        private let last = Locked<UInt64>(0)

        func next() -> UInt64 {
            self.last.withLock {
                $0 += 1
                return $0
            }
        }
    }
}
