internal import Errand
internal import ErrandTesting
internal import Foundation

/// A client with a cache and a wall clock of the test's, over a transport that answers `1`, `2`, … to whatever is
/// asked.
struct CacheScene: Sendable {
    let date = FixtureDate()
    let cache: MemoryCache
    let world: FixtureWorld

    var client: Client { self.world.client }
    var sentCount: Int { self.world.transport.receivedCount }

    init(cache: MemoryCache = MemoryCache(), _ configure: (inout Client.Configuration) -> Void = { _ in }) {
        let date = self.date
        self.cache = cache
        self.world = FixtureWorld(isRecording: true) {
            $0.environment.date = { date.now }
            $0.cache = cache
            configure(&$0)
        }
        self.world.transport.route(where: { _ in true }) { _, use in .json("\(use)") }
    }

    /// A call whose answers may be so old.
    static func fresh(
        _ path: String = "a", _ lifetime: Duration = .seconds(10), _ configure: (inout FixtureText) -> Void = { _ in }
    ) -> FixtureText {
        FixtureText(path) {
            $0.options = $0.options.caching(.fresh(for: lifetime))
            configure(&$0)
        }
    }

    /// Sends a call; answers its value, and whether the cache had it.
    func send(
        _ endpoint: FixtureText = Self.fresh(), _ use: CacheUse = .use
    ) async throws(ErrandError) -> (value: String, isCached: Bool) {
        let response = try await self.client.response(for: endpoint, options: .cacheUse(use))
        return (response.value, response.source.isCache)
    }

    /// Why a request that asks the cache only fails.
    func miss(_ endpoint: FixtureText) async -> CacheMiss? {
        do throws(ErrandError) {
            _ = try await self.send(endpoint, .only)
            return nil
        } catch {
            return error.code == .notInCache ? error.cacheMiss : nil
        }
    }
}

extension MemoryCache {
    var count: Int { self.usage?.entries ?? -1 }
    var size: Int { self.usage?.bytes ?? -1 }
}
