internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import Testing

@testable internal import Errand

/// A folder, the caches in it, and what they are to keep.
final class DiskCacheBench: Sendable {
    let folder: URL
    private let parent: TestFolder
    /// Seconds that the clock of the caches is ahead.
    private let offset = Locked(0.0)
    private let stopped = Locked<Date?>(nil)

    init() throws {
        self.parent = try TestFolder()
        self.folder = self.parent.url.appending(path: "cache", directoryHint: .isDirectory)
    }

    func cache(
        capacity: Int = 10 << 20, maximumAge: Duration = .seconds(30 * 86_400), watcher: CacheFolder.Watcher? = nil
    ) -> DiskCache {
        DiskCache(
            folder: self.folder, capacity: capacity, maximumAge: maximumAge, watcher: watcher,
            date: { [self] in self.now })
    }

    var now: Date { self.stopped.withLock { $0 } ?? Date(timeIntervalSinceNow: self.offset.withLock { $0 }) }

    /// From now on time passes by ``advance(by:)`` only.
    func stopClock() {
        let now = self.now
        self.stopped.withLock { $0 = now }
    }

    func advance(by seconds: Double) {
        self.offset.withLock { $0 += seconds }
        self.stopped.withLock { $0 = $0.map { $0 + seconds } }
    }

    // MARK: - What is stored

    static func key(_ name: String) throws -> CacheKey {
        let url = try HTTPURL("https://cache.test/\(name)?token=hidden")
        guard let key = CacheKey(HTTPRequest(url: url)) else { throw CocoaError(.featureUnsupported) }
        return key
    }

    func entry(_ text: String, tag: String? = nil) -> CacheEntry {
        self.entry(Data(text.utf8), tag: tag)
    }

    func entry(_ body: Data, tag: String? = nil, storedAt: Date? = nil) -> CacheEntry {
        CacheEntry(
            response: HTTPResponse(status: 200, headers: ["Content-Type": "text/plain", "X-A": "1"], body: body),
            storedAt: storedAt ?? self.now, version: 3, scope: CacheEntry.Scope("somebody"), appVersion: "1.0", tag: tag
        )
    }

    func text(_ name: String, in cache: some ResponseCache) async throws -> String? {
        let key = try Self.key(name)
        guard let entry = try? await cache.entry(for: key) else { return nil }
        return String(decoding: entry.response.data, as: UTF8.self)
    }

    func miss(_ name: String, in cache: some ResponseCache) async throws -> CacheMiss? {
        let key = try Self.key(name)
        do throws(CacheMiss) {
            _ = try await cache.entry(for: key)
            return nil
        } catch {
            return error
        }
    }

    // MARK: - The folder

    func file(_ name: String) throws -> URL {
        self.file(ofDigest: try Self.key(name).name)
    }

    func file(ofDigest digits: String, _ end: String = ".errand") -> URL {
        self.folder.appending(path: "\(digits.prefix(1))/\(digits)\(end)", directoryHint: .notDirectory)
    }

    var lockFile: URL { self.folder.appending(path: "errand.lock") }

    /// The paths in it of all but the lock file and folders of this library.
    var paths: [String] {
        ((try? FileManager.default.subpathsOfDirectory(atPath: self.folder.resolvingSymlinksInPath().path)) ?? [])
            .filter { $0 != "errand.lock" && $0.count > 1 }
            .sorted()
    }

    /// The names of these.
    var names: [String] { self.paths.map { String($0.split(separator: "/").last ?? "") } }

    /// The lengths of all files.
    var bytes: Int {
        self.paths.reduce(0) { sum, path in
            let facts = (try? FileFacts(path: "\(self.folder.path)/\(path)")) ?? nil
            return sum + (facts.map { $0.isRegular ? $0.size : 0 } ?? 0)
        }
    }

    func facts(_ name: String) throws -> FileFacts {
        try #require(try FileFacts(path: try self.file(name).path))
    }
}
