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

    @Test func `a credential of a client's options is refused, for it would go everywhere`() async throws {
        let world = FixtureWorld { $0.options = $0.options.credentials(.own(.bearer("secret"))) }
        world.transport.route("*", .text("x"))
        let error = await self.failure { try await world.client.send(FixtureText()) }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("credentials.origin") == true)
        #expect(error?.message.contains("secret") == false)
        let other = FixtureWorld()
        other.transport.route("*", .text("x"))
        other.client.updateDefaults { $0.options = .credentials(.own(.bearer("secret"))) }
        #expect(await self.failure { try await other.client.send(FixtureText()) }?.code == .invalidConfiguration)
        #expect(world.transport.receivedCount == 0 && other.transport.receivedCount == 0)
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
                found.withLock { $0 = Task { try await client.send(FixtureJSON("a", Name.self)).nickName } }
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
}
