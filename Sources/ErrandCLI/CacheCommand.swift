internal import Errand
internal import Foundation

/// The command `errand cache`: inspects a folder of cached responses.
struct CacheCommand: Sendable {
    private let action: CacheOptions.Action
    private let folder: URL
    private let options: CacheOptions
    private let console: Console

    /// Creates the command from options.
    init(_ options: CacheOptions, console: Console) throws(UsageError) {
        guard let action = options.action else { throw .cache("name an action: list, remove, clear or explain") }
        guard let folder = options.folder, !folder.isEmpty else { throw .cache("name a folder") }
        let isNarrowed = !options.urls.isEmpty || options.host != nil || options.age != nil
        if action == .explain {
            guard options.urls.count == 1, options.host == nil, options.age == nil else {
                throw .cache("explain takes one URL, and --header")
            }
        } else if !options.headers.isEmpty {
            throw .cache("only explain takes --header")
        }
        guard action == .remove || action == .explain || !isNarrowed else {
            throw .cache("only remove takes URLs, --host and --older-than")
        }
        guard action != .remove || isNarrowed else { throw .cache("name what to remove, or use clear") }
        guard action == .list || !options.isJSON else { throw .cache("only list takes --json") }
        self.action = action
        self.folder = URL(filePath: folder, directoryHint: .isDirectory)
        self.options = options
        self.console = console
    }

    /// Runs the command; returns the exit code.
    func run() async -> Int32 {
        guard (try? FileManager.default.contentsOfDirectory(atPath: self.folder.path)) != nil else {
            await self.console.complain("there is no readable folder \(self.folder.path)")
            return Program.ExitCode.failure
        }
        // The cache is only read, so it evicts no entry for its size or its age.
        let cache = DiskCache(folder: self.folder, capacity: .max, maximumAge: .seconds(1e12))
        do throws(ErrandError) {
            switch self.action {
            case .list: await self.list(cache)
            case .remove: await self.tell(try cache.remove(where: self.isChosen(at: Date())))
            case .clear: await self.tell(try cache.remove { _ in true })
            case .explain: try await self.explain(cache)
            }
        } catch {
            await self.console.complain(error.message)
            return Program.ExitCode.failure
        }
        guard let notice = cache.takeNotice() else { return Program.ExitCode.success }
        await self.console.complain(notice)
        return Program.ExitCode.failure
    }

    private func list(_ cache: DiskCache) async {
        let items = await cache.summaries().sorted { ($0.storedAt, $0.url) < ($1.storedAt, $1.url) }
        for item in items { await self.console.line(self.options.isJSON ? Self.json(item) : Self.text(item)) }
    }

    /// Prints how `errand get --http-cache` would handle a URL.
    private func explain(_ cache: DiskCache) async throws(ErrandError) {
        var options = GetOptions()
        options.headers = self.options.headers
        guard let request = try? GetRequest(options, input: .nullDevice), let url = self.options.urls.first else {
            return
        }
        let client = Client { $0.cache = cache }
        let call = Fetch(url: url, request: request, file: nil, caching: .http)
        for line in try await client.cache.explanation(for: call) { await self.console.line(Terminal.oneLine(line)) }
        await client.shutdown()
    }

    private func tell(_ count: Int) async {
        await self.console.line(count == 1 ? "removed 1 entry" : "removed \(count) entries")
    }

    private func isChosen(at now: Date) -> @Sendable (CacheEntry.Summary) -> Bool {
        let shown = self.options.urls.compactMap { try? HTTPURL($0).redacted }
        let (urls, host) = (Set(self.options.urls + shown), self.options.host?.asciiLowercased())
        let latest = self.options.age.map { now.addingTimeInterval(-($0 / .seconds(1))) }
        return { item in
            (urls.isEmpty || urls.contains(item.url))
                && (host == nil || host == item.host.asciiLowercased() || host == (try? HTTPURL(item.url))?.authority)
                && latest.map { item.storedAt < $0 } != false
        }
    }

    private static func text(_ item: CacheEntry.Summary) -> String {
        let bytes = "\(item.size) B".padded(to: 12)
        let http = item.http.map { "  " + $0.words.map { "\($0) \($1)" }.joined(separator: ", ") } ?? ""
        return Terminal.oneLine("\(item.status.code) \(bytes)  \(Self.time(item))  \(item.method) \(item.url)\(http)")
    }

    private static func json(_ item: CacheEntry.Summary) -> String {
        let members =
            [
                "\"status\":\(item.status.code)", "\"bytes\":\(item.size)",
                "\"stored\":\(JSONLine.quoted(Self.time(item)))",
                "\"method\":\(JSONLine.quoted(item.method.rawValue))", "\"url\":\(JSONLine.quoted(item.url))",
            ] + (item.http?.words ?? []).map { "\(JSONLine.quoted($0)):\(JSONLine.quoted($1))" }
        return "{\(members.joined(separator: ","))}"
    }

    private static func time(_ item: CacheEntry.Summary) -> String {
        item.storedAt.formatted(.iso8601)
    }
}

extension CacheEntry.Summary.HTTPSummary {
    /// The metadata of the entry, each with its name.
    fileprivate var words: [(String, String)] {
        let varies = self.nominated.map { "\($0.name)\($0.value.map { ": \($0)" } ?? "")" }.joined(separator: "; ")
        let all: [(String, String?)] = [
            ("fresh until", self.freshUntil?.formatted(.iso8601)), ("etag", self.tag), ("last-modified", self.modified),
            ("varies", self.nominated.isEmpty ? nil : varies),
            ("variants", self.variants == 0 ? nil : "\(self.variants)"),
        ]
        return all.compactMap { name, value in value.map { (name, $0) } }
    }
}
