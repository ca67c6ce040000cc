internal import Errand
internal import ErrandLocks
internal import ErrandTesting
internal import TestEffort
internal import Testing

@Suite("Interceptors: too late (G3)", .timeLimit(.minutes(60)), .paced)
struct LateInterceptorTests {
    @Test func `cannot send on when their request is over`() async throws {
        let kept = Locked<[InterceptorNext]>([])
        let keeper = FixtureInterceptor { request, _, next in
            kept.withLock { $0.append(next) }
            return try await next(request)
        }
        let world = FixtureWorld()
        world.transport.route("a", .text("x"))
        let response = try await world.client.response(for: FixtureText { $0.interceptors = [keeper] })
        for next in kept.withLock({ $0 }) {
            await #expect(throws: ErrandError.self) { try await next(HTTPRequest(url: HTTPURL("https://api.test/a"))) }
        }
        #expect(response.attempts == 1)
        #expect(world.transport.receivedCount == 1)
        await world.expectAtRest()
    }
}
