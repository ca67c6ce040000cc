internal import Errand
internal import ErrandTesting
internal import Foundation

/// The cost of storing responses and of using cached ones.
struct CacheScenario: Scenario {
    struct Options: ScenarioOptions {
        var rounds = 7
        var requests = 20_000
        var entries = 100_000
        /// The only part to measure; `nil` for all of them.
        var part: Part?

        mutating func take(_ option: String, _ words: inout ArgumentWords) throws(UsageError) {
            switch option {
            case "--requests": self.requests = try words.number(of: option)
            case "--entries": self.entries = try words.number(of: option)
            case "--only": self.part = try words.choice(of: option)
            default: throw .unknown(option)
            }
        }
    }

    /// A group of metrics, by the first part of their names.
    enum Part: String, CaseIterable {
        case memory, disk, validation, start
    }

    static let name = "cache"
    static let help = """
        errand-bench cache [--requests N] [--entries N] [--rounds N] [--only PART] [--json]

        Measures cached responses of 4 KiB, beside doing the same work without Errand.

          --requests N   requests of one measurement (default 20000)
          --entries N    entries in the folder that is opened anew (default 100000)
          --rounds N     rounds of each measurement; the fastest counts (default 7)
          --only PART    memory, disk, validation or start instead of all of them
          --json         one JSON object per line: {"scenario":…,"metric":…,"value":…,"unit":…}

        Metrics, in microseconds each:
          memory/floor      a lookup in an actor with a dictionary
          memory/entry      a lookup in the memory cache
          memory/request    a whole request that is served from memory, for a lifetime set by the app
          memory/http       the same with a lifetime set by the response, by the rules of HTTP
          disk/floor        opening, reading and closing the file of an entry
          disk/entry        a lookup in the disk cache
          disk/ratio        that divided by its floor, the median of all rounds
          disk/request      a whole request that is served from disk, for a lifetime set by the app
          disk/http         the same with a lifetime set by the response, by the rules of HTTP
          disk/store        storing a response in the disk cache: the time that the caller waits
          disk/write        the same including the writing in the background
          validation/floor  a whole request to a server in memory, without a cache
          validation/memory the same with a response in memory that the server confirms (304)
          validation/disk   the same with a response on disk
          validation/…-cost the additional time of either over its floor
          start/floor       listing the folder with all entries
          start/first-hit   the first response from a cache that was just created for it
          start/count       the time until that cache has counted all entries, as after a crash
        """

    let options: Options
    let report: Report

