internal import Errand
internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

extension Documented {
    /// The examples of the article "Caching".
    @Suite(.timeLimit(.minutes(60)), .paced)
    struct CachingExamples {
        struct GetNews: Endpoint {
            let userID: String
            let page: Int

            var path: EndpointPath { "news" }
            var parameters: Parameters { ["page": .int(self.page)] }
            var options: RequestOptions { .caching(.fresh(for: .seconds(180), version: 2, scope: self.userID)) }
        }

        struct GetPrice: Endpoint {
            let id: Int
            let sentAt: Double

            var path: EndpointPath { "price" }
            var parameters: Parameters { ["id": .int(self.id), "t": .double(self.sentAt)] }
            var options: RequestOptions { .caching(.fresh(for: .seconds(60))).cacheParameters(["id": .int(self.id)]) }
        }

        private final class Screen: Sendable {
            let shown = Locked<[String]>([])

            func show(_ data: Data, isOld: Bool) {
                self.shown.withLock { $0.append("\(String(decoding: data, as: UTF8.self)) \(isOld)") }
            }

            func say(_ text: String) {
                self.shown.withLock { $0.append(text) }
            }
        }

        /// A cache as an app may have it.
        private actor MyCache: ResponseCache {
            private var entries: [CacheKey: CacheEntry] = [:]

            func entry(for key: CacheKey) throws(CacheMiss) -> CacheEntry {
                guard let entry = self.entries[key] else { throw .noEntry }
                return entry
            }

            func store(_ entry: CacheEntry, for key: CacheKey) {
                if let other = self.entries[key], !entry.replaces(entryStoredAt: other.storedAt) { return }
                self.entries[key] = entry
            }

            func remove(_ key: CacheKey) { self.entries[key] = nil }

            func remove(where isChosen: @Sendable (CacheEntry.Summary) -> Bool) -> Int {
                let count = self.entries.count
                self.entries = self.entries.filter { key, entry in
                    !isChosen(CacheEntry.Summary(entry, for: key, size: entry.response.data.count))
                }
                return count - self.entries.count
            }
        }

        @Test(arguments: ResponseCacheConformance.cases)
        func conforms(_ one: ResponseCacheConformance.Case) async throws {
            try await one.run(against: MyCache())
        }

        private let news = GetNews(userID: "7", page: 1)
        private let screen = Screen()

        private func makeClient() -> (Client, StubTransport) {
            let transport = StubTransport()
            transport.route(where: { _ in true }) { _, use in .data(Data("\(use)".utf8)) }
            let client = Client(baseURL: "https://api.example.com/v1/") {
                $0.transport = transport
                $0.cache = MemoryCache()
            }
            return (client, transport)
        }

        @Test func `a refresh`() async throws {
            let (client, _) = self.makeClient()
            _ = try await client.send(self.news)
            let latest = try await client.send(news, options: .cacheUse(.reload))
            #expect(latest == Data("2".utf8))
        }

        @Test func `show, then refresh`() async throws {
            let (client, _) = self.makeClient()
            _ = try await client.send(self.news)
            for try await response in client.responses(for: news) {
                screen.show(response.value, isOld: response.source.isCache)
            }
            #expect(self.screen.shown.withLock { $0 } == ["1 true", "2 false"])
        }

        @Test func `reasons`() async throws {
            let (client, _) = self.makeClient()
            do throws(ErrandError) {
                _ = try await client.send(news, options: .cacheUse(.only))
            } catch {
                switch error.cacheMiss {
                case .noEntry, .expired: screen.say("not there while offline")
                case .scopeMismatch: screen.say("that was somebody else's")
                default: throw error
                }
            }
            #expect(self.screen.shown.withLock { $0 } == ["not there while offline"])
        }

        @Test func `parameters that make no difference`() async throws {
            let (client, transport) = self.makeClient()
            for time in [1.0, 2.0] { _ = try await client.send(GetPrice(id: 1, sentAt: time)) }
            #expect(transport.receivedCount == 1)
        }

        @Test func `by hand`() async throws {
            let (client, _) = self.makeClient()
            try await client.cache.store(Data("cached".utf8), for: news, options: .tag("news"))
            let isThere = await client.cache.contains(news)
            let stored = try await client.cache.response(for: news)
            try await client.cache.remove(news)
            try await client.cache.remove(tag: "news")
            try await client.cache.remove(olderThan: .seconds(86_400))
            let statistics = await client.cache.statistics
            #expect(isThere && stored.value == Data("cached".utf8))
            #expect(statistics.usage?.entries == 0)
        }

        @Test func `a folder`() async throws {
            let transport = StubTransport()
            transport.route(where: { _ in true }) { _, use in .data(Data("\(use)".utf8)) }
            let temporary = try TestFolder()
            let folder = temporary.file("cache")
            let client = Client(baseURL: "https://api.example.com/v1/") {
                $0.transport = transport
                $0.cache = TieredCache(
                    front: MemoryCache(capacity: 4 << 20), back: DiskCache(folder: folder, capacity: 50 << 20))
            }
            for _ in 1...2 { _ = try await client.send(self.news) }
            #expect(transport.receivedCount == 1)
            #expect(await client.cache.statistics.usage?.entries == 1)
        }
    }
}
