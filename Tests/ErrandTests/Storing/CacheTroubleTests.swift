internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

/// Requests whose cache is in trouble: they go on without it, and say so.
@Suite("Caching: with a cache that fails or hangs", .timeLimit(.minutes(60)), .paced, .tags(.threadSanitizer))
struct CacheTroubleTests {
    private func world(
        _ cache: any ResponseCache, _ configure: (inout Client.Configuration) -> Void = { _ in }
    ) -> FixtureWorld {
        let world = FixtureWorld(isRecording: true) {
            $0.cache = cache
            configure(&$0)
        }
        world.transport.route(where: { _ in true }) { _, use in .text("\(use)") }
        return world
    }

    private func call(_ path: String = "a") -> FixtureText {
        FixtureText(path) { $0.options = .caching(.fresh(for: .seconds(1_000))) }
    }

    // MARK: - Notices

    /// Sends a call; answers what its own accessory was told between its start and its end.
    private func notices(_ world: FixtureWorld, _ path: String = "a") async throws -> [String] {
        let response = try await world.client.response(for: self.call(path))
        let calls = world.recorder.entries.filter { $0.activity.id == response.requestID }.map(\.call)
        var isOver = false
        return calls.compactMap { call in
            switch call {
            case .willStop: isOver = true
            case .event(.notice(let words)):
                #expect(!isOver)
                return words
            default: break
            }
            return nil
        }
    }

    @Test(arguments: ["file", "/proc/errand", "/dev/null/x"], [false, true])
    func `of a bad folder a request tells, once`(path: String, isBehind: Bool) async throws {
        let folder = try TestFolder()
        try Data("mine".utf8).write(to: folder.file("file"))
        let place = path == "file" ? folder.file("file") : URL(filePath: path)
        let disk = DiskCache(folder: place)
        let routed = RoutedCache(otherwise: disk, routes: [RoutedCache.Route(to: MemoryCache()) { _ in false }])
        let world = self.world(isBehind ? TieredCache(front: MemoryCache(capacity: 0), back: routed) : disk)
        var notices = try await self.notices(world)
        await disk.flush()
        notices += try await self.notices(world)
        #expect(notices.count == 1)
        #expect(notices.first?.hasPrefix("responses cannot be stored in the cache folder ") == true)
        for _ in 0..<3 { #expect(try await self.notices(world).isEmpty) }
        await disk.flush()
        #expect(try await self.notices(world).isEmpty)
        await world.expectAtRest()
    }

    @Test func `a folder that cannot be reached is told of once, whatever is asked`() async throws {
        let folder = try TestFolder()
        let loop = folder.file("loop")
        try FileManager.default.createSymbolicLink(atPath: loop.path, withDestinationPath: "loop")
        for place in [loop, folder.file(String(repeating: "n", count: 300))] {
            let disk = DiskCache(folder: place)
            let world = self.world(disk)
            var notices: [String] = []
            for path in ["a", "b", "c"] { notices += try await self.notices(world, path) }
            await disk.flush()
            notices += try await self.notices(world, "d")
            #expect(notices.count == 1)
            #expect(notices.first?.contains(" cannot be ") == true)
            await world.expectAtRest()
        }
    }

    @Test func `so does one that meets it later, or a full disk`() async throws {
        let bench = try DiskCacheBench()
        let isFull = Locked(false)
        let disk = bench.cache(watcher: { step throws(FileProblem) in
            guard case .renaming = step, isFull.withLock({ $0 }) else { return }
            throw FileProblem(ENOSPC)
        })
        let world = self.world(disk)
        #expect(try await self.notices(world, "a").isEmpty)
        await disk.flush()
        #expect(try await self.notices(world, "b").isEmpty)
        await disk.flush()
        isFull.withLock { $0 = true }
        var notices = try await self.notices(world, "c")
        await disk.flush()
        notices += try await self.notices(world, "d")
        #expect(
            notices == ["responses cannot be stored in the cache folder \(bench.folder.path): No space left on device"])
        await disk.flush()
        isFull.withLock { $0 = false }
        notices = try await self.notices(world, "e")
        await disk.flush()
        #expect(notices.isEmpty)
        try FileManager.default.removeItem(at: bench.folder)
        try Data().write(to: bench.folder)
        notices = try await self.notices(world, "f")
        await disk.flush()
        notices += try await self.notices(world, "g")
        #expect(notices == ["responses cannot be stored in the cache folder \(bench.folder.path): Not a directory"])
    }