    @concurrent
    func run() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "errand-bench-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        for part in self.options.part.map({ [$0] }) ?? Part.allCases {
            switch part {
            case .memory: try await self.measureMemory()
            case .disk: try await self.measureDisk(folder.appending(path: "few"))
            case .validation: try await self.measureValidation(folder.appending(path: "validated"))
            case .start: try await self.measureStart(folder.appending(path: "many"))
            }
        }
    }

    // MARK: - Timing

    /// The shortest time of all rounds in microseconds, divided by the number of times that `body` does the work.
    private func best(of times: Int, _ body: () async throws -> Void) async rethrows -> Double {
        var best = Double.infinity
        for _ in 0..<self.options.rounds { best = min(best, try await self.time(of: times, body)) }
        return best
    }

    private func time(of times: Int, _ body: () async throws -> Void) async rethrows -> Double {
        try await ContinuousClock().measure { try await body() } / .microseconds(1) / Double(times)
    }

    private func requests(_ cache: any ResponseCache, _ caching: CachePolicy) async throws -> Double {
        let (client, call) = (Self.client(cache), Kept(caching: caching))
        _ = try await client.send(call)
        return try await self.best(of: self.options.requests) {
            for _ in 0..<self.options.requests {
                guard try await client.response(for: call).source.isCache else {
                    throw BenchError("a response did not come from the cache")
                }
            }
        }
    }

    // MARK: - Measurements

    private func measureMemory() async throws {
        let (cache, keys) = (MemoryCache(), try Self.keys(1000))
        let floor = FloorCache()
        for key in keys {
            cache.store(Self.entry, for: key)
            await floor.store(Self.entry, for: key)
        }
        let times = self.options.requests
        self.report.tell(
            "memory/floor",
            await self.best(of: times) { for index in 0..<times { _ = await floor.entry(for: keys[index % 1000]) } },
            "us")
        self.report.tell(
            "memory/entry",
            try await self.best(of: times) {
                for index in 0..<times { _ = try cache.entry(for: keys[index % 1000]) }
            }, "us")
        self.report.tell("memory/request", try await self.requests(cache, .fresh(for: .seconds(3600))), "us")
        self.report.tell("memory/http", try await self.requests(cache, .http), "us")
    }

    private func measureDisk(_ folder: URL) async throws {
        let (cache, keys) = (DiskCache(folder: folder), try Self.keys(1000))
        for key in keys { cache.store(Self.entry, for: key) }
        await cache.flush()
        let times = self.options.requests
        let paths = keys.map { folder.appending(path: "\($0.name.prefix(1))/\($0.name).errand").path }
        var (floor, entry) = (Rounds(), Rounds())
        // In turn, so that a machine that slows down slows both.
        for _ in 0..<self.options.rounds {
            floor.add(try await self.time(of: times) { for index in 0..<times { try Self.read(paths[index % 1000]) } })
            entry.add(
                try await self.time(of: times) {
                    for index in 0..<times { _ = try await cache.entry(for: keys[index % 1000]) }
                })
        }
        self.report.tell("disk/floor", floor.best, "us")
        self.report.tell("disk/entry", entry.best, "us")
        self.report.tell("disk/ratio", entry.ratio(to: floor), "x")
        self.report.tell("disk/request", try await self.requests(cache, .fresh(for: .seconds(3600))), "us")
        self.report.tell("disk/http", try await self.requests(cache, .http), "us")
        // Few enough to be held in memory until they are written.
        let batch = 500
        var (store, write) = (Double.infinity, Double.infinity)
        for _ in 0..<self.options.rounds {
            let start = ContinuousClock.now
            for key in keys[..<batch] { cache.store(Self.entry, for: key) }
            let handed = ContinuousClock.now
            await cache.flush()
            store = min(store, (handed - start) / .microseconds(1) / Double(batch))
            write = min(write, (ContinuousClock.now - start) / .microseconds(1) / Double(batch))
        }
        self.report.tell("disk/store", store, "us")
        self.report.tell("disk/write", write, "us")
    }

    private func measureValidation(_ folder: URL) async throws {
        func time(_ cache: (any ResponseCache)?, _ source: ResponseSource) async throws -> Double {
            let client = Self.client(cache)
            _ = try await client.send(Validated())
            return try await self.best(of: self.options.requests) {
                for _ in 0..<self.options.requests {
                    guard try await client.response(for: Validated()).source == source else {
                        throw BenchError("a response was not validated")
                    }
                }
            }
        }
        let floor = try await time(nil, .network)
        self.report.tell("validation/floor", floor, "us")
        for (name, cache) in [("memory", MemoryCache() as any ResponseCache), ("disk", DiskCache(folder: folder))] {
            let request = try await time(cache, .revalidated)
            self.report.tell("validation/\(name)", request, "us")
            self.report.tell("validation/\(name)-cost", request - floor, "us")
        }
    }

    private func measureStart(_ folder: URL) async throws {
        let keys = try Self.keys(self.options.entries)
        guard let last = keys.last else { return }
        for shard in 0..<16 {
            let place = folder.appending(path: String(shard, radix: 16))
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        }
        // Empty files, since entries that are not requested are not opened.
        for key in keys.dropLast() { try Self.make("\(folder.path)/\(key.name.prefix(1))/\(key.name).errand") }
        let filler = DiskCache(folder: folder, capacity: .max)
        filler.store(Self.entry, for: last)
        await filler.flush()
        let lock = folder.appending(path: "errand.lock")
        let (floor, first, count) = (
            try await self.best(of: 1) { _ = try FileManager.default.subpathsOfDirectory(atPath: folder.path) },
            try await self.best(of: 1) { _ = try await DiskCache(folder: folder, capacity: .max).entry(for: last) },
            try await self.best(of: 1) {
                try FileManager.default.removeItem(at: lock)
                let usage = await DiskCache(folder: folder, capacity: .max).usage
                guard usage?.entries == keys.count else { throw BenchError("the cache reports \(usage as Any)") }
            }
        )
        self.report.tell("start/floor", floor, "us")
        self.report.tell("start/first-hit", first, "us")
        self.report.tell("start/count", count, "us")
    }

    // MARK: - Entries

    private static let size = 4 << 10

    private static let entry = CacheEntry(
        response: HTTPResponse(
            status: .ok, headers: ["Content-Type": "application/octet-stream", "Server": "bench"],
            body: Data(repeating: 7, count: Self.size)), storedAt: Date())

    private static func keys(_ count: Int) throws -> [CacheKey] {
        try (0..<count).compactMap { CacheKey(HTTPRequest(url: try HTTPURL("https://bench.invalid/\($0)"))) }
    }

    private static func client(_ cache: (any ResponseCache)?) -> Client {
        let transport = StubTransport(recordLimit: 0)
        transport.route(where: { _ in true }) { request, _ in
            guard request.headers["If-None-Match"] == nil else { return .status(304, headers: Self.validator) }
            let isKept = request.url.path == "/kept"
            let headers: HTTPFields = isKept ? ["Cache-Control": "max-age=3600"] : Self.validator
            return .data(Data(repeating: 7, count: Self.size), headers: headers)
        }
        return Client(baseURL: "https://bench.invalid/") {
            $0.transport = transport
            $0.cache = cache
        }
    }

    private static let validator: HTTPFields = ["ETag": "\"7\"", "Cache-Control": "no-cache"]

    private static func make(_ path: String) throws {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw BenchError("a file cannot be created") }
        close(descriptor)
    }

    /// Reads a whole file with as few calls as possible.
    private static func read(_ path: String) throws {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw BenchError("an entry cannot be opened") }
        defer { close(descriptor) }
        let count = unsafe withUnsafeTemporaryAllocation(byteCount: 2 * Self.size, alignment: 8) { room in
            unsafe Foundation.read(descriptor, room.baseAddress, room.count)
        }
        guard count >= Self.size else { throw BenchError("an entry cannot be read") }
    }
}

/// A call whose response is cached.
private struct Kept: Endpoint {
    var path: EndpointPath { "kept" }
    let caching: CachePolicy
    var options: RequestOptions { .caching(self.caching) }
}

/// A call whose response is cached, and validated each time.
private struct Validated: Endpoint {
    var path: EndpointPath { "validated" }
    var options: RequestOptions { .caching(.http) }
}

/// A minimal cache.
private actor FloorCache {
    private var entries: [CacheKey: CacheEntry] = [:]

    func entry(for key: CacheKey) -> CacheEntry? { self.entries[key] }

    func store(_ entry: CacheEntry, for key: CacheKey) {
        self.entries[key] = entry
    }
}
