internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Caching: where a stored answer came from, and which one stays", .timeLimit(.minutes(60)), .paced)
struct CacheOriginTests {
    private func call(_ path: String = "a") -> FixtureText {
        FixtureText(path) { $0.options = .caching(.fresh(for: .seconds(1_000))) }
    }

    @Test(arguments: [false, true])
    func `the URL and the redirections that led to it are told of a stored answer`(isOnDisk: Bool) async throws {
        let folder = try TestFolder()
        let (memory, disk) = (MemoryCache(), DiskCache(folder: folder.file("cache")))
        let first = FixtureWorld { $0.cache = isOnDisk ? disk as any ResponseCache : memory }
        first.transport.route("a", .redirect("b"))
        first.transport.route("b", .redirect("https://cdn.test/c?size=1&token=QSECRET"))
        first.transport.route("c", .text("here"))
        let sent = try await first.client.response(for: self.call())
        #expect(sent.url.string == "https://cdn.test/c?size=1&token=QSECRET")
        #expect(sent.redirects == 2)
        await disk.flush()
        let next = DiskCache(folder: folder.file("cache"))
        let second = FixtureWorld { $0.cache = isOnDisk ? next as any ResponseCache : memory }
        for response in [
            try await second.client.response(for: self.call()),
            try await second.client.cache.response(for: self.call()),
        ] {
            #expect(response.source.isCache && response.value == "here")
            #expect(response.url.string == "https://cdn.test/c?size=1&token=***")
            #expect(response.redirects == 2)
            #expect(response.attempts == 0)
        }
        #expect(second.transport.receivedCount == 0)
        for file in try FileManager.default.subpathsOfDirectory(atPath: folder.url.path) where file.hasSuffix(".errand")
        {
            let text = String(decoding: try Data(contentsOf: folder.file(file)), as: UTF8.self)
            #expect(text.contains("https://cdn.test/c") && !text.contains("QSECRET"))
        }
    }

    @Test func `without redirections it is the request's own`() async throws {
        let scene = CacheScene()
        for isCached in [false, true] {
            let response = try await scene.client.response(for: CacheScene.fresh("a?token=QSECRET"))
            #expect(response.source.isCache == isCached)
            #expect(response.url.string == "https://api.test/a?token=QSECRET")
            #expect(response.redirects == 0)
        }
    }

    @Test func `what is shown before a refresh tells of itself, and the refresh of itself`() async throws {
        let scene = CacheScene()
        scene.world.transport.removeRoutes()
        scene.world.transport.route("a", .redirect("b"), .redirect("c"))
        for path in ["b", "c"] { scene.world.transport.route(path, .text(path)) }
        _ = try await scene.send()
        var urls: [String] = []
        for try await response in scene.client.responses(for: CacheScene.fresh()) { urls.append(response.url.string) }
        #expect(urls == ["https://api.test/b", "https://api.test/c"])
        #expect(try await scene.client.response(for: CacheScene.fresh()).url.string == "https://api.test/c")
    }

    // MARK: - Late answers

    @Test(arguments: [false, true])
    func `an answer that was asked for earlier and comes later does not replace the other`(isOnDisk: Bool) async throws
    {
        let (folder, date) = (try TestFolder(), FixtureDate())
        let disk = DiskCache(folder: folder.file("cache"), maximumAge: .seconds(1e12))
        let scene = FixtureWorld {
            $0.cache = isOnDisk ? disk as any ResponseCache : MemoryCache()
            $0.environment.date = { date.now }
        }
        let gate = StubGate()
        scene.transport.route(where: { _ in true }) { _, use in
            use == 1 ? .text("older").held(by: gate) : .text("newer")
        }
        async let late = scene.client.send(self.call())
        await fixtureUntil { scene.transport.activeCount == 1 }
        date.advance(by: 1)
        #expect(try await scene.client.send(self.call()) == "newer")
        date.advance(by: 1)
        gate.open()
        // Whoever asked gets what was answered.
        #expect(try await late == "older")
        if isOnDisk { await disk.flush() }
        let stored = try await scene.client.response(for: self.call())
        #expect(stored.value == "newer")
        #expect(stored.source == .cache(age: .seconds(1)))
        // What is stored by hand is the newest there is.
        try await scene.client.cache.store(Data("own".utf8), for: self.call())
        #expect(try await scene.client.send(self.call()) == "own")
    }
}
