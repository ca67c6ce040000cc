internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Redirects: on the way (RFC 9110 §15.4)", .timeLimit(.minutes(60)), .paced)
struct RedirectTests {
    private let pass = FixtureInterceptor { request, _, next in try await next(request) }

    /// Both ways to the transport: the short one, and the one through interceptors.
    private func world(
        intercepted: Bool = false, isRecording: Bool = false,
        _ configure: (inout Client.Configuration) -> Void = { _ in }
    ) -> FixtureWorld {
        FixtureWorld(isRecording: isRecording) {
            $0.options = $0.options.defaultHeaders(.off)
            if intercepted { $0.interceptors = [self.pass] }
            configure(&$0)
        }
    }

    private func error(_ world: FixtureWorld, _ endpoint: FixtureText = FixtureText()) async -> ErrandError? {
        await #expect(throws: ErrandError.self) { try await world.client.send(endpoint) }
    }

    // MARK: - Following

    @Test(arguments: [301, 302, 303, 307, 308], [false, true])
    func `are followed to the response at their end`(status: Int, intercepted: Bool) async throws {
        let world = self.world(intercepted: intercepted, isRecording: true)
        world.transport.route("a", .redirect("b?x=1", HTTPStatus(rawValue: status)))
        world.transport.route("b", .redirect("https://other.test/c", HTTPStatus(rawValue: status)))
        world.transport.route("c", .text("here"))
        let response = try await world.client.response(for: FixtureText("a#part"))
        #expect(response.value == "here")
        #expect(response.head.status == 200)
        #expect(response.url.string == "https://other.test/c#part")
        #expect(response.redirects == 2)
        #expect(response.attempts == 3)
        let urls = world.transport.received.map(\.url.string)
        #expect(urls == ["https://api.test/a#part", "https://api.test/b?x=1#part", "https://other.test/c#part"])
        let events = world.recorder.names(of: response.requestID)
        #expect(events.filter { $0 == "attemptStarted" }.count == 3)
        #expect(world.recorder.end(of: response.requestID)?.attempts == 3)
        await world.expectAtRest()
    }

    @Test(arguments: [false, true])
    func `leave the URL as it was where there are none`(intercepted: Bool) async throws {
        let world = self.world(intercepted: intercepted)
        world.transport.route("*", .text("x"))
        let response = try await world.client.response(for: FixtureText("a"))
        #expect(response.url.string == "https://api.test/a")
        #expect(response.redirects == 0)
        #expect(response.attempts == 1)
    }

    @Test(arguments: [false, true])
    func `change a POST into a GET, or send it again`(intercepted: Bool) async throws {
        let world = self.world(intercepted: intercepted)
        world.transport.route("see", .redirect("done", 303))
        world.transport.route("again", .redirect("done", 307))
        world.transport.route("done", .text("x"))
        for path in ["see", "again"] {
            _ = try await world.client.send(
                FixtureText(path) {
                    $0.method = .post
                    $0.body = .text("content")
                })
        }
        let sent = world.transport.received
        #expect(sent.map(\.method) == [.post, .get, .post, .post])
        #expect(sent.map { $0.headers.contains("Content-Type") } == [true, false, true, true])
        let bodies = sent.map {
            if case .bytes(let data) = $0.body { String(decoding: data, as: UTF8.self) } else { "" }
        }
        #expect(bodies == ["content", "", "content", "content"])
    }

    @Test func `that need a stream again which is read only once are an error`() async {
        let world = self.world(isRecording: true)
        world.transport.route("a", .redirect("b", 308))
        let endpoint = FixtureText {
            $0.method = .put
            $0.body = .stream(BodyStream(isRepeatable: false) { { nil } })
        }
        let error = await self.error(world, endpoint)
        #expect(error?.code == .invalidRedirect)
        #expect(error?.message.contains("only once") == true)
        #expect(error?.context.status == 308)
        #expect(world.transport.receivedCount == 1)
        await world.expectAtRest()
    }

    @Test(arguments: [false, true])
    func `take no credentials, cookies and secrets to another origin`(intercepted: Bool) async throws {
        let world = self.world(intercepted: intercepted) { $0.credentials.secretHeaders = ["X-Api-Key"] }
        world.transport.route("a", .redirect("b"))
        world.transport.route("b", .redirect("https://other.test/c"))
        world.transport.route("c", .redirect("https://api.test/d"))
        world.transport.route("d", .text("x"))
        let headers: HTTPFields = ["Authorization": "Bearer t", "Cookie": "a=1", "x-api-key": "k", "X-Other": "o"]
        _ = try await world.client.send(FixtureText { $0.headers = headers })
        let sent = world.transport.received.map(\.headers)
        #expect(sent == [headers, headers, ["X-Other": "o"], ["X-Other": "o"]])
    }

    // MARK: - Not following

    @Test(arguments: [false, true])
    func `are delivered where they are not followed`(ofClient: Bool) async throws {
        let world = self.world { if ofClient { $0.options = $0.options.redirects(.never) } }
        world.transport.route("a", .redirect("b"))
        let endpoint = FixtureText {
            if !ofClient { $0.options = $0.options.redirects(.never) }
            $0.validation = .any
        }
        let response = try await world.client.response(for: endpoint)
        #expect(response.head.status == 302)
        #expect(response.head.headers["Location"] == "b")
        #expect(response.value == "elsewhere")
        #expect(response.url.path == "/a")
        #expect(response.redirects == 0)
        let error = await self.error(world, FixtureText { $0.options = .redirects(.never) })
        #expect(error?.code == .unacceptableStatus)
    }

