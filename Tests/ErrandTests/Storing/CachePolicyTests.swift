internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Caching: when the cache answers", .timeLimit(.minutes(60)), .paced)
struct CachePolicyTests {
    private let date = FixtureDate()
    private let cache = MemoryCache()

    /// A world whose transport answers `1`, `2`, … to one path after another.
    private func makeWorld(_ configure: (inout Client.Configuration) -> Void = { _ in }) -> FixtureWorld {
        let (date, cache) = (self.date, self.cache)
        let world = FixtureWorld {
            $0.environment.date = { date.now }
            $0.cache = cache
            configure(&$0)
        }
        world.transport.route(where: { _ in true }) { _, use in .json("\(use)") }
        return world
    }

    private func fresh(
        _ path: String = "a", _ lifetime: Duration = .seconds(10), _ configure: (inout FixtureText) -> Void = { _ in }
    ) -> FixtureText {
        FixtureText(path) {
            $0.options = $0.options.caching(.fresh(for: lifetime))
            configure(&$0)
        }
    }

    @Test func `never, unless the endpoint says so`() async throws {
        let world = self.makeWorld()
        for index in 1...2 { #expect(try await world.client.send(FixtureText()) == "\(index)") }
        #expect(self.cache.count == 0)
    }

    @Test func `while the stored answer is fresh`() async throws {
        let world = self.makeWorld()
        let first = try await world.client.response(for: self.fresh())
        #expect(first.value == "1")
        #expect(first.source == .network)
        self.date.advance(by: 4)
        let second = try await world.client.response(for: self.fresh())
        #expect(second.value == "1")
        #expect(second.source == .cache(age: .seconds(4)))
        #expect(second.source.isCache)
        #expect(second.attempts == 0)
        #expect(second.head.headers["Content-Type"] == "application/json")
        #expect(world.transport.receivedCount == 1)
    }

    @Test(arguments: [(10.0, "1"), (10.001, "2"), (0, "1"), (-1, "2")])
    func `up to its lifetime, and not when the clock was moved back`(age: Double, answer: String) async throws {
        let world = self.makeWorld()
        _ = try await world.client.send(self.fresh())
        self.date.advance(by: age)
        #expect(try await world.client.send(self.fresh()) == answer)
    }

    @Test func `anew from the moment it was renewed`() async throws {
        let world = self.makeWorld()
        for (seconds, answer) in [(0.0, "1"), (11, "2"), (10, "2"), (1, "3")] {
            self.date.advance(by: seconds)
            #expect(try await world.client.send(self.fresh()) == answer)
        }
        #expect(self.cache.count == 1)
    }

    @Test func `as the one who asks says, not the one who stored`() async throws {
        let world = self.makeWorld()
        _ = try await world.client.send(self.fresh("a", .seconds(100)))
        self.date.advance(by: 5)
        #expect(try await world.client.send(self.fresh("a", .seconds(1))) == "2")
        self.date.advance(by: 5)
        #expect(try await world.client.send(self.fresh("a", .seconds(100))) == "2")
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func `never with a lifetime that is none`(lifetime: Duration) async throws {
        let world = self.makeWorld()
        for index in 1...2 { #expect(try await world.client.send(self.fresh("a", lifetime)) == "\(index)") }
        #expect(self.cache.count == 0)
    }

    @Test func `never without a cache`() async throws {
        let world = self.makeWorld { $0.cache = nil }
        for index in 1...2 { #expect(try await world.client.send(self.fresh()) == "\(index)") }
    }

    @Test func `without a slot`() async throws {
        let world = self.makeWorld()
        _ = try await world.client.send(self.fresh())
        await world.client.scheduler.pause()
        #expect(try await world.client.send(self.fresh()) == "1")
        #expect(try await world.client.batch(of: [self.fresh(), self.fresh()]).value == ["1", "1"])
        await world.expectAtRest()
    }

    @Test func `only with what passed validation`() async throws {
        let world = self.makeWorld()
        world.transport.removeRoutes()
        world.transport.route("a", .text("bad", status: 500), .failure(.connectionLost), .text("good"))
        for code in [ErrandError.Code.unacceptableStatus, .connectionLost] {
            let error = await #expect(throws: ErrandError.self) { try await world.client.send(self.fresh()) }
            #expect(error?.code == code)
            #expect(self.cache.count == 0)
        }
        for _ in 1...2 { #expect(try await world.client.send(self.fresh()) == "good") }
        #expect(self.cache.count == 1)
    }

    @Test func `with what a stricter endpoint validates again`() async throws {
        let world = self.makeWorld()
        world.transport.removeRoutes()
        world.transport.route("a", .text("x", status: 203))
        _ = try await world.client.send(self.fresh())
        let strict = self.fresh { $0.validation = ResponseValidation(statusCodes: 200...200) }
        let error = await #expect(throws: ErrandError.self) { try await world.client.send(strict) }
        #expect(error?.code == .unacceptableStatus)
    }

    @Test(arguments: [404, 410, 500])
    func `never with an error of the server, even if it is accepted`(status: Int) async throws {
        let world = self.makeWorld()
        world.transport.removeRoutes()
        world.transport.route(where: { _ in true }) { _, use in .text("\(use)", status: HTTPStatus(rawValue: status)) }
        let endpoint = self.fresh { $0.validation = .any }
        for index in 1...2 { #expect(try await world.client.send(endpoint) == "\(index)") }
        #expect(self.cache.count == 0)
    }

    @Test func `each way of decoding the same bytes`() async throws {
        let world = self.makeWorld()
        var text = FixtureJSON("a", Int.self)
        text.options = .caching(.fresh(for: .seconds(10)))
        _ = try await world.client.send(self.fresh { $0.headers = ["Accept": "application/json"] })
        #expect(try await world.client.response(for: text).source.isCache)
        #expect(try await world.client.send(text) == 1)
    }

    struct Difference: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let change: @Sendable (inout FixtureText) -> Void
    }

    @Test(arguments: [
        Difference(testDescription: "path") { $0.path = "b" },
        Difference(testDescription: "query") { $0.parameters = ["x": 1] },
        Difference(testDescription: "host") { $0.path = "http://other.test/a" },
        Difference(testDescription: "scheme") { $0.path = "http://api.test/a" },
        Difference(testDescription: "port") { $0.path = "https://api.test:444/a" },
        Difference(testDescription: "method") { $0.method = .post },
        Difference(testDescription: "header") { $0.headers = ["Accept": "text/html"] },
        Difference(testDescription: "body") { $0.body = .text("x", contentType: "text/plain") },
    ])
    func `not with the answer to another request`(difference: Difference) async throws {
        let world = self.makeWorld()
        var other = self.fresh()
        difference.change(&other)
        #expect(try await world.client.send(self.fresh()) == "1")
        #expect(try await world.client.send(other) == "2")
        #expect(try await world.client.send(self.fresh()) == "1")
        #expect(try await world.client.send(other) == "2")
        #expect(self.cache.count == 2)
    }

    @Test func `with the answer to the same request, however it is written`() async throws {
        let world = self.makeWorld()
        let one = self.fresh("a#top") { $0.headers = ["Accept": "x", "X-A": "1"] }
        let other = self.fresh("https://API.test:443/a") { $0.headers = ["x-a": "1", "accept": "x"] }
        #expect(try await world.client.send(one) == "1")
        #expect(try await world.client.send(other) == "1")
    }

    @Test(arguments: [true, false])
    func `never to a body that cannot be compared`(isStream: Bool) async throws {
        let world = self.makeWorld()
        let endpoint = self.fresh {
            $0.method = .post
            $0.body =
                isStream
                ? .stream(BodyStream { { () async throws(ErrandError) -> Data? in nil } })
                : .file(URL(filePath: "/tmp/x"))
        }
        for index in 1...2 { #expect(try await world.client.send(endpoint) == "\(index)") }
        #expect(self.cache.count == 0)
    }

    @Test func `no more once it is emptied`() async throws {
        let world = self.makeWorld()
        _ = try await world.client.send(self.fresh())
        try await self.cache.removeAll()
        #expect(try await world.client.send(self.fresh()) == "2")
    }

    @Test func `also for another client that shares it`() async throws {
        _ = try await self.makeWorld().client.send(self.fresh())
        #expect(try await self.makeWorld().client.response(for: self.fresh()).source.isCache)
    }
}
