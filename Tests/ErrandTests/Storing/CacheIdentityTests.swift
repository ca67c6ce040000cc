internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

#if canImport(ErrandURLSession)
    @testable internal import ErrandURLSession
#endif

@Suite("Caching: a stored answer belongs to whoever asked", .timeLimit(.minutes(60)), .paced)
struct CacheIdentityTests {
    private static let call = FixtureText { $0.options = .caching(.fresh(for: .seconds(1_000))) }

    private func ask(
        _ client: Client, _ call: FixtureText = Self.call, _ use: CacheUse = .use
    ) async throws(ErrandError) -> (value: String, isCached: Bool) {
        let response = try await client.response(for: call, options: .cacheUse(use))
        return (response.value, response.source.isCache)
    }

    // MARK: - Each with each

    /// However the second one asks: as usual, of the cache only, with a refresh, or by hand.
    @Test(arguments: CacheAsker.all)
    func `the second of two clients gets the answer of the first only if they are alike`(first: CacheAsker) async throws
    {
        for second in CacheAsker.all {
            let cache = MemoryCache()
            #expect(try await self.ask(first.client(cache, turn: 1)) == ("\(first.name) 1", false))
            let (client, isAlike) = (second.client(cache, turn: 2), first.name == second.name && first.isKnown)
            let (theirs, own) = ("\(first.name) 1", "\(second.name) 2")
            #expect(await client.cache.contains(Self.call) == isAlike, "\(second.name)")
            #expect((try? await client.cache.response(for: Self.call).value) == (isAlike ? theirs : nil))
            #expect((try? await self.ask(client, Self.call, .only).value) == (isAlike ? theirs : nil))
            #expect(try await self.ask(client).value == (isAlike ? theirs : own), "\(second.name)")
            try await client.cache.remove(Self.call)
            var shown: [String] = []
            for try await response in client.responses(for: Self.call) { shown.append(response.value) }
            #expect(shown == [own], "\(second.name)")
            guard first.name != second.name else { continue }
            // Nor was it removed or replaced.
            let kept = try? await self.ask(first.client(cache, turn: 3), Self.call, .only).value
            #expect(kept == (first.isKnown ? theirs : nil), "\(second.name)")
        }
    }

    @Test(arguments: [false, true])
    func `on a disk that all share each finds its own, also after a start`(isTiered: Bool) async throws {
        let folder = try TestFolder()
        func disk() -> DiskCache { DiskCache(folder: folder.file("cache"), maximumAge: .seconds(1e12)) }
        let (shared, later) = (disk(), disk())
        let cache: any ResponseCache = isTiered ? TieredCache(back: shared) : shared
        for asker in CacheAsker.all {
            #expect(try await self.ask(asker.client(cache, turn: 1)) == ("\(asker.name) 1", false))
        }
        await shared.flush()
        for asker in CacheAsker.all {
            let found = try await self.ask(asker.client(later, turn: 2))
            #expect(found == ("\(asker.name) \(asker.isKnown ? 1 : 2)", asker.isKnown))
        }
        #expect(await later.summaries().count == CacheAsker.all.count(where: \.isKnown))
    }

    @Test(arguments: CacheAsker.all)
    func `with a scope the answer is for whom that names`(asker: CacheAsker) async throws {
        let cache = MemoryCache()
        let (ann, bob) = (
            FixtureText { $0.options = .caching(.fresh(for: .seconds(1_000), scope: "ann")) },
            FixtureText { $0.options = .caching(.fresh(for: .seconds(1_000), scope: "bob")) }
        )
        #expect(try await self.ask(asker.client(cache, turn: 1), ann) == ("\(asker.name) 1", false))
        #expect(try await self.ask(asker.client(cache, turn: 2), ann) == ("\(asker.name) 1", true))
        #expect(try await self.ask(asker.client(cache, turn: 3), bob) == ("\(asker.name) 3", false))
        #expect(try await self.ask(asker.client(cache, turn: 4), Self.call) == ("\(asker.name) 4", false))
    }

    // MARK: - What was sent decides

    @Test(arguments: [["a", "b"], ["b", "a"], ["a"], ["a", "b", "b"], []])
    func `secrets in another order, or another number of them, are somebody else`(sent: [String]) async throws {
        let scene = CacheScene {
            $0.headers = ["X-Api-Key": "a", "X-Api-Key": "b"]
            $0.interceptors = [
                FixtureInterceptor { request, _, next in
                    var other = request
                    other.headers["X-Api-Key"] = nil
                    for value in sent { other.headers.append(name: "X-Api-Key", value: value) }
                    return try await next(other)
                }
            ]
        }
        #expect(try await scene.send() == ("1", false))
        let isSame = sent == ["a", "b"]
        #expect(try await scene.send() == (isSame ? "1" : "2", isSame))
    }

