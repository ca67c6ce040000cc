internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

@Suite("HTTP caching: as whom a request was sent (G15)", .timeLimit(.minutes(60)), .paced)
struct HTTPCacheSenderTests {
    private static let hour: HTTPFields = ["Cache-Control": "max-age=3600", "ETag": "\"a\""]
    private static let soon: HTTPFields = ["Cache-Control": "max-age=5", "ETag": "\"a\""]

    /// An interceptor that adds to the query of each URL, and has told the cache that it does.
    private struct QueryAdder: Interceptor {
        let item: String

        var cachePartition: String { "adds to the query" }

        func intercept(
            _ request: HTTPRequest, context: InterceptorContext, next: InterceptorNext
        ) async throws -> HTTPResponse {
            var request = request
            request.url = try HTTPURL("\(request.url.string)?\(self.item)")
            return try await next(request)
        }
    }

    /// A client with a cache and one interceptor, and a date that a test moves.
    private static func world(
        _ interceptor: any Interceptor, _ date: FixtureDate = FixtureDate(), _ policy: CachePolicy = .http,
        cache: any ResponseCache = MemoryCache()
    ) -> FixtureWorld {
        FixtureWorld(isRecording: true) {
            $0.environment.date = { date.now }
            $0.cache = cache
            $0.interceptors = [interceptor]
            $0.options = $0.options.caching(policy)
        }
    }

    @Test(
        arguments: [
            ("page=1", nil, true), ("access_token=one", nil, false), ("access_token=one", "ann", true),
        ] as [(String, String?, Bool)])
    func `a secret that an interceptor puts into the URL keeps the response out of the cache`(
        item: String, scope: String?, isStored: Bool
    ) async throws {
        let world = Self.world(QueryAdder(item: item), FixtureDate(), .http(staleIfError: .zero, scope: scope))
        world.transport.route(where: { _ in true }) { _, number in .text("\(number)", headers: Self.hour) }
        #expect(try await world.client.send(FixtureText()) == "1")
        #expect(world.transport.received.first?.url.query == item)
        let second = try await world.client.response(for: FixtureText())
        #expect(second.source.isCache == isStored)
        #expect(second.value == (isStored ? "1" : "2"))
    }

    @Test func `a secret that an interceptor puts into the URL is never written (G14)`() async throws {
        let folder = try TestFolder()
        let disk = DiskCache(folder: folder.file("cache"), maximumAge: .seconds(1e12))
        let world = Self.world(
            QueryAdder(item: "access_token=topsecret"), FixtureDate(), .http(staleIfError: .zero, scope: "ann"),
            cache: disk)
        world.transport.route(where: { _ in true }) { _, number in .text("\(number)", headers: Self.hour) }
        #expect(try await world.client.send(FixtureText()) == "1")
        #expect(try await world.client.response(for: FixtureText()).source.isCache)
        await disk.flush()
        let files = try #require(FileManager.default.enumerator(atPath: folder.file("cache").path))
        let contents = files.compactMap { $0 as? String }
            .compactMap { try? Data(contentsOf: folder.file("cache").appending(path: $0)) }
        #expect(!contents.isEmpty)
        #expect(contents.allSatisfy { $0.range(of: Data("topsecret".utf8)) == nil })
    }

    /// An interceptor that adds a credential, as long as it is told to.
    private final class Signer: Interceptor {
        let isOn = Locked(false)

        func intercept(
            _ request: HTTPRequest, context: InterceptorContext, next: InterceptorNext
        ) async throws -> HTTPResponse {
            var request = request
            if self.isOn.withLock({ $0 }) { request.headers["Authorization"] = "Bearer secret" }
            return try await next(request)
        }
    }

    /// A client over a server that answers `1`, `2`, … for 5 seconds, or that nothing has changed, for an hour.
    private static func signingWorld(_ date: FixtureDate, _ signer: Signer) -> FixtureWorld {
        let world = Self.world(signer, date)
        world.transport.route(where: { _ in true }) { request, number in
            request.headers["If-None-Match"] == "\"a\""
                ? .status(304, headers: Self.hour) : .text("\(number)", headers: Self.soon)
        }
        return world
    }

    @Test func `a 304 to a request that was sent as somebody else does not freshen what is stored`() async throws {
        let (date, signer) = (FixtureDate(), Signer())
        let world = Self.signingWorld(date, signer)
        #expect(try await world.client.send(FixtureText()) == "1")
        date.advance(by: 6)
        signer.isOn.withLock { $0 = true }
        let renewed = try await world.client.response(for: FixtureText())
        #expect(renewed.source == .revalidated && renewed.value == "1")
        #expect(renewed.cacheStatus?.isStored == false)
        signer.isOn.withLock { $0 = false }
        let later = try await world.client.response(for: FixtureText())
        #expect(!later.source.isCache)
        #expect(world.transport.receivedCount == 3)
    }

    @Test func `a HEAD that was sent as somebody else does not freshen what is stored`() async throws {
        let (date, signer) = (FixtureDate(), Signer())
        let world = Self.signingWorld(date, signer)
        #expect(try await world.client.send(FixtureText()) == "1")
        world.transport.replaceRoutes()
        world.transport.route(where: { _ in true }) { _, number in .text("\(number)", headers: Self.hour) }
        date.advance(by: 6)
        signer.isOn.withLock { $0 = true }
        _ = try await world.client.response(for: FixtureText { $0.method = .head })
        signer.isOn.withLock { $0 = false }
        let later = try await world.client.response(for: FixtureText())
        #expect(!later.source.isCache)
        #expect(world.transport.receivedCount == 3)
    }

    @Test func `a validated response still says which URL it came from`() async throws {
        let date = FixtureDate()
        let world = Self.world(QueryAdder(item: "page=1"), date)
        world.transport.route(where: { _ in true }) { request, _ in
            request.headers["If-None-Match"] == nil
                ? .text("x", headers: Self.soon) : .status(304, headers: Self.hour)
        }
        var sources: [ResponseSource] = []
        for _ in 1...3 {
            let response = try await world.client.response(for: FixtureText())
            #expect(response.url.string == "https://api.test/a?page=1")
            sources.append(response.source)
            date.advance(by: 10)
        }
        #expect(sources[0] == .network && sources[1] == .revalidated && sources[2].isCache)
    }
}
