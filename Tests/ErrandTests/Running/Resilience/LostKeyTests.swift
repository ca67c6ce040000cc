internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

/// An idempotency key makes a request count once only where it arrives.
@Suite("Requests that lost their key on the way (G16)", .timeLimit(.minutes(60)), .paced, .tags(.threadSanitizer))
struct LostKeyTests {
    private func world(_ configure: (inout Client.Configuration) -> Void = { _ in }) -> FixtureWorld {
        FixtureWorld {
            $0.options = $0.options.retries(
                RetryPolicy(
                    limit: 2, backoff: Backoff(base: .seconds(1), cap: .seconds(1), jitter: .none),
                    addsIdempotencyKey: true
                ))
            $0.options = $0.options.withoutTimeout()
            configure(&$0)
        }
    }

    private static let payment = FixtureText {
        $0.method = .post
        $0.body = .text("100")
    }

    /// Sends the payment, and moves the clock to each moment that something sleeps to.
    private func pay(_ world: FixtureWorld) async -> Result<String, ErrandError> {
        let request = world.client.request(Self.payment)
        await request.start()
        while await !request.state.isTerminal {
            if !world.clock.advanceToNextSleeper() { await Task.yield() }
        }
        return await request.fixtureResult
    }

    private static func keys(_ world: FixtureWorld, of host: String) -> [String?] {
        world.transport.received.filter { $0.url.host == host }.map { $0.headers["Idempotency-Key"] }
    }

    @Test func `the key goes along with a redirection to another origin, so that a retry is safe`() async {
        let world = self.world()
        world.transport.route("https://api.test/a", .redirect("https://pay.test/a", 307))
        world.transport.route("https://pay.test/a", .status(503), .text("paid"))
        #expect(await self.pay(world).fixtureSuccess == "paid")
        let keys = Self.keys(world, of: "pay.test")
        #expect(keys.count == 2 && keys[0] != nil && keys[0] == keys[1])
    }

    @Test func `without the key at the server that got it last it is not sent again`() async {
        let world = self.world { $0.credentials.secretHeaders = ["Idempotency-Key"] }
        world.transport.route("https://api.test/a", .redirect("https://pay.test/a", 307))
        world.transport.route("https://pay.test/a", .status(503))
        let error = await self.pay(world).fixtureFailure
        #expect(error?.context.status == 503)
        #expect(Self.keys(world, of: "pay.test") == [nil])
    }

    @Test(arguments: [nil, "", "\"another\""] as [String?])
    func `what an interceptor makes of the key counts`(value: String?) async {
        let change = FixtureInterceptor { request, _, next in
            var request = request
            request.headers["Idempotency-Key"] = value
            return try await next(request)
        }
        let world = self.world { $0.interceptors = [change] }
        world.transport.route("*", .failure(.connectionLost))
        let error = await self.pay(world).fixtureFailure
        #expect(error?.code == .connectionLost)
        #expect(world.transport.receivedCount == 1)
    }

    @Test func `a redirection to a GET is sent again whatever it carries`() async {
        let world = self.world { $0.credentials.secretHeaders = ["Idempotency-Key"] }
        world.transport.route("https://api.test/a", .redirect("https://pay.test/receipt", 303))
        world.transport.route("https://pay.test/receipt", .status(503), .text("paid"))
        #expect(await self.pay(world).fixtureSuccess == "paid")
        let keys = Self.keys(world, of: "api.test")
        #expect(keys.count == 2 && keys[0] != nil && keys[0] == keys[1])
    }
}
