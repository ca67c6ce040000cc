internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Options: three places, of which the narrowest decides", .timeLimit(.minutes(60)), .paced)
struct RequestOptionsTests {
    /// What holds of all that is said, the narrowest last.
    private func merged(_ options: RequestOptions...) -> EffectiveOptions {
        options.reduce(into: EffectiveOptions()) { $0.merge($1) }
    }

    // MARK: - Part by part

    @Test func `a timeout that is said leaves the others as they were`() {
        let timeouts = self.merged(.timeout(idle: .seconds(7)), .timeout(total: .seconds(30))).timeouts
        #expect(timeouts.total == .seconds(30) && timeouts.idle == .seconds(7) && timeouts.connect == .seconds(30))
    }

    @Test func `a timeout is removed by its name, and all are without one`() {
        let client = RequestOptions.timeout(attempt: .seconds(5), total: .seconds(30))
        let one = self.merged(client, .withoutTimeout(.total)).timeouts
        #expect(one.total == nil && one.attempt == .seconds(5) && one.connect == .seconds(30))
        #expect(self.merged(client, .withoutTimeout()).timeouts == .unlimited)
    }

    @Test func `the narrowest place decides, and what it does not say is inherited`() {
        let options = self.merged(
            .retries(.standard).caching(.http).tag("client"), .retries(.never).tag("endpoint"), .tag("call"))
        #expect(options.retries == .never)
        #expect(options.cachePolicy == .http)
        #expect(options.tag == "call")
    }

    @Test func `of the same part said twice in one place the last counts`() {
        #expect(self.merged(.tag("a").tag("b")).tag == "b")
    }

    @Test func `interceptors, user info and omitted fields add up`() {
        let one = FixtureInterceptor { request, _, next in try await next(request) }
        let options = self.merged(
            .interceptors([one]).userInfo(["a": 1, "b": 1]).omittingHeaders(["X-A"]),
            .interceptors([one]).userInfo(["b": 2]).omittingHeaders(["X-B"]))
        #expect(options.interceptors.count == 2)
        #expect(options.userInfo["a"] as? Int == 1 && options.userInfo["b"] as? Int == 2)
        #expect(options.omittedHeaders == ["X-A", "X-B"])
    }

    @Test func `credentials are inherited, none, or one's own`() {
        let own = self.merged(.credentials(.own(.bearer("t"))))
        #expect(own.credential == .bearer("t") && !own.usesCredentials)
        let none = self.merged(.credentials(.own(.bearer("t"))), .credentials(.none))
        #expect(none.credential == nil && !none.usesCredentials)
        #expect(self.merged(RequestOptions()).usesCredentials)
    }

    @Test func `what goes into a file is cached by the rules of HTTP only`() {
        let file = RequestOptions.destination(.file(URL(filePath: "/tmp/a")))
        #expect(self.merged(.caching(.fresh(for: .seconds(1))), file).cachePolicy == .never)
        #expect(self.merged(.caching(.http), file).cachePolicy == .http)
    }

    @Test func `their description names what is said and shows no value`() {
        let options = RequestOptions.credentials(.own(.bearer("hunter2"))).timeout(total: .seconds(1)).tag("hunter2")
        #expect("\(options)" == "RequestOptions(credentials, timeout.total, tag)")
        #expect(!String(reflecting: options).contains("hunter2"))
        var dumped = ""
        dump(options, to: &dumped)
        #expect(!dumped.contains("hunter2"))
    }

    // MARK: - In all places

    @Test func `a call goes before its endpoint, and that before its client`() async throws {
        let world = FixtureWorld {
            $0.options = $0.options.defaultHeaders(.off).retries(RetryPolicy(limit: 1, backoff: .every(.zero)))
        }
        world.transport.route("a", .status(503), .status(503), .status(503), .text("x"))
        let never = FixtureText { $0.options = .retries(.never) }
        _ = await #expect(throws: ErrandError.self) { try await world.client.send(never) }
        #expect(world.transport.receivedCount == 1)
        let often = RequestOptions.retries(RetryPolicy(limit: 3, backoff: .every(.zero)))
        #expect(try await world.client.send(never, options: often) == "x")
    }

