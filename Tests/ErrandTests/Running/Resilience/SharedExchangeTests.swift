internal import Errand
internal import ErrandTesting
internal import TestEffort
internal import Testing

@Suite("Shared exchanges: whom they are for, how urgent they are, their errors (G15)", .timeLimit(.minutes(60)), .paced)
struct SharedExchangeTests {
    private let gate = StubGate()

    private func world(_ configure: (inout Client.Configuration) -> Void = { _ in }) -> FixtureWorld {
        FixtureWorld(isRecording: true) {
            $0.options = $0.options.coalescing().withoutTimeout()
            configure(&$0)
        }
    }

    private func joined(in world: FixtureWorld) -> Int {
        world.recorder.entries.count { if case .event(.coalesced) = $0.call { true } else { false } }
    }

    @Test func `who begins a shared exchange hears what is noted in it`() async throws {
        let transport = ManualTransport()
        let world = self.world { $0.transport = transport }
        let requests = (0..<2).map { _ in world.client.request(FixtureText()) }
        await requests[0].start()
        let exchange = try await transport.exchange()
        await requests[1].start()
        await fixtureUntil { self.joined(in: world) == 1 }
        exchange.context.report(.notice("x"))
        exchange.answer()
        for request in requests { #expect(try await request.value == "x") }
        #expect(requests.map { world.recorder.names(of: $0.id).contains("notice") } == [true, false])
        await world.expectAtRest()
    }

    @Test func `the error of a shared exchange tells each what was tried`() async throws {
        let world = self.world { $0.options = $0.options.retries(RetryPolicy(limit: 1)) }
        world.transport.route("/a", StubReply.failure(.connectionLost).held(by: self.gate))
        let requests = (0..<2).map { _ in world.client.request(FixtureText()) }
        await requests[0].start()
        await self.gate.waitUntilReached()
        await requests[1].start()
        await fixtureUntil { self.joined(in: world) == 1 }
        self.gate.open()
        await world.clock.waitForSleeper()
        world.clock.advanceToNextSleeper()
        for request in requests {
            let error = await request.fixtureResult.fixtureFailure
            #expect(error?.context.retries.map(\.reason) == [.error(.connectionLost)])
        }
        await world.expectAtRest()
    }

    @Test func `what goes into a stream is sent for each who reads it`() async throws {
        let world = self.world { $0.options = $0.options.destination(.stream(buffer: 1_000)) }
        world.transport.route("/a", .text("x").held(by: self.gate))
        let requests = (0..<2).map { _ in world.client.request(FixtureText()) }
        for request in requests { await request.start() }
        #expect(await fixtureHolds { self.gate.reachedCount == 2 || self.joined(in: world) > 0 })
        #expect(self.joined(in: world) == 0)
        self.gate.open()
        for request in requests { _ = await request.fixtureResult }
        #expect(world.transport.receivedCount == 2)
        await world.expectAtRest()
    }

    // MARK: - Users

    @Test func `a shared exchange is for who asked, and not for who has logged in since`() async throws {
        let scene = TokenScene(OAuthToken(accessToken: "t0", user: "ann"))
        let tokens = scene.authenticator()
        let hook = FixtureGate()
        let client = scene.client(tokens) {
            $0.options = $0.options.coalescing().withoutTimeout()
            $0.accessories = [FixtureHooks.holding(.willStart, at: hook)]
        }
        let request = client.request(FixtureText())
        await request.start()
        await hook.waitUntilReached()
        try await tokens.logOut()
        try await tokens.logIn(with: OAuthToken(accessToken: "t1", user: "bob"))
        hook.open()
        #expect(await scene.code(of: request) == "unacceptableStatus")
        #expect(scene.sent == [nil])
    }

    @Test func `the exchange of a user who has logged out is not shared with the next one`() async throws {
        let world = self.world { $0.credentials.authenticator = StreamingLogin() }
        world.transport.route("/a", .text("x").held(by: self.gate))
        let requests = (0..<2).map { _ in world.client.request(FixtureText()) }
        await requests[0].start()
        await self.gate.waitUntilReached()
        world.client.forgetCredentials()
        await requests[1].start()
        #expect(await fixtureHolds { self.gate.reachedCount == 2 || self.joined(in: world) > 0 })
        #expect(world.transport.activeCount == 2)
        self.gate.open()
        for request in requests { #expect(try await request.value == "x") }
        #expect(self.joined(in: world) == 0)
        await world.expectAtRest()
    }

    // MARK: - Requests that are sent by themselves

    enum Apart: CaseIterable {
        case userInfo, otherInterceptors, policyAndInterceptors, policyAndCookies, policyAndLogin
    }

    /// Changes nothing that is answered.
    private struct Passes: Interceptor {
        var cachePartition: String { "" }

        func intercept(
            _ request: HTTPRequest, context: InterceptorContext, next: InterceptorNext
        ) async throws -> HTTPResponse {
            try await next(request)
        }
    }

    @Test(arguments: Apart.allCases)
    func `nothing is shared where interceptors may read what differs, or what is stored may be for another`(
        apart: Apart
    ) async throws {
        let world = self.world {
            $0.cache = MemoryCache()
            if apart == .userInfo || apart == .policyAndInterceptors { $0.interceptors = [Passes()] }
            $0.cookies = apart == .policyAndCookies ? .perClient : .off
            if apart == .policyAndLogin { $0.credentials.authenticator = StreamingLogin() }
        }
        world.transport.route("/a", .text("x").held(by: self.gate))
        let (first, second): (RequestOptions, RequestOptions) =
            switch apart {
            case .userInfo: (.userInfo(["name": "ann"]), .userInfo(["name": "bob"]))
            case .otherInterceptors: (.interceptors([URLFilter(query: ["a": "b"])]), RequestOptions())
            default: (.caching(.fresh(for: .seconds(60))), .caching(.fresh(for: .seconds(60))))
            }
        let requests = [first, second].map { world.client.request(FixtureText(), options: $0) }
        for request in requests { await request.start() }
        #expect(await fixtureHolds { self.gate.reachedCount == 2 || self.joined(in: world) > 0 })
        #expect(self.joined(in: world) == 0 && world.transport.activeCount == 2)
        self.gate.open()
        for request in requests { #expect(try await request.value == "x") }
        await world.expectAtRest()
    }

    @Test func `nothing is shared with a request to which the login does not go by new defaults`() async throws {
        let world = self.world { $0.credentials.authenticator = StreamingLogin() }
        world.transport.route(where: { _ in true }) { [gate] request, _ in
            request.headers["Authorization"] == nil ? StubReply.status(401).held(by: gate) : .text("in")
        }
        let call = FixtureText("https://api.test/a")
        let first = world.client.request(call)
        await first.start()
        await self.gate.waitUntilReached()
        world.client.updateDefaults { $0.baseURLs.main = "https://other.test/" }
        let second = world.client.request(call)
        await second.start()
        #expect(await fixtureHolds { self.gate.reachedCount == 2 || self.joined(in: world) > 0 })
        self.gate.open()
        #expect(try await first.value == "in")
        #expect(await second.fixtureResult.fixtureFailure?.context.status == .unauthorized)
        await world.expectAtRest()
    }

    // MARK: - Priorities

    enum Way: CaseIterable { case value, batch, setPriority }

    @Test(arguments: Way.allCases)
    func `a shared exchange rises with one of its requests, or with a task that waits for that or its batch`(
        way: Way
    ) async throws {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
        let world = self.world { $0.limits.concurrency = RequestScheduler.Limits(total: 1, perHost: 1) }
        world.transport.route("/first", .text("x").held(by: self.gate))
        world.transport.route("*", .text("x"))
        try await Simulation.run(seed: 1) { simulation in
            let client = world.client
            let others = ["first", "other"].map { client.request(FixtureText($0)) }
            await others[0].start()
            await self.gate.waitUntilReached()
            await others[1].start()
            await world.waitUntilQueued(1)
            let (call, options) = (FixtureText("shared"), RequestOptions.priority(.low))
            let shared = client.request(call, options: options)
            let task = Task(executorPreference: simulation.executor, priority: .low) {
                guard way == .batch else { return try await shared.value }
                return try await client.batch(of: [call], options: options).value[0]
            }
            await world.waitUntilQueued(2)
            // What is ready in a simulation has run after so many turns: its wait, and then that its ticket has moved.
            for _ in 0..<200 { await simulation.yield() }
            if way == .setPriority { await shared.setPriority(.high) } else { task.escalatePriority(to: .high) }
            for _ in 0..<200 { await simulation.yield() }
            self.gate.open()
            for request in others { _ = try await request.value }
            _ = try await task.value
        }
        #expect(world.sentPaths == ["first", "shared", "other"])
    }

    // MARK: - Errors

    @Test(arguments: [ErrandError.Code.connectionLost, .hostNotFound])
    func `the error of a shared exchange names the request of each one who waited`(
        code: ErrandError.Code
    ) async throws {
        let world = self.world()
        world.transport.route("/a", .failure(code).held(by: self.gate))
        let requests = (0..<3).map { _ in world.client.request(FixtureText()) }
        for request in requests { await request.start() }
        #expect(await fixtureHolds { self.joined(in: world) == 2 && self.gate.reachedCount == 1 })
        self.gate.open()
        for request in requests {
            let error = await #expect(throws: ErrandError.self) { try await request.value }
            #expect(error?.code == code && error?.context.endpointName == "FixtureText")
            #expect(error?.context.requestID == request.id)
            let end = try #require(world.recorder.end(of: request.id))
            guard case .failed(let told) = end.result else { throw FixtureError() }
            #expect(told.context.requestID == request.id)
        }
        await world.expectAtRest()
    }
}