    @Test func `requests that nobody watches wait for no disk`() async throws {
        let bench = try DiskCacheBench()
        let gate = DispatchSemaphore(value: 0)
        let disk = bench.cache(watcher: { step in if case .making = step { gate.wait() } })
        let world = FixtureWorld { $0.cache = disk }
        world.transport.route("*", .text("x"))
        for path in ["a", "b"] { #expect(try await world.client.send(self.call(path)) == "x") }
        #expect(bench.names.isEmpty)
        // More than it takes.
        for _ in 0..<10 { gate.signal() }
        await disk.flush()
        #expect(bench.names.count == 2)
    }

    // MARK: - A cache that hangs

    @Test(arguments: HangingCache.Call.allCases, [false, true])
    func `cancelling ends a request whose cache hangs`(call: HangingCache.Call, isBehind: Bool) async throws {
        let cache = HangingCache(in: call)
        defer { cache.release() }
        let world = self.world(isBehind ? TieredCache(back: cache) : cache)
        let request = world.client.request(self.call())
        await request.start()
        await cache.waitUntilReached()
        request.cancel()
        let error = await #expect(throws: ErrandError.self) { try await request.value }
        #expect(error?.code == .cancelled)
        #expect(world.recorder.names(of: request.id).suffix(2) == ["willStop", "didStop"])
        await world.expectAtRest()
        #expect(cache.hangingCount == 1)
    }

    @Test(arguments: [false, true])
    func `cancelling who sends, or shutting down, does so as well`(isShutDown: Bool) async throws {
        let cache = HangingCache(in: .reading)
        defer { cache.release() }
        let world = self.world(cache)
        let task = Task { try await world.client.send(self.call()) }
        await cache.waitUntilReached()
        if isShutDown { await world.client.shutdown() } else { task.cancel() }
        let error = await #expect(throws: ErrandError.self) { try await task.value }
        #expect(error?.code == (isShutDown ? .clientShutDown : .cancelled))
        await world.expectAtRest()
    }

    @Test func `a deadline ends the wait for a cache`() async throws {
        let cache = HangingCache(in: .reading)
        defer { cache.release() }
        let world = self.world(cache) { $0.options = $0.options.timeout(total: .seconds(5)) }
        let request = world.client.request(self.call())
        await request.start()
        await cache.waitUntilReached()
        await world.clock.waitForSleeper()
        world.clock.advance(by: .seconds(5))
        let error = await #expect(throws: ErrandError.self) { try await request.value }
        #expect(error?.code == .timedOut)
        await world.expectAtRest()
    }

    @Test(arguments: [HangingCache.Call.storing, .telling], [false, true])
    func `a deadline ends the wait for a cache that takes an answer, which stands`(
        call: HangingCache.Call, isBehind: Bool
    ) async throws {
        let cache = HangingCache(in: call)
        defer { cache.release() }
        let world = self.world(isBehind ? TieredCache(back: cache) : cache) {
            $0.options = $0.options.timeout(total: .seconds(5))
        }
        let request = world.client.request(self.call(), options: .cacheUse(.reload))
        await request.start()
        await cache.waitUntilReached()
        await world.clock.waitForSleeper()
        world.clock.advance(by: .seconds(5))
        #expect(try await request.response.source == .network)
        let calls = world.recorder.entries.filter { $0.activity.id == request.id }.map(\.call)
        let notices = calls.filter { if case .event(.notice) = $0 { true } else { false } }
        #expect(notices.count == (call == .storing ? 1 : 0))
        await world.expectAtRest()
        #expect(cache.hangingCount == 1)
    }

    @Test func `it does so where nobody watches`() async throws {
        let cache = HangingCache(in: .storing)
        defer { cache.release() }
        let world = FixtureWorld {
            $0.cache = cache
            $0.options = $0.options.timeout(total: .seconds(5))
        }
        world.transport.route("*", .text("x"))
        let request = world.client.request(self.call())
        await request.start()
        await cache.waitUntilReached()
        await world.clock.waitForSleeper()
        world.clock.advance(by: .seconds(5))
        #expect(try await request.value == "x")
        await world.expectAtRest()
    }

    @Test(arguments: [false, true])
    func `what was removed meanwhile does not come back when it goes on`(isBehind: Bool) async throws {
        let cache = HangingCache(in: .storing)
        let world = self.world(isBehind ? TieredCache(front: MemoryCache(), back: cache) : cache) {
            $0.options = $0.options.timeout(total: .seconds(5))
        }
        let request = world.client.request(self.call())
        await request.start()
        await cache.waitUntilReached()
        await world.clock.waitForSleeper()
        world.clock.advance(by: .seconds(5))
        #expect(try await request.value == "1")
        try await world.client.cache.removeAll()
        cache.release()
        await cache.waitUntilEmptied()
        while await world.client.cache.contains(self.call()) { await Task.yield() }
        await world.expectAtRest()
    }

    @Test func `reading by hand ends, too`() async throws {
        let cache = HangingCache(in: .reading)
        defer { cache.release() }
        let world = self.world(cache)
        let task = Task { try await world.client.cache.response(for: self.call()) }
        await cache.waitUntilReached()
        task.cancel()
        let error = await #expect(throws: ErrandError.self) { try await task.value }
        #expect(error?.code == .cancelled)
    }

    @Test func `no request waits for a slow disk`() async throws {
        let bench = try DiskCacheBench()
        let gate = DispatchSemaphore(value: 0)
        let disk = bench.cache(watcher: { step in if case .renaming = step { gate.wait() } })
        let world = self.world(disk)
        for path in ["first", "second", "first"] { _ = try await world.client.send(self.call(path)) }
        #expect(world.transport.receivedCount == 2)
        await world.expectAtRest()
        for _ in 0..<2 { gate.signal() }
        await disk.flush()
        #expect(bench.names.count == 2)
    }
}

/// A cache that hangs in one call, whatever becomes of who calls.
final class HangingCache: ResponseCache {
    enum Call: CaseIterable, Sendable {
        case reading, storing, telling
    }

