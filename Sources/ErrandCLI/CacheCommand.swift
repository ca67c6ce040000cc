internal import Errand
internal import Foundation

/// The command `errand cache`: looks into a folder with kept answers.
struct CacheCommand: Sendable {
    private let action: CacheOptions.Action
    private let folder: URL
    private let options: CacheOptions
    private let console: Console

    /// Reads options.
    init(_ options: CacheOptions, console: Console) throws(UsageError) {
        guard let action = options.action else { throw .cache("say list, remove or clear") }
        guard let folder = options.folder, !folder.isEmpty else { throw .cache("name a folder") }
        let isNarrowed = !options.urls.isEmpty || options.host != nil || options.age != nil
        guard action == .remove || !isNarrowed else { throw .cache("only remove takes URLs, --host and --older-than") }
        guard action != .remove || isNarrowed else { throw .cache("say what to remove, or use clear") }
        guard action == .list || !options.isJSON else { throw .cache("only list takes --json") }
        self.action = action
        self.folder = URL(filePath: folder, directoryHint: .isDirectory)
        self.options = options
        self.console = console
    }

    /// Does it; returns the exit code.
    func run() async -> Int32 {
        guard (try? FileManager.default.contentsOfDirectory(atPath: self.folder.path)) != nil else {
            await self.console.complain("there is no folder \(self.folder.path) that can be read")
            return Program.ExitCode.failure
        }
        // Nothing is stored, so that nothing goes for want of room or for its age.
        let cache = DiskCache(folder: self.folder, capacity: .max, maximumAge: .seconds(1e12))
        do throws(ErrandError) {
            switch self.action {
            case .list: await self.list(cache)
            case .remove: await self.tell(try cache.remove(where: self.isChosen(at: Date())))
            case .clear: await self.tell(try cache.remove { _ in true })
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
        let items = await cache.items().sorted { ($0.storedAt, $0.url) < ($1.storedAt, $1.url) }
        for item in items { await self.console.line(self.options.isJSON ? Self.json(item) : Self.text(item)) }
    }

    private func tell(_ count: Int) async {
        await self.console.line(count == 1 ? "removed 1 entry" : "removed \(count) entries")
    }

    private func isChosen(at now: Date) -> @Sendable (CacheItem) -> Bool {
        let shown = self.options.urls.compactMap { try? HTTPURL($0).redacted }
        let (urls, host) = (Set(self.options.urls + shown), self.options.host?.lowercased())
        let latest = self.options.age.map { now.addingTimeInterval(-($0 / .seconds(1))) }
        return { item in
            (urls.isEmpty || urls.contains(item.url))
                && (host == nil || host == item.host.lowercased() || host == (try? HTTPURL(item.url))?.authority)
                && latest.map { item.storedAt < $0 } != false
        }
    }

    private static func text(_ item: CacheItem) -> String {
        let bytes = "\(item.size) B".padded(to: 12)
        return Terminal.oneLine("\(item.status.code) \(bytes)  \(Self.time(item))  \(item.method) \(item.url)")
    }

    private static func json(_ item: CacheItem) -> String {
        let members = [
            "\"status\":\(item.status.code)", "\"bytes\":\(item.size)",
            "\"stored\":\(JSONLine.quoted(Self.time(item)))",
            "\"method\":\(JSONLine.quoted(item.method.rawValue))", "\"url\":\(JSONLine.quoted(item.url))",
        ]
        return "{\(members.joined(separator: ","))}"
    }

    private static func time(_ item: CacheItem) -> String {
        item.storedAt.formatted(.iso8601)
    }
}
