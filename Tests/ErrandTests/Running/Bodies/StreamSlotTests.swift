internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Slots of bodies that are read, and that nobody reads any more (G8)", .timeLimit(.minutes(60)), .paced)
struct StreamSlotTests {
    private func world(_ configure: (inout Client.Configuration) -> Void = { _ in }) -> FixtureWorld {
        FixtureWorld {
            $0.limits.concurrency = RequestScheduler.Limits(total: 1, perHost: 1)
            $0.options = $0.options.withoutTimeout()
            configure(&$0)
        }
    }

    /// A response whose body is on its way until somebody has read it.
    private func streamed(_ text: String, status: HTTPStatus = 200, headers: HTTPFields = [:]) -> StubReply {
        let body = FixtureBody.stream([Data(text.utf8)])
        return StubReply(
            .success(HTTPResponse(head: HTTPResponse.Head(status: status, headers: headers), body: .stream(body))))
    }

    /// Reads the response to a call that accepts every status; the log has a line when it has been read.
    private func read(_ path: String, by client: Client, noting log: FixtureLog) -> Task<String, any Error> {
        Task {
            let text = try await client.stream(FixtureText(path) { $0.validation = .any }) { response in
                String(decoding: try await streamingAll(response.body), as: UTF8.self)
            }
            log.add(text)
            return text
        }
    }

    @Test(arguments: [HTTPStatus.found, .unauthorized])
    func `what a response leads to does not wait for the slot of its body`(status: HTTPStatus) async throws {
        let world = self.world { $0.credentials.authenticator = StreamingLogin() }
        let headers: HTTPFields = ["Location": "/b", "WWW-Authenticate": "Basic realm=\"home\""]
        world.transport.route("/a", self.streamed("first", status: status, headers: headers), self.streamed("here"))
        world.transport.route("/b", self.streamed("here"))
        let log = FixtureLog()
        let reading = self.read("a", by: world.client, noting: log)
        #expect(await fixtureHolds { log.lines == ["here"] })
        #expect(world.sentPaths == ["a", status == .found ? "b" : "a"])
        reading.cancel()
        _ = await reading.result
        await world.expectAtRest()
    }

    @Test func `one that is sent again after a while has no slot until then`() async throws {
        let world = self.world {
            $0.options = $0.options.retries(RetryPolicy(backoff: .every(.seconds(10))))
        }
        world.transport.route("/a", self.streamed("busy", status: 503), self.streamed("here"))
        world.transport.route("/b", .text("x"))
        let log = FixtureLog()
        let reading = self.read("a", by: world.client, noting: log)
        await world.clock.waitForSleeper()
        #expect(await world.client.scheduler.activeCount == 0)
        let other = world.client.request(FixtureText("b"))
        await other.start()
        #expect(await fixtureHolds { await other.state == .finished })
        world.clock.advance(by: .seconds(10))
        #expect(await fixtureHolds { log.lines == ["here"] })
        #expect(world.sentPaths == ["a", "b", "a"])
        reading.cancel()
        _ = await reading.result
        await world.expectAtRest()
    }

    @Test func `what an interceptor sends again does not wait for the slot of what it has`() async throws {
        let twice = FixtureInterceptor { request, _, next in
            let first = try await next(request)
            let second = try await next(request)
            return withExtendedLifetime(first) { second }
        }
        let world = self.world { $0.interceptors = [twice] }
        world.transport.route("/a", self.streamed("first"), self.streamed("here"))
        let log = FixtureLog()
        let reading = self.read("a", by: world.client, noting: log)
        #expect(await fixtureHolds { log.lines == ["here"] })
        #expect(world.sentPaths == ["a", "a"])
        reading.cancel()
        _ = await reading.result
        await world.expectAtRest()
    }

    @Test(arguments: [false, true])
    func `a deadline ends the reading of a body that does not go on`(intercepted: Bool) async throws {
        let world = self.world {
            if intercepted { $0.interceptors = [FixtureInterceptor { try await $2($0) }] }
            $0.options = $0.options.timeouts(Timeouts(idle: .seconds(10)))
        }
        let gate = FixtureGate()
        let body = BodyStream(isRepeatable: false) {
            { () async throws(ErrandError) -> Data? in
                await gate.pass()
                return nil
            }
        }
        world.transport.route(
            "/a", StubReply(.success(HTTPResponse(head: HTTPResponse.Head(status: 200), body: .stream(body)))))
        let log = FixtureLog()
        let reading = Task {
            do throws(ErrandError) {
                _ = try await world.client.stream(FixtureText()) { try await streamingAll($0.body) }
            } catch {
                log.add("\(error.code)")
            }
        }
        await gate.waitUntilReached()
        await world.clock.waitForSleeper()
        world.clock.advance(by: .seconds(10))
        #expect(await fixtureHolds { log.lines == ["timedOut"] })
        reading.cancel()
        await reading.value
        await world.expectAtRest()
    }
}
