internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Redirects: decisions", .timeLimit(.minutes(60)), .paced)
struct RedirectDecisionTests {
    private func world(_ policy: RedirectPolicy, perHost: Int = 6) -> FixtureWorld {
        let world = FixtureWorld {
            $0.options = $0.options.redirects(policy)
            $0.options = $0.options.defaultHeaders(.off)
            $0.limits.concurrency = RequestScheduler.Limits(total: perHost, perHost: perHost)
        }
        world.transport.route("a", .redirect("https://other.test/b", 307))
        world.transport.route("b", .redirect("c"))
        world.transport.route("*", .text("here"))
        return world
    }

    @Test func `are asked about each redirection, with the request that would be sent`() async throws {
        let log = FixtureLog()
        let world = self.world(
            .decide { redirection in
                log.add(
                    "\(redirection.hop) \(redirection.status.code) \(redirection.source) \(redirection.target) "
                        + "\(redirection.request.method) \(redirection.request.headers.count)")
                return .follow
            })
        _ = try await world.client.send(
            FixtureText {
                $0.method = .put
                $0.headers = ["Authorization": "Bearer t"]
            })
        #expect(
            log.lines == [
                "1 307 https://api.test/a https://other.test/b PUT 0",
                "2 302 https://other.test/b https://other.test/c PUT 0",
            ])
    }

    @Test func `stop where they want to`() async throws {
        let world = self.world(.decide { $0.target.path == "/c" ? .stop : .follow })
        let response = try await world.client.response(for: FixtureText { $0.validation = .any })
        #expect(response.head.status == 302)
        #expect(response.url.string == "https://other.test/b")
        #expect(response.redirects == 1)
        #expect(world.sentPaths == ["a", "b"])
    }

    @Test func `send another request in its place`() async throws {
        let world = self.world(
            .decide { redirection in
                var request = redirection.request
                guard let url = try? HTTPURL("https://mirror.test/d") else { return .stop }
                request.url = url
                request.headers["X-Mirror"] = "1"
                return .send(request)
            })
        let response = try await world.client.response(
            for: FixtureText { $0.headers = ["Authorization": "Bearer t", "X-A": "1"] })
        #expect(response.value == "here")
        #expect(response.url.string == "https://mirror.test/d")
        #expect(world.transport.received.last?.headers == ["X-A": "1", "X-Mirror": "1"])
    }

    @Test func `cannot send what must not be sent`() async {
        let world = self.world(
            .decide { redirection in
                var request = redirection.request
                request.headers["X-A"] = "1\r\nX-Evil: 1"
                return .send(request)
            })
        let error = await #expect(throws: ErrandError.self) { try await world.client.send(FixtureText()) }
        #expect(error?.code == .invalidRequest)
        #expect(world.transport.receivedCount == 1)
        await world.expectAtRest()
    }

    @Test func `are bound by the limit`() async {
        let world = self.world(.decide(limit: 1) { _ in .follow })
        let error = await #expect(throws: ErrandError.self) { try await world.client.send(FixtureText()) }
        #expect(error?.code == .tooManyRedirects)
    }

    @Test func `hold no slot while they are made`() async throws {
        let hold = FixtureGate()
        let world = self.world(
            .decide { _ in
                await hold.pass()
                return .follow
            }, perHost: 1)
        let request = world.client.request(FixtureText())
        await request.start()
        await hold.waitUntilReached()
        #expect(await world.client.scheduler.activeCount == 0)
        #expect(try await world.client.send(FixtureText("free")) == "here")
        hold.open()
        #expect(try await request.value == "here")
        await world.expectAtRest()
    }

    @Test(arguments: [false, true])
    func `end with a request that is cancelled meanwhile`(byDeadline: Bool) async {
        let hold = FixtureGate()
        let world = self.world(
            .decide { _ in
                await hold.pass()
                return .follow
            })
        let request = world.client.request(
            FixtureText { $0.options = .timeouts(Timeouts(attempt: .seconds(1), total: .seconds(5))) })
        await request.start()
        await hold.waitUntilReached()
        if byDeadline {
            await world.clock.waitForSleeper()
            world.clock.advance(by: .seconds(5))
        } else {
            request.cancel()
        }
        let error = await #expect(throws: ErrandError.self) { try await request.value }
        #expect(error?.code == (byDeadline ? .timedOut : .cancelled))
        #expect(world.sentPaths == ["a"])
        await world.expectAtRest()
    }
}
