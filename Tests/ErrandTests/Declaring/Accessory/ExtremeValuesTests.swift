internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

/// Whatever number is given to a part of the library, the process goes on.
@Suite("Extreme numbers as values", .timeLimit(.minutes(60)), .paced)
struct ExtremeValuesTests {
    private static let durations: [Duration] = [
        .seconds(1.7e20), .seconds(Int64.max), .nanoseconds(1), .zero, .seconds(Int64.min), .seconds(-1.7e20),
    ]

    @Test(arguments: Self.durations)
    func `an indicator may wait for any time`(delay: Duration) async throws {
        let indicator = NetworkActivity(activationDelay: delay, completionDelay: delay)
        let world = FixtureWorld { $0.accessories = [indicator] }
        world.transport.route("*", .text("x"))
        #expect(try await world.client.send(FixtureText()) == "x")
        await fixtureUntil { indicator.count == 0 }
    }

    @Test(arguments: Self.durations)
    func `a stored answer may have any age, and be removed by any`(age: Duration) async throws {
        let world = FixtureWorld { $0.cache = MemoryCache(capacity: .max) }
        world.transport.route("*", .text("x"))
        let endpoint = FixtureText { $0.options = .caching(.fresh(for: age, version: .max)) }
        for _ in 0..<2 { #expect(try await world.client.send(endpoint) == "x") }
        await fixtureUntil { await world.client.record.count == 0 }
        _ = try await world.client.cache.remove(olderThan: age)
        #expect(!CacheMiss.expired(age: age).description.isEmpty)
    }

    @Test(arguments: [Int.max, 1 << 40, 1, 0, -1, .min])
    func `a cache may have any capacity`(capacity: Int) async throws {
        let folder = try TestFolder()
        for age in Self.durations {
            let disk = DiskCache(folder: folder.file("cache"), capacity: capacity, maximumAge: age)
            let cache = TieredCache(front: MemoryCache(capacity: capacity), back: disk)
            let world = FixtureWorld { $0.cache = cache }
            world.transport.route("*", .text("x"))
            let endpoint = FixtureText { $0.options = .caching(.fresh(for: .seconds(60))) }
            for _ in 0..<2 { #expect(try await world.client.send(endpoint) == "x") }
            await fixtureUntil { await world.client.record.count == 0 }
            _ = await disk.usage
        }
    }

    @Test(arguments: [Int64.max, .max - 1, 1, 0, -1, .min])
    func `a body may be said to have any length`(length: Int64) async throws {
        let world = FixtureWorld { $0.accessories = [ProgressAccessory()] }
        world.transport.route("*", .text("x"))
        for body in [
            RequestBody.stream(BodyStream { { nil } }, length: length),
            RequestBody.stream(BodyStream { { nil } }, length: length).throttled(bytesPerSecond: .max),
            RequestBody.stream(BodyStream { { nil } }, length: length).gzipped(level: 9),
        ] {
            let endpoint = FixtureText {
                $0.method = .post
                $0.body = body
            }
            _ = try? await world.client.send(endpoint)
        }
        await world.expectAtRest()
    }

    @Test(arguments: [Int.max, .max - 1, 64, 1, 0, -1, .min])
    func `streams, batches and levels may have any width`(width: Int) async throws {
        let world = FixtureWorld()
        world.transport.route("*", .text("x"))
        let read = try await world.client.stream(FixtureText(), buffer: width) { response in
            try await response.body.reduce(into: Data()) { $0 += $1 }
        }
        #expect(read == Data("x".utf8))
        var count = 0
        for await outcome in world.client.outcomes(of: (0..<5).map { FixtureText("\($0)") }, width: width) {
            #expect(outcome.result.fixtureSuccess == "x")
            count += 1
        }
        #expect(count == 5)
        let endpoint = FixtureText {
            $0.method = .post
            $0.body = .text("x").gzipped(level: width).throttled(bytesPerSecond: width)
            $0.options = $0.options.redirects(.follow(limit: width))
        }
        _ = try? await world.client.send(endpoint)
        await world.expectAtRest()
    }

    @Test(arguments: [Int.max, .max / 2 + 1, 1, 0, -1, .min])
    func `a gate lets any number pass`(count: Int) async throws {
        let (gate, world) = (StubGate(), FixtureWorld())
        world.transport.route("*", StubReply.text("x").held(by: gate))
        gate.release(count)
        gate.release(count)
        if count > 0 { #expect(try await world.client.send(FixtureText()) == "x") }
        await gate.waitUntilReached(min(count, 1))
    }

    @Test(arguments: Self.durations)
    func `a reply may be late by any time`(delay: Duration) async throws {
        let clock = ContinuousClock()
        let world = FixtureWorld()
        world.transport.route("*", .text("x").delayed(by: delay, on: clock))
        let request = world.client.request(FixtureText())
        await request.start()
        await fixtureUntil { world.transport.receivedCount == 1 }
        request.cancel()
        _ = try? await request.value
        await fixtureUntil { await world.client.record.count == 0 }
    }
}