    /// An interceptor that signs in anew when its token is refused.
    @Test func `one attempt as somebody else is enough`() async throws {
        let scene = CacheScene {
            $0.interceptors = [
                FixtureInterceptor { request, _, next in
                    var other = request
                    other.headers["Authorization"] = "Bearer old"
                    _ = try await next(other)
                    return try await next(request)
                }
            ]
        }
        for value in ["2", "4"] { #expect(try await scene.send() == (value, false)) }
    }

    @Test(arguments: [false, true])
    func `what is not stored for that reason is told`(hasScope: Bool) async throws {
        let recorder = EventRecorder()
        let scene = CacheScene {
            $0.accessories = [recorder]
            $0.interceptors = [
                FixtureInterceptor { request, _, next in
                    var other = request
                    other.headers["Authorization"] = "Bearer token"
                    return try await next(other)
                }
            ]
        }
        let scope = hasScope ? "ann" : nil
        _ = try await scene.send(
            CacheScene.fresh { $0.options = $0.options.caching(.fresh(for: .seconds(10), scope: scope)) })
        _ = try await scene.send(CacheScene.fresh { $0.options = $0.options.caching(.never) })
        let notices = recorder.entries.compactMap { entry -> String? in
            guard case .event(.notice(let words)) = entry.call else { return nil }
            return words
        }
        #expect(notices.count == (hasScope ? 0 : 1))
        #expect(notices.allSatisfy { $0.contains("not cached") && $0.contains("scope") })
    }

    @Test func `what a hook adds counts where the key has parameters of its own`() async throws {
        struct Hooked: ProcessingEndpoint {
            typealias Response = String
            var path: EndpointPath { "a" }
            var options: RequestOptions { .caching(.fresh(for: .seconds(10))).cacheParameters([:]) }
            let token: String

            func prepare(_ request: inout HTTPRequest) async throws {
                request.headers["Authorization"] = "Bearer \(self.token)"
            }
        }
        let scene = CacheScene()
        for (token, value) in [("ann", "1"), ("bob", "2")] {
            let response = try await scene.client.response(for: Hooked(token: token))
            #expect(response.value == value && !response.source.isCache)
        }
    }

    @Test func `fields that are chosen leave nobody out`() async throws {
        let cache = MemoryCache()
        for (token, isCached) in [("ann", false), ("bob", false), ("ann", true)] {
            let scene = CacheScene(cache: cache) { $0.headers = ["Authorization": "Bearer \(token)"] }
            let call = CacheScene.fresh {
                $0.options = $0.options.caching(.fresh(for: .seconds(10), fields: .only("Accept")))
            }
            #expect(try await scene.send(call).isCached == isCached)
        }
    }

    /// On another origin the client is nobody, or whoever its credential for that origin says.
    @Test(arguments: [false, true])
    func `a redirection to an origin with a credential of its own`(hasCredential: Bool) async throws {
        let scene = CacheScene {
            $0.credentials.origin = .bearer("ann")
            if hasCredential { $0.credentials.otherOrigins = ["https://cdn.test": .bearer("there")] }
        }
        let transport = scene.world.transport
        transport.removeRoutes()
        transport.route("a", .data(Data(), status: 302, headers: ["Location": "https://cdn.test/b?signature=1"]))
        transport.route("b", .text("b"))
        for isCached in [false, !hasCredential] { #expect(try await scene.send() == ("b", isCached)) }
    }

    // MARK: - Transports

    @Test func `what changes who answers is in the partition of settings, and nothing else`() throws {
        #expect(TransportSettings().cachePartition.isEmpty)
        let idle = CacheAsker.settings {
            ($0.maximumIdleConnections, $0.nameCacheLifetime, $0.httpVersions) = (1, .zero, .http1_1)
        }
        #expect(idle.cachePartition.isEmpty)
        // By the words of it no one can tell a password.
        let proxy = CacheAsker.settings { $0.proxy = .url("http://ann:S3CRET@proxy.test:1") }
        #expect(!proxy.cachePartition.contains("S3CRET") && proxy.cachePartition == proxy.cachePartition)
    }

    @Test func `content with its codings is stored apart from content without them`() {
        #expect(!CacheAsker.settings { $0.decodesContent = false }.cachePartition.isEmpty)
    }

    @Test func `a certificate in a file counts by what is in it`() throws {
        let folder = try TestFolder()
        let file = folder.file("who.pem")
        let settings = CacheAsker.settings {
            $0.tls.standard.clientCertificate = TLSPolicy.ClientCertificate(chain: .file(file), privateKey: .file(file))
        }
        let partitions = try ["ann", "bob", "ann"].map { who in
            try Data(who.utf8).write(to: file)
            return settings.cachePartition
        }
        #expect(partitions[0] == partitions[2] && partitions[0] != partitions[1])
    }

    @Test func `the transports that are there tell theirs, and others their type`() {
        var configuration = Client.Configuration()
        configuration.network.tls = TLSPolicy(standard: TLSPolicy.Rules(trust: .unverifiedDangerously))
        let (settings, client) = (configuration.network, Client(configuration))
        #expect(!settings.cachePartition.isEmpty)
        #expect(client.environment.transport.cachePartition == settings.cachePartition)
        #expect(URLSessionTransport(settings: settings).cachePartition == settings.cachePartition)
        #expect(Client().environment.transport.cachePartition.isEmpty)
        #expect(StubTransport().cachePartition == "StubTransport")
    }

    /// An interceptor of an endpoint that says what tells its answers apart.
    private struct Partition: Interceptor {
        let cachePartition: String

        func intercept(
            _ request: HTTPRequest, context: InterceptorContext, next: InterceptorNext
        ) async throws -> HTTPResponse {
            try await next(request)
        }
    }

    @Test func `the cache partition of an endpoint's own interceptors tells stored answers apart`() async throws {
        let scene = CacheScene()
        func call(_ user: String) -> FixtureText {
            CacheScene.fresh { $0.options = $0.options.interceptors([Partition(cachePartition: user)]) }
        }
        for (user, value) in [("ann", "1"), ("bob", "2"), ("ann", "1"), ("bob", "2")] {
            #expect(try await scene.send(call(user)).value == value)
        }
        #expect(scene.sentCount == 2)
    }
}