    private let call: Call
    private let inner = MemoryCache()
    private let reached = Waiter<Void>()
    private let emptied = Waiter<Void>()
    private let state = Locked<(isOpen: Bool, waiters: [Waiter<Void>])>((false, []))

    init(in call: Call) {
        self.call = call
    }

    /// How many calls hang.
    var hangingCount: Int { self.state.withLock { $0.waiters.count } }

    func waitUntilReached() async {
        _ = await self.reached.wait()
    }

    /// Waits until an entry was removed by its key.
    func waitUntilEmptied() async {
        _ = await self.emptied.wait()
    }

    func release() {
        let waiters = self.state.withLock { state in
            state.isOpen = true
            return state.waiters
        }
        for waiter in waiters { waiter.resume(()) }
    }

    private func hang(in call: Call) async {
        guard call == self.call else { return }
        let waiter = Waiter<Void>()
        let isOpen = self.state.withLock { state in
            if !state.isOpen { state.waiters.append(waiter) }
            return state.isOpen
        }
        self.reached.resume(())
        if !isOpen { _ = await waiter.waitThroughCancellation() }
    }

    func entry(for key: CacheKey) async throws(CacheMiss) -> CacheEntry {
        await self.hang(in: .reading)
        return try self.inner.entry(for: key)
    }

    func store(_ entry: CacheEntry, for key: CacheKey) async {
        await self.hang(in: .storing)
        self.inner.store(entry, for: key)
    }

    func takeNotice() async -> String? {
        await self.hang(in: .telling)
        return nil
    }

    func remove(_ key: CacheKey) async {
        self.inner.remove(key)
        self.emptied.resume(())
    }
    func remove(where isChosen: @escaping @Sendable (CacheEntry.Summary) -> Bool) async -> Int {
        self.inner.remove(where: isChosen)
    }
}
