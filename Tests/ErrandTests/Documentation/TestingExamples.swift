internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

extension Documented {
    /// The examples of the article "Testing".
    @Suite(.timeLimit(.minutes(60)), .paced)
    struct TestingExamples {
        @Test func `replies in turn`() async throws {
            let transport = StubTransport()
            transport.route("/v1/images/sun", .status(503), .data(Data("sun".utf8)))
            transport.route(where: { $0.method == .post }) { request, use in
                .json(#"{"userID":"\#(use)"}"#, status: 201)
            }
            let client = Client(baseURL: "https://api.example.com/v1/") { $0.transport = transport }

            let error = await #expect(throws: ErrandError.self) { try await client.send(GetImage(name: "sun")) }
            #expect(error?.context.status == 503)
            #expect(try await client.send(GetImage(name: "sun")) == Data("sun".utf8))
            #expect(try await client.send(Register(name: "Ann", password: "secret")).userID == "1")
        }

        @Test func `a gate holds a reply`() async throws {
            let gate = StubGate()
            let transport = StubTransport()
            transport.route("/v1/images/*", .data(Data("image".utf8)).held(by: gate, at: .body))
            let client = Client(baseURL: "https://api.example.com/v1/") { $0.transport = transport }

            let request = client.request(GetImage(name: "sun"))
            await request.start()
            await gate.waitUntilReached()
            #expect(await client.scheduler.activeCount == 1)
            gate.open()
            #expect(try await request.value.count == 5)
        }

        @Test func `a server of its own`() async throws {
            let server = try LoopbackServer()
            server.route("GET", "/users", .json(#"{"nick":"Ann","level":3,"avatar":"ann"}"#))
            server.route("GET", "/images/sun", .resetInBody(after: 3, of: Data("image".utf8)))
            let client = Client(baseURL: server.baseURL)

            #expect(try await client.send(GetUser(userID: "1")).nick == "Ann")
            #expect(server.received.first?.queryValue("id") == "1")
            let error = await #expect(throws: ErrandError.self) { try await client.send(GetImage(name: "sun")) }
            #expect(error?.code == .connectionLost)

            await client.shutdown()
            server.stop()
        }

        @Test func `the clock is moved`() async throws {
            let clock = TestClock()
            let transport = StubTransport()
            let slow = StubReply.data(Data("image".utf8)).delayed(by: .seconds(5), on: clock)
            transport.route("/v1/images/*", slow)
            let client = Client(baseURL: "https://api.example.com/v1/") {
                $0.transport = transport
                $0.environment.clock = clock
                $0.options = .withoutTimeout()
            }

            let request = client.request(GetImage(name: "sun"))
            await request.start()
            await clock.waitForSleeper()
            clock.advance(by: .seconds(5))
            #expect(try await request.response.timings.total == .seconds(5))
        }

        @Test func `routes for a host, for all below a path, and for the rest`() async throws {
            let transport = StubTransport()
            transport.route("https://login.example.com/token", method: .post, .json(#"{"token":"t1"}"#))
            transport.route("/v1/images/*", .status(503, headers: ["Retry-After": "5"]), .data(Data("sun".utf8)))
            transport.route("*", .status(.notFound))

            let client = Documented.makeClient(transport)
            let error = await #expect(throws: ErrandError.self) { try await client.send(GetImage(name: "sun")) }
            #expect(error?.context.status == 503)
            #expect(try await client.send(GetImage(name: "sun")) == Data("sun".utf8))
            await #expect(throws: ErrandError.self) { try await client.send(GetUser(userID: "1")) }
        }

        @Test func `cancelled at any moment, nothing is left over`() async throws {
            try await Simulation.explore(schedules: 300) { simulation in
                let recorder = EventRecorder()
                let transport = StubTransport()
                transport.route("/*", .status(200).delayed(by: .seconds(1), on: simulation.clock))
                let client = Client(baseURL: "https://api.example.com/v1/") {
                    $0.transport = transport
                    $0.environment.clock = simulation.clock
                    $0.accessories = [recorder]
                }
                let request = client.request(GetImage(name: "sun"))

                await withTaskGroup { group in
                    group.addTask { _ = try? await request.value }
                    group.addTask {
                        try? await simulation.clock.sleep(for: .seconds(simulation.random.int(in: 0..<3)))
                        request.cancel()
                    }
                }

                let hooks = recorder.hooks(of: request.id)
                try #require(hooks.isEmpty || hooks == ["willStart", "didStart", "willStop", "didStop"])
                try #require(transport.activeCount == 0)
                try #require(await client.record.count == 0)
            }
        }

        @Test func `whatever is lost, nothing is left over`() async throws {
            try await Simulation.explore(schedules: 300) { simulation in
                let transport = StubTransport()
                let image = StubReply.data(Data("image".utf8)).delayed(by: .seconds(1), on: simulation.clock)
                transport.route("/*", image.failing(.connectionLost, probability: 0.3, in: simulation))
                let client = Client(baseURL: "https://api.example.com/v1/") {
                    $0.transport = transport
                    $0.environment.clock = simulation.clock
                }

                await withTaskGroup { group in
                    for name in ["sun", "moon", "sky"] {
                        group.addTask { _ = try? await client.send(GetImage(name: name)) }
                    }
                }

                try #require(transport.activeCount == 0)
                try #require(await client.record.count == 0)
            }
        }
    }
}
