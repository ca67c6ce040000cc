internal import Errand
internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

/// An interceptor calls `next` more than once; what it returns decides what is told of the answer.
@Suite("Interceptors: several calls", .timeLimit(.minutes(60)), .paced)
struct SeveralCallsTests {
    private let cache = MemoryCache()
    private let transport: StubTransport

    /// `one` leads to `near`, and `two` over `half` to `far`.
    init() {
        self.transport = StubTransport()
        for (path, target) in [("one", "near"), ("two", "half"), ("half", "far")] {
            self.transport.route(path, .data(Data(), status: 302, headers: ["Location": target]))
        }
        for path in ["near", "far", "a"] { self.transport.route(path, .text(path)) }
    }

    private func client(
        cache: (any ResponseCache)? = nil,
        _ body: @escaping @Sendable (HTTPRequest, InterceptorNext) async throws -> HTTPResponse
    ) -> Client {
        Client(baseURL: "https://api.test/") {
            ($0.transport, $0.cache) = (self.transport, cache ?? self.cache)
            $0.interceptors = [FixtureInterceptor { request, _, next in try await body(request, next) }]
        }
    }

    /// The scope says whom an answer is for, whatever an interceptor makes of the URL.
    private let call = FixtureText { $0.options = .caching(.fresh(for: .seconds(1_000), scope: "all")) }

    /// Expects what is told of an answer, at once and when the cache has it.
    private func expect(
        _ client: Client, _ value: String, _ path: String, redirects: Int,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        for isCached in [false, true] {
            let response = try await client.response(for: self.call)
            #expect(response.source.isCache == isCached, sourceLocation: sourceLocation)
            #expect(response.value == value, sourceLocation: sourceLocation)
            #expect(response.url.string == "https://api.test/\(path)", sourceLocation: sourceLocation)
            #expect(response.redirects == redirects, sourceLocation: sourceLocation)
        }
    }

    private static func request(_ request: HTTPRequest, _ path: String) throws -> HTTPRequest {
        var request = request
        request.url = try HTTPURL("https://api.test/\(path)")
        return request
    }

    // MARK: - Whichever wins

    @Test(arguments: [0, 1], [false, true])
    func `the one of two at once that is returned decides`(winner: Int, isFirstToAnswer: Bool) async throws {
        let gate = FixtureGate()
        let client = self.client { request, next in
            let requests = try ["one", "two"].map { try Self.request(request, $0) }
            let other = Task {
                if isFirstToAnswer { await gate.pass() }
                return try await next(requests[1 - winner])
            }
            if !isFirstToAnswer { _ = try await other.value }
            let response = try await next(requests[winner])
            gate.open()
            // The other one began last and answers last, or was there before.
            _ = try await other.value
            return response
        }
        try await self.expect(
            client, ["near", "far"][winner], ["near", "far"][winner], redirects: winner + 1)
    }

    @Test(arguments: [0, 1])
    func `the one of two after another that is returned decides`(winner: Int) async throws {
        let client = self.client { request, next in
            var responses: [HTTPResponse] = []
            for path in ["one", "two"] { responses.append(try await next(try Self.request(request, path))) }
            return responses[winner]
        }
        try await self.expect(client, ["near", "far"][winner], ["near", "far"][winner], redirects: winner + 1)
    }

    @Test func `it decides as well when it was changed`() async throws {
        let client = self.client { request, next in
            var response = try await next(try Self.request(request, "one"))
            _ = try await next(try Self.request(request, "two"))
            response.metrics = nil
            response.head.headers["X-Seen"] = "yes"
            response.body = .bytes(Data("changed".utf8))
            return response
        }
        try await self.expect(client, "changed", "near", redirects: 1)
    }

    @Test func `an answer that an interceptor made itself is that of the last call that brought one`() async throws {
        let client = self.client { request, next in
            _ = try await next(try Self.request(request, "one"))
            let data = try await next(try Self.request(request, "two")).data
            _ = try? await next(try Self.request(request, "nowhere"))
            return HTTPResponse(status: 200, body: data)
        }
        try await self.expect(client, "far", "far", redirects: 2)
    }

    @Test func `without any it is that of the request`() async throws {
        self.transport.route("lost", .data(Data(), status: 302, headers: ["Location": "nowhere"]))
        let client = self.client { request, next in
            _ = try? await next(try Self.request(request, "lost"))
            return HTTPResponse(status: 200, body: Data("own".utf8))
        }
        try await self.expect(client, "own", "a", redirects: 0)
    }

    @Test func `an error about the answer names where that came from`() async throws {
        let client = self.client { request, next in
            let response = try await next(try Self.request(request, "one"))
            _ = try await next(try Self.request(request, "two"))
            return response
        }
        let call = FixtureText { $0.validation = ResponseValidation(statusCodes: 201...201) }
        let error = await #expect(throws: ErrandError.self) { try await client.send(call) }
        #expect(error?.context.url == "https://api.test/near")
    }

    // MARK: - Whoever loses

    /// A cache that waits while it stores.
    private struct SlowCache: ResponseCache {
        let cache = MemoryCache()
        let waiting: @Sendable () async -> Void

        func entry(for key: CacheKey) async throws(CacheMiss) -> CacheEntry { try self.cache.entry(for: key) }
        func remove(_ key: CacheKey) async { self.cache.remove(key) }
        func remove(where isChosen: @escaping @Sendable (CacheEntry.Summary) -> Bool) async -> Int {
            self.cache.remove(where: isChosen)
        }
        func store(_ entry: CacheEntry, for key: CacheKey) async {
            await self.waiting()
            self.cache.store(entry, for: key)
        }
    }

    /// The other one fails while the answer is being stored.
    @Test func `one that fails after the answer changes nothing of it`() async throws {
        let (gate, lost) = (StubGate(), FixtureGate())
        self.transport.route("bad", .data(Data(), status: 302, headers: ["Location": "ftp://x/"]).held(by: gate))
        let transport = self.transport
        let slow = SlowCache {
            gate.open()
            await lost.waitUntilReached()
        }
        let client = self.client(cache: slow) { request, next in
            let bad = try Self.request(request, "bad")
            Task {
                _ = try? await next(bad)
                await lost.pass()
            }
            await fixtureUntil { transport.activeCount == 1 }
            return try await next(try Self.request(request, "one"))
        }
        let response = try await client.response(for: self.call)
        lost.open()
        #expect(response.head.status == 200 && response.value == "near" && response.url.path == "/near")
        #expect(response.redirects == 1)
        #expect(try await client.response(for: self.call).head.status == 200)
    }
}
