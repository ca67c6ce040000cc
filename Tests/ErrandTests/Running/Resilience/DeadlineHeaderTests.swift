internal import Errand
internal import ErrandTesting
internal import TestEffort
internal import Testing

@Suite("Deadlines that servers are told", .timeLimit(.minutes(60)), .paced, .tags(.threadSanitizer))
struct DeadlineHeaderTests {
    private func sent(
        _ header: DeadlineHeader, _ total: Duration?, _ headers: HTTPFields = [:]
    ) async throws -> [(String, String)] {
        let world = FixtureWorld { $0.options = $0.options.deadlineHeader(header).timeouts(Timeouts(total: total)) }
        world.transport.route("/a", .text("x"))
        _ = try await world.client.send(FixtureText { $0.headers = headers })
        let names = ["X-Request-Timeout", "X-Timeout", "grpc-timeout"]
        return (world.transport.received.first?.headers ?? [:])
            .filter { field in names.contains { field.name.lowercased() == $0.lowercased() } }.map {
                ($0.name, $0.value)
            }
    }

    @Test(arguments: [
        (header: DeadlineHeader.seconds(), total: Duration.seconds(10), name: "X-Request-Timeout", value: "10"),
        (.seconds(), .milliseconds(4_250), "X-Request-Timeout", "4.25"),
        (.seconds(), .milliseconds(1_007), "X-Request-Timeout", "1.007"),
        (.seconds(), .nanoseconds(1_999_999), "X-Request-Timeout", "0.001"),
        (.milliseconds("X-Timeout"), .milliseconds(4_250), "X-Timeout", "4250"),
        (.grpc, .milliseconds(4_250), "grpc-timeout", "4250m"),
        (.grpc, .seconds(99_999), "grpc-timeout", "99999000m"),
        (.grpc, .seconds(100_000), "grpc-timeout", "100000S"),
        (.grpc, .seconds(100_000_000), "grpc-timeout", "1666666M"),
        (.grpc, .seconds(Int64.max), "grpc-timeout", ""),
    ])
    func `are sent in the form of the server`(
        header: DeadlineHeader, total: Duration, name: String, value: String
    ) async throws {
        let fields = try await self.sent(header, total)
        // More than eight digits there are not.
        let (names, values) = (fields.map { $0.0 }, fields.map { $0.1 })
        #expect(names == [name])
        if total < .seconds(Int64.max) { #expect(values == [value]) }
        for value in values where name == "grpc-timeout" { #expect(value.utf8.count <= 9) }
    }

    @Test func `are not sent where there is none, or the request has its own`() async throws {
        #expect(try await self.sent(.grpc, nil).isEmpty)
        let own = try await self.sent(.grpc, .seconds(5), ["Grpc-Timeout": "1S"])
        let values = own.map { $0.1 }
        #expect(values == ["1S"])
    }

    @Test func `are what is left at each attempt`() async throws {
        let world = FixtureWorld {
            $0.options = $0.options.deadlineHeader(.milliseconds("X-Timeout")).timeouts(Timeouts(total: .seconds(10)))
            $0.options = $0.options.retries(RetryPolicy(backoff: Backoff(base: .seconds(2), jitter: .none)))
        }
        world.transport.route("/a", .status(503), .text("x"))
        let request = world.client.request(FixtureText())
        await request.start()
        await fixtureUntil { world.clock.nextSleeperDeadline?.offset == .seconds(2) }
        world.clock.advance(by: .seconds(2))
        #expect(try await request.value == "x")
        let values = world.transport.received.map { $0.headers["X-Timeout"] }
        #expect(values == ["10000", "8000"])
    }

    @Test(arguments: ["", "X Timeout", "X:"])
    func `a name that is none is an error`(name: String) async throws {
        let world = FixtureWorld { $0.options = $0.options.deadlineHeader(.seconds(name)) }
        let error = await #expect(throws: ErrandError.self) { try await world.client.send(FixtureText()) }
        #expect(error?.code == .invalidConfiguration)
    }

    @Test func `the deadline that a server is told does not count a suspension`() async throws {
        let world = FixtureWorld {
            $0.options = $0.options.deadlineHeader(.milliseconds("X-Timeout")).timeouts(Timeouts(total: .seconds(10)))
        }
        world.transport.route("/a", .text("x"))
        let request = world.client.request(FixtureText())
        request.suspend()
        await request.start()
        await fixtureUntil { await request.state == .running }
        world.clock.advance(by: .seconds(100))
        request.resume()
        #expect(try await request.value == "x")
        #expect(world.transport.received.map { $0.headers["X-Timeout"] } == ["10000"])
    }
}
