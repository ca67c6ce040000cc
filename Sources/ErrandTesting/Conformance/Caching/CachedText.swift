package import Errand
package import Foundation

/// Entries whose content identifies their key and shows whether they are complete, for concurrent use of a cache.
package enum CachedText {
    /// Returns the key of a name.
    package static func key(_ name: String) -> CacheKey? {
        (try? HTTPURL("https://cache.test/\(name)?token=hidden")).flatMap { CacheKey(HTTPRequest(url: $0)) }
    }

    /// Returns one of the entries that may be stored for a name.
    package static func entry(_ name: String, _ number: Int, storedAt: Date) -> CacheEntry {
        let body = self.body(name, number)
        return CacheEntry(
            response: HTTPResponse(status: 200, headers: ["X-Name": name], body: body.asData), storedAt: storedAt,
            version: number)
    }

    /// Returns whether an entry is one of those that may be stored for a name.
    package static func isRight(_ entry: CacheEntry, _ name: String) -> Bool {
        self.body(name, entry.version).asData == entry.response.data && entry.response.headers["X-Name"] == name
    }

    private static func body(_ name: String, _ number: Int) -> String {
        "\(name) \(number) " + String(repeating: "\(number % 10)", count: (number & 0xFFFF) * 37 % 3_000)
    }

    /// Stores, reads and removes entries of a thousand names.
    ///
    /// - Parameters:
    ///   - cache: The cache, which other tasks may use at the same time.
    ///   - seed: The seed of the sequence of operations.
    ///   - rounds: The number of operations.
    /// - Returns: A description of the first error; `nil` if there was none.
    package static func hammer(_ cache: any ResponseCache, seed: UInt64, rounds: Int) async -> String? {
        var random = SplitMix64(seed: seed)
        for _ in 0..<rounds {
            let name = "key\(random.next(below: 1_000))"
            guard let key = self.key(name) else { return "\(name) has no key" }
            switch random.next(below: 1_000) {
            case 0..<300:
                await cache.store(self.entry(name, random.next(below: 1_000), storedAt: Date()), for: key)
            case 300..<400: try? await cache.remove(key)
            case 400..<403: _ = await cache.usage
            case 403..<406:
                let end = "\(random.next(below: 100))"
                _ = try? await cache.remove { $0.url.contains("/key\(end)?") }
            default:
                do {
                    let entry = try await cache.entry(for: key)
                    guard self.isRight(entry, name) else { return "\(name) has \(entry.response.data.excerpt)" }
                } catch {
                    guard error == .noEntry else { return "\(name) has no entry: \(error)" }
                }
            }
        }
        return nil
    }
}

extension String {
    fileprivate var asData: Data { Data(self.utf8) }
}
