internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

/// An idempotency key makes a request count once only where it arrives.
@Suite("Requests that lost their key on the way (G16)", .timeLimit(.minutes(60)), .paced)
struct LostKeyTests {
    private func world(_ configure: (inout Configuration) -> Void = { _ in }) -> FixtureWorld {
        FixtureWorld {
            $0.retries = RetryPolicy(
                limit: 2, backoff: Backoff(base: .zero, cap: .zero, jitter: .none), addsIdempotencyKey: true)
            $0.timeouts = .unlimited
            configure(&$0)
        }
    }

    private static let payment = FixtureText {
        $0.method = .post
        $0.body = .text("100")
    }

    private static func keys(_ world: FixtureWorld, of host: String) -> [String?] {
        world.transport.received.filter { $0.url.host == host }.map { $0.headers["Idempotency-Key"] }
    }

    @Test func `the key goes along with a redirection to another origin, so that a retry is safe`() async throws {
        let world = self.world()
        world.transport.route("https://api.test/a", .redirect("https://pay.test/a", 307))
        world.transport.route("https://pay.test/a", .status(503), .text("paid"))
        #expect(try await world.client.send(Self.payment) == "paid")
        let keys = Self.keys(world, of: "pay.test")
        #expect(keys.count == 2 && keys[0] != nil && keys[0] == keys[1])
    }

    @Test func `without the key at the server that got it last it is not sent again`() async throws {
        let world = self.world { $0.secretHeaders = ["Idempotency-Key"] }
        world.transport.route("https://api.test/a", .redirect("https://pay.test/a", 307))
        world.transport.route("https://pay.test/a", .status(503))
        let error = await #expect(throws: ErrandError.self) { try await world.client.send(Self.payment) }
        #expect(error?.context.status == 503)
        #expect(Self.keys(world, of: "pay.test") == [nil])
    }

    @Test(arguments: [nil, "", "\"another\""] as [String?])
    func `what an interceptor makes of the key counts`(value: String?) async throws {
        let change = FixtureInterceptor { request, _, next in
            var request = request
            request.headers["Idempotency-Key"] = value
            return try await next(request)
        }
        let world = self.world { $0.interceptors = [change] }
        world.transport.route("*", .failure(.connectionLost))
        let error = await #expect(throws: ErrandError.self) { try await world.client.send(Self.payment) }
        #expect(error?.code == .connectionLost)
        #expect(world.transport.receivedCount == 1)
    }

    @Test func `a redirection to a GET is sent again whatever it carries`() async throws {
        let world = self.world { $0.secretHeaders = ["Idempotency-Key"] }
        world.transport.route("https://api.test/a", .redirect("https://pay.test/receipt", 303))
        world.transport.route("https://pay.test/receipt", .status(503), .text("paid"))
        #expect(try await world.client.send(Self.payment) == "paid")
        let keys = Self.keys(world, of: "api.test")
        #expect(keys.count == 2 && keys[0] != nil && keys[0] == keys[1])
    }
}
