internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

@Suite("Options: what each of them reaches, and what it does not", .timeLimit(.minutes(60)), .paced)
struct OptionsInUseTests {
    /// A call that makes its whole request.
    private struct Finished: Endpoint {
        typealias Response = String

        var url = "https://api.test/a"
        var headers: HTTPFields = [:]
        var options = RequestOptions()
        var path: EndpointPath { "declared" }

        func customRequest() throws -> HTTPRequest? {
            HTTPRequest(method: .get, url: try HTTPURL(self.url), headers: self.headers)
        }
    }

    private func failure<Value>(_ body: () async throws -> Value) async -> ErrandError? {
        await #expect(throws: ErrandError.self) { _ = try await body() }
    }

    // MARK: - A request that is made by its endpoint

    @Test func `a finished request goes out with the credential of its options, and not with the client's`()
        async throws
    {
        let world = FixtureWorld { $0.credentials = .bearer("client") }
        world.transport.route("a", .text("x"))
        _ = try await world.client.send(Finished(), options: .credentials(.own(.bearer("call"))))
        _ = try await world.client.send(Finished(options: .credentials(.own(.bearer("endpoint")))))
        _ = try await world.client.send(
            Finished(headers: ["Authorization": "mine"]), options: .credentials(.own(.bearer("call"))))
        _ = try await world.client.send(Finished(), options: .credentials(.none))
        _ = try await world.client.send(Finished())
        #expect(
            world.transport.received.map { $0.headers["Authorization"] }
                == ["Bearer call", "Bearer endpoint", "mine", nil, "Bearer client"])
    }

    @Test func `a finished request that cannot be made says so, and why`() async throws {
        struct Failing: Endpoint {
            typealias Response = String
            var path: EndpointPath { "a" }
            func customRequest() throws -> HTTPRequest? { throw FixtureError() }
        }
        let error = await self.failure { try await FixtureWorld().client.send(Failing()) }
        #expect(error?.code == .callbackFailed && error?.cause is FixtureError)
        #expect(error?.message == "the request could not be made: a failure of the app")
    }

    @Test func `a finished request goes over the networks that its options allow`() async throws {
        let world = FixtureWorld { $0.options = $0.options.networks(AllowedNetworks(expensive: false)) }
        world.transport.route("a", .text("x"))
        _ = try await world.client.send(Finished())
        _ = try await world.client.send(Finished(), options: .networks(AllowedNetworks(cellular: false)))
        #expect(
            world.transport.received.map(\.allowedNetworks)
                == [AllowedNetworks(expensive: false), AllowedNetworks(cellular: false)])
    }

    @Test func `finished requests for other paths are never one to the cache, whatever parameters count`() async throws
    {
        let world = FixtureWorld { $0.cache = MemoryCache() }
        world.transport.route(where: { _ in true }) { request, _ in .text(request.url.path) }
        let options = RequestOptions.caching(.fresh(for: .seconds(60))).cacheParameters(["page": 1])
        func send(_ url: String) async throws -> TypedResponse<String> {
            try await world.client.response(for: Finished(url: url, options: options))
        }
        #expect(try await send("https://api.test/a?page=1&at=1").value == "/a")
        #expect(try await send("https://api.test/b?page=1&at=2").value == "/b")
        let again = try await send("https://api.test/a?page=1&at=3")
        #expect(again.value == "/a" && again.source.isCache, "what changes each time does not count")
    }

    // MARK: - What is said for many requests

    @Test func `a credential that is said for many requests goes to the client's own origins alone`() async throws {
        let own = RequestOptions.credentials(.own(.bearer("secret")))
        let evil = FixtureText("https://evil.test/b")
        func sent(
            _ configure: (inout Client.Configuration) -> Void = { _ in }, _ send: (Client) async throws -> Void
        ) async throws -> [String: String] {
            let world = FixtureWorld(configure)
            world.transport.route(where: { _ in true }, .text("x"))
            try await send(world.client)
            let pairs = world.transport.received.map { ($0.url.host, $0.headers["Authorization"] ?? "-") }
            return Dictionary(pairs) { $1 }
        }
        let expected = ["api.test": "Bearer secret", "evil.test": "-"]
        let ofClient = try await sent({ $0.options = $0.options.merging(own) }) { client in
            _ = try await (client.send(FixtureText()), client.send(evil))
        }
        let ofDefaults = try await sent { client in
            client.updateDefaults { $0.options = own }
            _ = try await (client.send(FixtureText()), client.send(evil))
        }
        let ofBatch = try await sent { _ = try await $0.batch(FixtureText(), evil, options: own).value }
        let ofChain = try await sent { _ = try await $0.chain(FixtureText(), options: own).then { _ in evil }.value }
        let ofPages = try await sent { client in
            let pages = client.pages(FixtureText(), options: own) { $0.url.host == "evil.test" ? nil : evil }
            for try await _ in pages {}
        }
        for found in [ofClient, ofDefaults, ofBatch, ofChain, ofPages] { #expect(found == expected) }
        #expect(try await sent { _ = try await $0.send(evil, options: own) } == ["evil.test": "Bearer secret"])
        let everywhere = own.sendingSecretsToAllOrigins()
        let all = try await sent { _ = try await $0.batch(evil, options: everywhere).value }
        #expect(all == ["evil.test": "Bearer secret"])
    }

    @Test func `a credential for many requests of a client without a base URL is refused, for it would go nowhere`()
        async throws
    {
        let world = FixtureWorld { $0.baseURLs.main = nil }
        world.transport.route(where: { _ in true }, .text("x"))
        let batch = world.client.batch(
            FixtureText("https://api.test/a"), options: .credentials(.own(.bearer("secret"))))
        let error = await self.failure { try await batch.value }
        #expect(error?.code == .invalidConfiguration && error?.message.contains("secret") == false)
    }

    @Test func `one file for all pages is refused, also where the endpoint says it`() async throws {
        let world = FixtureWorld()
        world.transport.route("*", .text("x", headers: ["Link": "</b>; rel=next"]))
        let call = FixtureText { $0.options = .destination(.file(URL(filePath: "/tmp/errand-one-file"))) }
        let error = await self.failure { for try await _ in world.client.pages(call) {} }
        #expect(error?.code == .invalidConfiguration && error?.message.hasSuffix("use a folder") == true)
    }

    @Test func `a step of a chain has options of its own, beside those of the chain`() async throws {
        let world = FixtureWorld()
        world.transport.route("*", .text("x"))
        let chain = world.client.chain(FixtureText("a"), options: .tag("chain")).then(
            options: .omittingHeaders(["Accept"])
        ) { _ in FixtureText("b") }
        try await chain.add(FixtureText("c"), options: .credentials(.own(.bearer("t"))))
        _ = try await chain.value
        let sent = world.transport.received
        #expect(sent.map { $0.headers.contains("Accept") } == [true, false, true])
        #expect(sent.map { $0.headers["Authorization"] } == [nil, nil, "Bearer t"])
    }

    @Test func `what one request can have alone is refused for all of a client, of a batch, of a chain and of pages`()
        async throws
    {
        let file = RequestOptions.destination(.file(URL(filePath: "/tmp/errand-one-file")))
        for options in [file, .cacheParameters(["a": 1]), .retries(.never).merging(file)] {
            let client = FixtureWorld { $0.options = $0.options.merging(options) }
            #expect(await self.failure { try await client.client.send(FixtureText()) }?.code == .invalidConfiguration)
            let world = FixtureWorld()
            world.transport.route("*", .text("x"))
            let batch = world.client.batch(of: [FixtureText("a"), FixtureText("b")], options: options)
            #expect(await self.failure { try await batch.value }?.code == .invalidConfiguration)
            for await outcome in world.client.outcomes(of: [FixtureText("a")], options: options) {
                #expect(outcome.result.fixtureFailure?.code == .invalidConfiguration)
            }
            let chain = world.client.chain(FixtureText("a"), options: options)
            #expect(await self.failure { try await chain.value }?.code == .invalidConfiguration)
            let pages = world.client.pages(FixtureText(), options: options)
            #expect(await self.failure { for try await _ in pages {} }?.code == .invalidConfiguration)
            #expect(world.transport.receivedCount == 0)
        }
    }

    @Test func `a folder is one for many requests`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "errand-\(UUID().uuidString)/")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let world = FixtureWorld()
        world.transport.route("*", .text("x"))
        struct Get: Endpoint {
            typealias Response = DownloadedFile
            let name: String
            var path: EndpointPath { "\(self.name)" }
        }
        let batch = world.client.batch(
            of: [Get(name: "a"), Get(name: "b")], options: .destination(.folder(folder)))
        #expect(try await batch.value.map(\.url.lastPathComponent) == ["a", "b"])
    }

    // MARK: - Shared exchanges

    /// A client whose responses wait, and requests for the same thing that have begun.
    private func countOfExchanges(
        _ options: [RequestOptions], _ configure: (inout Client.Configuration) -> Void = { _ in }
    ) async throws -> Int {
        let gate = StubGate()
        let recorder = EventRecorder()
        let world = FixtureWorld {
            $0.options = $0.options.coalescing().withoutTimeout()
            configure(&$0)
            $0.accessories = [recorder]
        }
        world.transport.route("a", .text("x").held(by: gate))
        let requests = options.map { world.client.request(FixtureText(), options: $0) }
        for request in requests { await request.start() }
        await fixtureUntil {
            let joined = recorder.entries.count { if case .event(.coalesced) = $0.call { true } else { false } }
            return joined + world.transport.activeCount == options.count
        }
        let count = world.transport.activeCount
        gate.open()
        for request in requests { #expect(try await request.value == "x") }
        return count
    }

    @Test func `an exchange is shared by those alone whose options say the same of it`() async throws {
        let limit = BandwidthLimit(receiving: 1_000_000)
        let different: [(String, RequestOptions)] = [
            ("credentials", .credentials(.none)),
            ("where secrets go", .sendingSecretsToAllOrigins()),
            ("connect", .timeout(connect: .seconds(1))),
            ("first byte", .timeout(firstByte: .seconds(1))),
            ("idle", .timeout(idle: .seconds(1))),
            ("attempt", .timeout(attempt: .seconds(1))),
            ("authentication", .timeout(authentication: .seconds(1))),
            ("networks", .networks(AllowedNetworks(cellular: false))),
            ("connectivity", .connectivity(.wait(upTo: .seconds(9)))),
            ("bandwidth", .bandwidth(limit)),
            ("hedging", .hedging(.after(.seconds(9)))),
            ("retries", .retries(.standard)),
            ("circuits", .circuitBreaker(.standard)),
            ("redirections", .redirects(.never)),
            ("reload", .cacheUse(.reload)),
        ]
        for (name, options) in different {
            #expect(try await self.countOfExchanges([RequestOptions(), options]) == 2, "\(name)")
            #expect(try await self.countOfExchanges([options, options]) == 1, "\(name), both")
        }
    }

    @Test func `what is each one's own keeps nobody from sharing`() async throws {
        let own: [(String, RequestOptions)] = [
            ("total", .timeout(total: .seconds(60))), ("priority", .priority(.high)), ("tag", .tag("a")),
            ("accessories", .accessories([EventRecorder()])), ("user info", .userInfo(["a": 1])),
        ]
        for (name, options) in own {
            #expect(try await self.countOfExchanges([RequestOptions(), options]) == 1, "\(name)")
        }
    }

    @Test func `user info that interceptors may read is not another one's`() async throws {
        struct Reading: Interceptor {
            var cachePartition: String { "v1" }

            func intercept(
                _ request: HTTPRequest, context: InterceptorContext, next: InterceptorNext
            ) async throws -> HTTPResponse {
                try await next(request)
            }
        }
        let user = RequestOptions.userInfo(["user": "ann"])
        #expect(try await self.countOfExchanges([user, user]) { $0.interceptors = [Reading()] } == 2)
        #expect(try await self.countOfExchanges([.tag("a"), .tag("b")]) { $0.interceptors = [Reading()] } == 1)
    }

    // MARK: - One state of the defaults

    @Test func `a request is made from one state of the defaults, whenever they change`() async throws {
        struct Changing: Endpoint {
            typealias Response = String
            let client: Client
            let count = FixtureLog()
            var path: EndpointPath { "a" }
            var options: RequestOptions {
                self.count.add("")
                let count = self.count.lines.count
                self.client.updateDefaults {
                    $0.options = .networks(AllowedNetworks(cellular: count.isMultiple(of: 2)))
                    $0.headers["X-Count"] = "\(count)"
                }
                return RequestOptions()
            }
        }
        let world = FixtureWorld {
            $0.headers["X-Count"] = "0"
            $0.options = $0.options.coalescing()
        }
        world.transport.route("*", .text("x"))
        let call = Changing(client: world.client)
        for _ in 0..<4 { _ = try await world.client.send(call) }
        for sent in world.transport.received {
            let count = try #require(sent.headers["X-Count"].flatMap { Int($0) })
            #expect(sent.allowedNetworks.cellular == count.isMultiple(of: 2))
        }
        let preview = try world.client.httpRequest(for: call)
        let count = try #require(preview.headers["X-Count"].flatMap { Int($0) })
        #expect(preview.allowedNetworks.cellular == count.isMultiple(of: 2))
    }

    @Test func `accessories of the defaults' options are those of requests that are made later`() async throws {
        let (first, second, always) = (EventRecorder(), EventRecorder(), EventRecorder())
        let world = FixtureWorld {
            $0.accessories = [always]
            $0.options = $0.options.accessories([first])
        }
        world.transport.route("*", .text("x"))
        _ = try await world.client.send(FixtureText())
        world.client.updateDefaults { $0.options = .accessories([second]) }
        _ = try await world.client.send(FixtureText())
        let counts = [first, second, always].map { $0.entries.count { $0.call.name == "willStart" } }
        #expect(counts == [1, 1, 2])
    }

    // MARK: - Requests that code of the app makes

    @Test func `networks that are forbidden stay so, whatever makes the request`() async throws {
        struct Prepared: ProcessingEndpoint {
            typealias Response = String
            var path: EndpointPath { "prepared" }
            func prepare(_ request: inout HTTPRequest) {
                request = HTTPRequest(method: request.method, url: request.url, headers: request.headers)
            }
        }
        let interceptor = FixtureInterceptor { request, _, next in
            try await next(HTTPRequest(method: request.method, url: request.url, headers: request.headers))
        }
        let redirects = RedirectPolicy.decide { .send(HTTPRequest(url: $0.target)) }
        let world = FixtureWorld { $0.options = $0.options.networks(AllowedNetworks(cellular: false)) }
        world.transport.route("from", .redirect("https://api.test/to"))
        world.transport.route(where: { _ in true }, .text("x"))
        _ = try await world.client.send(Prepared())
        _ = try await world.client.send(FixtureText(), options: .interceptors([interceptor]))
        _ = try await world.client.send(FixtureText("from"), options: .redirects(redirects))
        #expect(world.transport.received.count == 4)
        #expect(world.transport.received.allSatisfy { !$0.allowedNetworks.cellular })
    }

    @Test func `a file is sent as what it is, and asked for as it is, also in a finished request`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "errand-\(UUID().uuidString)/")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let picture = folder.appending(path: "a.png")
        try Data("png".utf8).write(to: picture)
        let world = FixtureWorld()
        world.transport.route("a", .text("x"))
        _ = try await world.client.upload(Finished(headers: ["Content-Type": "application/json"]), from: picture)
        _ = try await world.client.download(Finished(), to: folder.appending(path: "b"))
        let sent = world.transport.received
        #expect(sent.map { $0.headers["Content-Type"] } == ["image/png", nil])
        #expect(sent.map { $0.headers["Accept-Encoding"] } == [nil, "identity"])
    }

    @Test func `a body in a file is not taken for an empty one`() async throws {
        struct Name: Decodable, Sendable {}
        let folder = FileManager.default.temporaryDirectory.appending(path: "errand-\(UUID().uuidString)/")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let world = FixtureWorld { $0.options = $0.options.destination(.folder(folder)) }
        world.transport.route("a", .json("{}"))
        let errors = [
            await self.failure { try await world.client.send(FixtureText()) },
            await self.failure { try await world.client.send(FixtureData()) },
            await self.failure { try await world.client.send(FixtureJSON("a", Name.self)) },
        ]
        for error in errors {
            #expect(error?.code == .unsupported && error?.message.contains("DownloadedFile") == true)
        }
        try await world.client.send(FixtureVoid())
    }

    @Test func `resumption of uploads leaves alone what is no upload`() async throws {
        for resumption in [UploadResumption.automatic, .tus(in: FileManager.default.temporaryDirectory)] {
            let world = FixtureWorld {
                $0.options = $0.options.uploadResumption(resumption)
                    .retries(RetryPolicy(limit: 1, backoff: .every(.zero)))
            }
            world.transport.route("a", .status(503), .text("x"))
            #expect(try await world.client.send(FixtureText()) == "x")
            #expect(world.transport.received.map(\.method) == [.get, .get])
            #expect(world.transport.received.allSatisfy { !$0.headers.contains("Tus-Resumable") })
            let options = RequestOptions.uploadResumption(resumption)
            #expect(try await self.countOfExchanges([options, options]) == 1)
        }
    }

    @Test func `who leaves Authorization out sends no credential of the client's`() async throws {
        let world = FixtureWorld { $0.credentials = .bearer("client") }
        world.transport.route("a", .text("x"))
        _ = try await world.client.send(FixtureText(), options: .omittingHeaders(["authorization"]))
        #expect(world.transport.received.map { $0.headers["Authorization"] } == [nil])
    }

    @Test func `who asks with another credential is not asked for in its place`() async throws {
        struct Renewing: Authenticator {
            func credential(for context: AuthenticationContext) async throws -> HTTPCredential? { .bearer("client") }
        }
        let world = FixtureWorld { $0.credentials.authenticator = Renewing() }
        world.transport.route(where: { _ in true }) { request, _ in
            request.headers["Authorization"] == "Bearer client" ? .text("x") : .status(401)
        }
        let own = RequestOptions.credentials(.own(.bearer("ann")))
        for _ in 0..<2 {
            let error = await self.failure { try await world.client.send(FixtureText(), options: own) }
            #expect(error?.context.status == .unauthorized)
        }
        #expect(world.transport.received.map { $0.headers["Authorization"] } == ["Bearer ann", "Bearer ann"])
    }

    // MARK: - Where no request is sent

    @Test func `what a call's options have stored is found, told of and removed with the same options`() async throws {
        let world = FixtureWorld { $0.cache = MemoryCache() }
        world.transport.route("a", .text("x"))
        let options = RequestOptions.caching(.fresh(for: .seconds(60))).tag("mine")
            .credentials(.own(.bearer("ann")))
        let call = FixtureText()
        _ = try await world.client.send(call, options: options)
        let cache = world.client.cache
        #expect(await cache.contains(call, options: options))
        #expect(await !cache.contains(call, options: options.credentials(.own(.bearer("bob")))))
        #expect(try await cache.response(for: call, options: options).value == "x")
        try await cache.remove(call, options: options)
        #expect(await !cache.contains(call, options: options))
        try await cache.store(Data("y".utf8), for: call, options: options)
        #expect(try await world.client.response(for: call, options: options.cacheUse(.only)).value == "y")
        #expect(try await cache.remove(tag: "mine") == 1)
        let explained = try await cache.explanation(for: call, options: .caching(.http))
        #expect(!explained.isEmpty)
    }

    @Test func `a request is shown as its call's options make it`() throws {
        let client = FixtureWorld { $0.credentials = .bearer("client") }.client
        let options = RequestOptions.credentials(.own(.bearer("call")))
        #expect(try client.httpRequest(for: FixtureText(), options: options).headers["Authorization"] == "Bearer call")
        let command = try client.curlCommand(for: FixtureText(), options: options, showingSecrets: true)
        #expect(command.contains("Bearer call"))
    }

    // MARK: - What wider places say

    @Test func `secrets that go everywhere stay at home where a narrower place says so`() async throws {
        let world = FixtureWorld {
            $0.headers["X-Api-Key"] = "secret"
            $0.options = $0.options.sendingSecretsToAllOrigins()
        }
        world.transport.route(where: { _ in true }, .text("x"))
        let call = FixtureText("https://other.test/a")
        _ = try await world.client.send(call)
        _ = try await world.client.send(call, options: .sendingSecretsToAllOrigins(false))
        #expect(world.transport.received.map { $0.headers["X-Api-Key"] } == ["secret", nil])
    }

    @Test(arguments: ["client", "endpoint", "call"])
    func `an upload goes on as any of the places says`(place: String) async throws {
        let scene = try UploadScene()
        scene.server.cut(after: 300_000)
        let resumption = RequestOptions.uploadResumption(.automatic)
        let client = scene.client { if place == "client" { $0.options = $0.options.merging(resumption) } }
        let call = UploadScene.call { if place == "endpoint" { $0.options = resumption } }
        let options = place == "call" ? resumption : RequestOptions()
        #expect(try await client.upload(call, from: scene.file, options: options) == "uploaded")
        #expect(scene.server.uploads.last?.content == scene.content)
    }

    @Test func `what renews a stale response is told to the same accessories, with the same user info`() async throws {
        let (client, call) = (EventRecorder(), EventRecorder())
        let world = FixtureWorld {
            $0.cache = MemoryCache()
            $0.options = $0.options.caching(.http).accessories([client])
        }
        world.transport.route(
            "a", .text("x", headers: ["Cache-Control": "max-age=0, stale-while-revalidate=60", "ETag": "\"1\""]))
        for _ in 0..<2 {
            _ = try await world.client.send(
                FixtureText(), options: .accessories([call]).userInfo(["screen": "news"]).tag("t"))
        }
        await fixtureUntil { await world.client.record.count == 0 && world.transport.receivedCount == 2 }
        for recorder in [client, call] {
            await fixtureUntil { recorder.entries.count { $0.call.name == "didStop" } == 3 }
            let starts = recorder.entries.filter { $0.call.name == "willStart" }
            #expect(starts.count == 3)
            #expect(starts.allSatisfy { $0.activity.userInfo["screen"] as? String == "news" && $0.activity.tag == "t" })
        }
    }

    @Test func `a request goes by the tag and the user info that it was made with`() async throws {
        let seen = FixtureLog()
        let world = FixtureWorld {
            $0.cache = MemoryCache()
            $0.interceptors = [
                FixtureInterceptor { request, context, next in
                    seen.add("\(context.tag ?? "-") \(context.userInfo["a"] as? Int ?? 0)")
                    return try await next(request)
                }
            ]
            $0.options = $0.options.tag("old").userInfo(["a": 1])
        }
        world.transport.route("a", .text("x"))
        let request = world.client.request(FixtureText(), options: .caching(.fresh(for: .seconds(60), scope: "me")))
        world.client.updateDefaults { $0.options = .tag("new").userInfo(["a": 2]) }
        _ = try await request.value
        #expect(seen.lines == ["old 1"])
        #expect(request.tag == "old")
        #expect(try await world.client.cache.remove(tag: "old") == 1)
    }

    @Test func `an endpoint is asked once how it is treated`() async throws {
        struct Counting: Endpoint {
            typealias Response = String
            let asked = FixtureLog()
            var path: EndpointPath { "a" }
            var options: RequestOptions {
                self.asked.add("")
                return RequestOptions()
            }
        }
        let world = FixtureWorld()
        world.transport.route("a", .text("x"))
        let call = Counting()
        let request = world.client.request(call)
        world.client.updateDefaults { $0.headers["X-A"] = "1" }
        _ = try await request.value
        #expect(call.asked.lines.count == 1)
    }

    @Test func `circuits are those of the options that hold`() async throws {
        let world = FixtureWorld()
        world.transport.route("a", .status(503))
        #expect(world.client.circuits == nil)
        let breaker = CircuitBreaker(failureRate: 0, minimumRequests: 1, openFor: .seconds(60), jitter: 0)
        world.client.updateDefaults { $0.options = .circuitBreaker(breaker) }
        let circuits = try #require(world.client.circuits)
        #expect(await self.failure { try await world.client.send(FixtureText()) }?.code == .unacceptableStatus)
        #expect(await self.failure { try await world.client.send(FixtureText()) }?.code == .circuitOpen)
        #expect(world.client.circuits === circuits)
    }

    // MARK: - JSON

    @Test func `a client asked while another one decodes spells JSON in its own way`() async throws {
        struct Name: Decodable, Sendable {
            enum CodingKeys: String, CodingKey { case nickName = "nick_name" }

            let nickName: String
        }
        let plain = FixtureWorld()
        plain.transport.route("a", .json(#"{"nick_name":"ann"}"#))
        let snake = FixtureWorld { $0.json = JSONCoding(keys: .snakeCase) }
        snake.transport.route("a", .text("x"))
        let found = Locked<Task<String, any Error>?>(nil)
        _ = try await snake.client.send(
            FixtureCustom<String> { [client = plain.client] _ in
                let task = Task { try await client.send(FixtureJSON("a", Name.self)).nickName }
                found.withLock { $0 = task }
                return ""
            })
        #expect(try await found.withLock { $0 }?.value == "ann")
    }

    @Test func `a reader of a stream decodes with the JSON of the client`() async throws {
        struct Name: Decodable, Sendable { let nickName: String }
        let world = FixtureWorld { $0.json = JSONCoding(keys: .snakeCase) }
        world.transport.route("a", .json(#"{"nick_name":"ann"}"#))
        let name = try await world.client.stream(FixtureText()) { response in
            var data = Data()
            for try await chunk in response.body { data += chunk }
            let whole = HTTPResponse(head: response.head, body: .bytes(data))
            return try ResponseDecoder<Name>.json.decode(whole).nickName
        }
        #expect(name == "ann")
    }

    @Test func `hooks, interceptors and errors have the JSON of the client`() async throws {
        struct Name: Decodable, Sendable { let nickName: String }
        struct Hooked: ProcessingEndpoint {
            typealias Response = String
            let log: FixtureLog
            var path: EndpointPath { "a" }
            func didReceive(_ response: inout HTTPResponse) throws {
                self.log.add(try ResponseDecoder<Name>.json.decode(response).nickName)
            }
        }
        let log = FixtureLog()
        let world = FixtureWorld {
            $0.json = JSONCoding(keys: .snakeCase)
            $0.interceptors = [
                FixtureInterceptor { request, _, next in
                    let response = try await next(request)
                    log.add(try ResponseDecoder<Name>.json.decode(response).nickName)
                    return response
                }
            ]
        }
        world.transport.route("a", .json(#"{"nick_name":"ann"}"#))
        world.transport.route("b", .json(#"{"nick_name":"bob"}"#, status: 400))
        _ = try await world.client.send(Hooked(log: log))
        #expect(log.lines == ["ann", "ann"])
        let error = await self.failure { try await world.client.send(FixtureText("b")) }
        #expect(try error?.decode(Name.self).nickName == "bob")
    }

    @Test func `a hook of a request that is sent from a reader has the JSON of its own client`() async throws {
        struct Name: Decodable, Sendable {
            enum CodingKeys: String, CodingKey { case nickName = "nick_name" }

            let nickName: String
        }
        struct Hooked: ProcessingEndpoint {
            typealias Response = String
            var path: EndpointPath { "a" }
            func didReceive(_ response: inout HTTPResponse) throws {
                response.body = .bytes(Data(try ResponseDecoder<Name>.json.decode(response).nickName.utf8))
            }
        }
        let (plain, snake) = (FixtureWorld(), FixtureWorld { $0.json = JSONCoding(keys: .snakeCase) })
        for world in [plain, snake] { world.transport.route("a", .json(#"{"nick_name":"ann"}"#)) }
        let name = try await snake.client.stream(FixtureText()) { [client = plain.client] _ in
            try await client.send(Hooked())
        }
        #expect(name == "ann")
    }
}