    @Test func `are the endpoint's before the client's`() async throws {
        let world = self.world { $0.options = $0.options.redirects(.never) }
        world.transport.route("a", .redirect("b"))
        world.transport.route("b", .text("here"))
        #expect(try await world.client.send(FixtureText { $0.options = .redirects(.follow()) }) == "here")
    }

    @Test(arguments: [300, 304, 305, 306, 399])
    func `are no other responses with a status of that kind`(status: Int) async {
        let world = self.world()
        world.transport.route("a", .redirect("b", HTTPStatus(rawValue: status)))
        let error = await self.error(world)
        #expect(error?.code == .unacceptableStatus)
        #expect(error?.context.status?.code == status)
        #expect(world.transport.receivedCount == 1)
    }

    @Test func `that do not say where to are delivered`() async {
        let world = self.world()
        world.transport.route("a", .status(302))
        #expect(await self.error(world)?.code == .unacceptableStatus)
    }

    // MARK: - Refused

    @Test(
        arguments: [
            "file:///etc/passwd", "ftp://other.test/", "javascript:alert(1)", "http://other.test/", "http://[::1",
            "//a%20b/",
            "a", "#x",
        ], [false, true])
    func `that must not be followed end the request, and nothing is sent`(location: String, intercepted: Bool) async {
        let world = self.world(intercepted: intercepted, isRecording: true)
        world.transport.route("a", .redirect(location))
        let error = await self.error(world)
        #expect(error?.code == .invalidRedirect)
        #expect(error?.context.status == 302)
        #expect(error?.context.body == Data("elsewhere".utf8))
        #expect(error?.context.attempts == 1)
        #expect(world.transport.receivedCount == 1)
        await world.expectAtRest()
    }

    @Test(arguments: [0, 1, 20])
    func `end at their limit`(limit: Int) async {
        let world = self.world { $0.options = $0.options.redirects(.follow(limit: limit)) }
        world.transport.route(where: { _ in true }) { request, _ in
            let number = Int(request.url.path.dropFirst()) ?? 0
            return .redirect("/\(number + 1)")
        }
        let error = await self.error(world, FixtureText("0"))
        #expect(error?.code == .tooManyRedirects)
        #expect(error?.context.attempts == limit + 1)
        #expect(error?.context.url == "https://api.test/\(limit)")
        #expect(world.transport.receivedCount == limit + 1)
        await world.expectAtRest()
    }

    @Test func `may go from https to http where that is allowed`() async throws {
        let world = self.world()
        world.transport.route("a", .redirect("http://other.test/b"))
        world.transport.route("b", .text("here"))
        let endpoint = FixtureText { $0.options = .redirects(.follow(allowsInsecure: true)) }
        #expect(try await world.client.send(endpoint) == "here")
    }

    @Test func `end with the error of the last exchange, and say where that was`() async {
        let world = self.world()
        world.transport.route("a", .redirect("https://other.test/b?token=secret", 303))
        world.transport.route("b", .failure(.tlsFailed))
        let error = await self.error(world, FixtureText { $0.method = .post })
        #expect(error?.code == .tlsFailed)
        #expect(error?.context.url == "https://other.test/b?token=***")
        #expect(error?.context.method == "GET")
        #expect(error?.context.status == nil)
        #expect(error?.context.attempts == 2)
    }

    // MARK: - With others

    @Test func `are one call for an interceptor`() async throws {
        let log = FixtureLog()
        let watch = FixtureInterceptor { request, _, next in
            let response = try await next(request)
            log.add("\(response.status.code)")
            return response
        }
        let world = FixtureWorld { $0.interceptors = [watch] }
        world.transport.route("a", .redirect("b"))
        world.transport.route("b", .status(503), .redirect("c"))
        world.transport.route("c", .text("here"))
        let retry = FixtureInterceptor { request, _, next in
            let response = try await next(request)
            return response.status == 503 ? try await next(request) : response
        }
        let response = try await world.client.response(for: FixtureText { $0.options = .interceptors([retry]) })
        #expect(response.value == "here")
        #expect(log.lines == ["200"])
        #expect(world.sentPaths == ["a", "b", "a", "b", "c"])
        #expect(response.attempts == 5)
        #expect(response.redirects == 2)
    }

    @Test func `are kept apart from their target by the cache`() async throws {
        let world = self.world()
        world.transport.route("a", .redirect("b"))
        world.transport.route("b", .text("here"))
        func endpoint(_ policy: RedirectPolicy) -> FixtureText {
            FixtureText {
                $0.options = $0.options.redirects(policy)
                $0.validation = .any
                $0.options = $0.options.caching(.fresh(for: .seconds(3600)))
            }
        }
        for _ in 1...2 {
            #expect(try await world.client.send(endpoint(.never)) == "elsewhere")
            #expect(try await world.client.send(endpoint(.follow())) == "here")
        }
        #expect(world.sentPaths == ["a", "a", "b"])
        let stored = try await world.client.response(for: endpoint(.follow()))
        #expect(stored.source.isCache && stored.redirects == 1)
    }

    @Test func `show in the record where the request is now`() async throws {
        let world = self.world()
        let gate = StubGate()
        world.transport.route("a", .redirect("http://other.test:81/b"))
        world.transport.route("b", StubReply.text("x").held(by: gate))
        let request = world.client.request(FixtureText { $0.options = .redirects(.follow(allowsInsecure: true)) })
        await request.start()
        await gate.waitUntilReached()
        #expect(await world.client.record.entry(request.id)?.host == "other.test:81")
        gate.open()
        _ = try await request.value
    }
}