    @Test func `credentials of one call are sent with it and with no other`() async throws {
        let world = FixtureWorld { $0.credentials = .bearer("client") }
        world.transport.route("a", .text("x"))
        _ = try await world.client.send(FixtureText(), options: .credentials(.own(.bearer("call"))))
        _ = try await world.client.send(FixtureText(), options: .credentials(.none))
        _ = try await world.client.send(FixtureText())
        #expect(
            world.transport.received.map { $0.headers["Authorization"] } == ["Bearer call", nil, "Bearer client"])
    }

    @Test func `a cached response is shared by calls with the same credentials only`() async throws {
        let world = FixtureWorld { $0.options = $0.options.caching(.fresh(for: .seconds(60))) }
        world.transport.route(where: { _ in true }) { request, _ in .text(request.headers["Authorization"] ?? "-") }
        let own = RequestOptions.credentials(.own(.bearer("ann")))
        #expect(try await world.client.send(FixtureText(), options: own) == "Bearer ann")
        #expect(try await world.client.send(FixtureText()) == "-")
        #expect(try await world.client.response(for: FixtureText(), options: own).source.isCache)
        #expect(world.transport.receivedCount == 2)
    }

    @Test func `an interceptor of one call is passed by that, behind the others`() async throws {
        let log = FixtureLog()
        func logging(_ name: String) -> FixtureInterceptor {
            FixtureInterceptor { request, _, next in
                log.add(name)
                return try await next(request)
            }
        }
        let world = FixtureWorld { $0.interceptors = [logging("client")] }
        world.transport.route("a", .text("x"))
        let call = FixtureText { $0.options = .interceptors([logging("endpoint")]) }
        _ = try await world.client.send(call, options: .interceptors([logging("call")]))
        _ = try await world.client.send(call)
        #expect(log.lines == ["client", "endpoint", "call", "client", "endpoint"])
    }

    @Test func `accessories of an endpoint are told of its requests`() async throws {
        let recorder = EventRecorder()
        let world = FixtureWorld()
        world.transport.route("*", .text("x"))
        _ = try await world.client.send(FixtureText("a") { $0.options = .accessories([recorder]) })
        _ = try await world.client.send(FixtureText("b"))
        #expect(recorder.entries.count { $0.call.name == "willStart" } == 1)
    }

    @Test func `a circuit breaker of an endpoint's own has circuits of its own`() async throws {
        let breaker = CircuitBreaker(failureRate: 0, minimumRequests: 1, openFor: .seconds(60), jitter: 0)
        let world = FixtureWorld { $0.options = $0.options.circuitBreaker(.standard) }
        world.transport.route("a", .status(503))
        let call = FixtureText { $0.options = .circuitBreaker(breaker) }
        for code in [ErrandError.Code.unacceptableStatus, .circuitOpen] {
            let error = await #expect(throws: ErrandError.self) { try await world.client.send(call) }
            #expect(error?.code == code)
        }
        let others = await #expect(throws: ErrandError.self) { try await world.client.send(FixtureText()) }
        #expect(others?.code == .unacceptableStatus)
        let none = await #expect(throws: ErrandError.self) {
            try await world.client.send(call, options: .circuitBreaker(nil))
        }
        #expect(none?.code == .unacceptableStatus)
        #expect(world.transport.receivedCount == 3)
    }

    @Test func `a setting that means nothing fails the one call that says it`() async throws {
        let world = FixtureWorld()
        world.transport.route("a", .text("x"))
        let error = await #expect(throws: ErrandError.self) {
            try await world.client.send(FixtureText(), options: .timeout(total: .zero))
        }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message == "timeout(total:) is 0.0 seconds: it has to be longer than zero")
        #expect(try await world.client.send(FixtureText()) == "x")
    }

    @Test func `those of a batch are passed on to its requests, but for accessories and user info`() async throws {
        let (recorder, watch) = (EventRecorder(), EventRecorder())
        let world = FixtureWorld { $0.accessories = [watch] }
        world.transport.route("*", .text("x"))
        let batch = world.client.batch(
            of: [FixtureText("a"), FixtureText("b")],
            options: .tag("album").userInfo(["row": 1]).accessories([recorder]).credentials(.own(.bearer("t"))))
        _ = await batch.outcomes
        #expect(world.transport.received.allSatisfy { $0.headers["Authorization"] == "Bearer t" })
        #expect(recorder.entries.count { $0.call.name == "willStart" } == 1)
        let starts = watch.entries.filter { $0.call.name == "willStart" }
        #expect(starts.count == 3 && starts.allSatisfy { $0.activity.tag == "album" })
        #expect(starts.count { $0.activity.userInfo["row"] != nil } == 1)
    }

    @Test func `defaults that change hold for requests that start later, part by part`() async throws {
        let world = FixtureWorld { $0.options = $0.options.defaultHeaders(.off) }
        world.transport.route("*", .status(503), .status(503), .text("x"))
        _ = await #expect(throws: ErrandError.self) { try await world.client.send(FixtureText()) }
        world.client.updateDefaults {
            $0.options = $0.options.retries(RetryPolicy(limit: 1, backoff: .every(.zero)))
        }
        #expect(try await world.client.send(FixtureText()) == "x")
        #expect(world.transport.received.allSatisfy { !$0.headers.contains("User-Agent") })
    }
}
