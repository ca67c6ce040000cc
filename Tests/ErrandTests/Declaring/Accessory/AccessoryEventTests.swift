internal import Errand
internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Accessories: events", .timeLimit(.minutes(60)), .paced)
struct AccessoryEventTests {
    private let world = FixtureWorld(isRecording: true)

    @Test func `of a request that goes through are in order`() async throws {
        self.world.transport.route("*", .text("four"))
        let request = self.world.client.request(FixtureText())
        _ = try await request.value
        let names = [
            "willStart", "didStart", "attemptStarted", "responseHead", "received", "willStop", "didStop",
        ]
        #expect(self.world.recorder.names(of: request.id) == names)
        for entry in self.world.recorder.entries {
            switch entry.call {
            case .event(.attemptStarted(let number)): #expect(number == 1)
            case .event(.responseHead(let head)): #expect(head.status == .ok)
            case .event(.received(let progress)): #expect(progress == TransferProgress(bytes: 4, total: 4))
            default: break
            }
        }
    }

    @Test(arguments: [true, false])
    func `of a request that waits for a slot say so, and for how long`(isSent: Bool) async throws {
        self.world.transport.route("*", .text("x"))
        await self.world.client.scheduler.pause()
        let client = self.world.client
        let task = Task {
            if isSent { return try await client.send(FixtureText()) }
            return try await client.request(FixtureText()).value
        }
        await self.world.waitUntilQueued(1)
        await fixtureUntil { self.world.recorder.entries.last?.call.name == "queued" }
        self.world.clock.advance(by: .seconds(2))
        await client.scheduler.resume()
        _ = try await task.value
        let id = try #require(self.world.recorder.ids(of: .request).first)
        #expect(
            self.world.recorder.names(of: id) == [
                "willStart", "didStart", "queued", "admitted", "attemptStarted", "responseHead", "received", "willStop",
                "didStop",
            ])
        #expect(self.world.recorder.end(of: id)?.timings.queue == .seconds(2))
        for entry in self.world.recorder.entries {
            if case .event(.admitted(let waited)) = entry.call { #expect(waited == .seconds(2)) }
        }
    }

    @Test func `of each attempt have its number`() async throws {
        self.world.transport.route("*", .failure(.connectionLost), .text("x"))
        let retry = FixtureInterceptor { request, _, next in
            do { return try await next(request) } catch { return try await next(request) }
        }
        let request = self.world.client.request(FixtureText { $0.options = .interceptors([retry]) })
        _ = try await request.value
        #expect(
            self.world.recorder.names(of: request.id) == [
                "willStart", "didStart", "attemptStarted", "attemptFailed", "attemptStarted", "responseHead",
                "received", "willStop", "didStop",
            ])
        let numbers = self.world.recorder.entries.compactMap { entry in
            switch entry.call {
            case .event(.attemptStarted(let number)): number
            case .event(.attemptFailed(let number, let error)): error.code == .connectionLost ? -number : 0
            default: nil
            }
        }
        #expect(numbers == [1, -1, 2])
        #expect(self.world.recorder.end(of: request.id)?.attempts == 2)
    }

    @Test func `of a cache hit have its age`() async throws {
        let clock = FixtureDate()
        let recorder = self.world.recorder
        let world = FixtureWorld {
            $0.accessories = [recorder]
            $0.environment.date = { clock.now }
        }
        world.transport.route("*", .text("x"))
        let endpoint = FixtureText { $0.options = .caching(.fresh(for: .seconds(3600))) }
        _ = try await world.client.send(endpoint)
        clock.advance(by: 7)
        let request = world.client.request(endpoint)
        _ = try await request.value
        #expect(recorder.names(of: request.id) == ["willStart", "didStart", "cacheHit", "willStop", "didStop"])
        for entry in recorder.entries {
            if case .event(.cacheHit(let age)) = entry.call { #expect(age == .seconds(7)) }
        }
        #expect(recorder.end(of: request.id)?.attempts == 0)
        #expect(recorder.end(of: request.id)?.head?.status == .ok)
    }

    @Test func `of batches, chains and streams are their progress`() async throws {
        self.world.transport.route("*", .text("x"))
        let endpoints = ["1", "2"].map { FixtureText($0) }
        _ = try await self.world.client.batch(of: endpoints).value
        _ = try await self.world.client.chain(endpoints[0]).then { _ in endpoints[1] }.value
        for await _ in self.world.client.outcomes(of: endpoints, width: 1) {}
        let progress = self.world.recorder.entries.compactMap { entry -> String? in
            guard case .event(.progress(let finished, let total)) = entry.call else { return nil }
            return "\(entry.activity.kind) \(finished) of \(total.map { "\($0)" } ?? "?")"
        }
        #expect(
            progress == [
                "batch 1 of 2", "batch 2 of 2", "chain 1 of 2", "chain 2 of 2", "batch 1 of ?", "batch 2 of ?",
            ])
    }

    @Test func `are for all accessories, in order`() async throws {
        let log = FixtureLog()
        let named: @Sendable (String) -> FixtureHooks = { name in
            FixtureHooks(observe: { event, _ in
                if case .attemptStarted = event { log.add(name) }
            })
        }
        let world = FixtureWorld { $0.accessories = [named("one"), named("two")] }
        world.transport.route("*", .text("x"))
        _ = try await world.client.send(FixtureText(), options: .accessories([named("own")]))
        #expect(log.lines == ["one", "two", "own"])
    }

    @Test(arguments: [false, true])
    func `are built only when there is an accessory`(isWatched: Bool) async throws {
        struct Reporting: Transport {
            let log: FixtureLog
            func exchange(
                _ request: HTTPRequest, _ context: ExchangeContext
            ) async throws(ErrandError) -> HTTPResponse {
                context.report(self.makeEvent())
                return HTTPResponse(status: 200)
            }
            func makeEvent() -> ExchangeEvent {
                self.log.add("built")
                return .sent(TransferProgress(bytes: 1, total: nil))
            }
        }
        let log = FixtureLog()
        let world = FixtureWorld(isRecording: isWatched) {
            $0.transport = Reporting(log: log)
            // A deadline that depends on what moves looks at events, too.
            $0.options = $0.options.withoutTimeout()
        }
        _ = try await world.client.send(FixtureText())
        #expect(log.lines.count == (isWatched ? 1 : 0))
        #expect(world.recorder.entries.contains { $0.call.name == "sent" } == isWatched)
    }

    @Test func `of a transport that reports late are harmless`() async throws {
        struct Late: Transport {
            let keep: @Sendable (ExchangeContext) -> Void
            func exchange(
                _ request: HTTPRequest, _ context: ExchangeContext
            ) async throws(ErrandError) -> HTTPResponse {
                self.keep(context)
                return HTTPResponse(status: 200)
            }
        }
        let kept = FixtureContexts()
        let world = FixtureWorld(isRecording: true) { $0.transport = Late { kept.add($0) } }
        _ = try await world.client.send(FixtureText())
        let count = world.recorder.entries.count
        for context in kept.all { context.report(.received(TransferProgress(bytes: 1, total: 1))) }
        #expect(world.recorder.entries.count >= count)
    }
}

/// Contexts that a transport was given.
private final class FixtureContexts: Sendable {
    private let state = Locked<[ExchangeContext]>([])
    var all: [ExchangeContext] { self.state.withLock { $0 } }
    func add(_ context: ExchangeContext) { self.state.withLock { $0.append(context) } }
}
