internal import Errand
internal import ErrandMetrics
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Metrics: what is counted", .timeLimit(.minutes(60)), .paced)
struct MetricsAccessoryTests {
    private let labels: [MetricLabel: String] = [
        .endpoint: "TextCall", .address: "api.test", .port: "443", .method: "GET", .status: "200", .statusClass: "2xx",
        .source: "network",
    ]

    @Test func `a request that goes through is counted with all it is told apart by`() async throws {
        let world = try MetricsWorld()
        world.transport.route("*", .text("four").delayed(by: .milliseconds(250), on: world.clock))
        let task = Task { try await world.client.send(TextCall()) }
        // The reply, and the deadline of the attempt.
        await world.clock.waitForSleeper(count: 2)
        #expect(await world.metrics.snapshot().activeRequests == 1)
        world.clock.advanceToNextSleeper()
        _ = try await task.value
        // `send` returned: all is counted (G3).
        let snapshot = await world.metrics.snapshot()
        let series = try #require(snapshot.family(.requestDuration)?.series)
        #expect(series.map(\.labels) == [self.labels])
        let duration = try #require(snapshot.histogram(.requestDuration, where: self.labels))
        #expect(duration.count == 1)
        #expect(duration.sum == 0.25)
        // A value that equals a bound is in its bucket.
        #expect(duration.counts[duration.bounds.firstIndex(of: 0.25) ?? 0] == 1)
        #expect(snapshot.histogram(.firstByteDuration)?.sum == 0.25)
        #expect(snapshot.histogram(.queueDuration)?.sum == 0)
        #expect(snapshot.counter(.attempts, where: self.labels) == 1)
        #expect(snapshot.histogram(.responseBodySize, where: self.labels)?.sum == 4)
        #expect(snapshot.counter(.receivedBytes, where: [.address: "api.test"]) == 4)
        #expect(snapshot.histogram(.requestBodySize) == nil)
        #expect(snapshot.successRate == 1)
        await world.expectAtRest()
    }

    @Test func `one that shares a refusal has it from the network`() async throws {
        let world = try MetricsWorld({ _ in }, { $0.options = $0.options.coalescing(true) })
        let gate = StubGate()
        world.transport.route("/gone", .text("gone", status: 410).held(by: gate))
        let requests = (0..<3).map { _ in world.client.request(TextCall("gone")) }
        for request in requests { await request.start() }
        await gate.waitUntilReached()
        while await world.metrics.snapshot().counter(.coalescedRequests) != 2 { await Task.yield() }
        gate.open()
        for request in requests { _ = try? await request.value }
        let snapshot = await world.metrics.snapshot()
        #expect(snapshot.histogram(.requestDuration, where: [.source: "network", .status: "410"])?.count == 3)
        #expect(snapshot.histogram(.requestDuration, where: [.source: "cache"]) == nil)
    }

    @Test func `a failure has its status, its code and a source`() async throws {
        let world = try MetricsWorld()
        world.transport.route("/gone", .text("gone", status: 410))
        world.transport.route("/odd", .status(HTTPStatus(rawValue: 799)))
        world.transport.route("/lost", .failure(.connectionLost))
        for path in ["gone", "odd", "lost"] { _ = try? await world.client.send(TextCall(path)) }
        let snapshot = await world.metrics.snapshot()
        func count(_ labels: [MetricLabel: String]) -> UInt64? {
            snapshot.histogram(.requestDuration, where: labels)?.count
        }
        #expect(count([.status: "410", .statusClass: "4xx", .source: "network", .error: "unacceptableStatus"]) == 1)
        #expect(count([.status: "799", .statusClass: "other", .error: "unacceptableStatus"]) == 1)
        #expect(count([.source: "none", .error: "connectionLost"]) == 1)
        #expect(snapshot.counter(.failedAttempts, where: [.error: "connectionLost"]) == 1)
        #expect(snapshot.successRate == 0)
        #expect(snapshot.failedRequests == 3)
        await world.expectAtRest()
    }

    @Test func `a body that is sent is measured, also by a transport that tells nothing of it`() async throws {
        let world = try MetricsWorld()
        world.transport.route("*", .text(""))
        let call = TextCall {
            $0.method = .post
            $0.body = .bytes(Data(count: 2000))
        }
        _ = try await world.client.send(call)
        let size = try #require(await world.metrics.snapshot().histogram(.requestBodySize, where: [.method: "POST"]))
        #expect(size.sum == 2000)
        #expect(size.counts[1] == 1)
    }

    @Test func `waiting for a slot is a gauge first and a duration then`() async throws {
        let world = try MetricsWorld()
        world.transport.route("*", .text("x"))
        await world.client.scheduler.pause()
        let task = Task { try await world.client.send(TextCall()) }
        await world.waitUntilQueued(1)
        while await world.metrics.snapshot().waitingRequests == 0 { await Task.yield() }
        #expect(await world.metrics.snapshot().activeRequests == 1)
        world.clock.advance(by: .seconds(2))
        await world.client.scheduler.resume()
        _ = try await task.value
        let snapshot = await world.metrics.snapshot()
        #expect(snapshot.histogram(.queueDuration)?.sum == 2)
        #expect(snapshot.waitingRequests == 0)
        await world.expectAtRest()
    }

    @Test func `a request that is cancelled while it waits leaves the gauges`() async throws {
        let world = try MetricsWorld()
        await world.client.scheduler.pause()
        let task = Task { try await world.client.send(TextCall()) }
        while await world.metrics.snapshot().waitingRequests == 0 { await Task.yield() }
        task.cancel()
        _ = await task.result
        let snapshot = await world.metrics.snapshot()
        #expect(snapshot.histogram(.requestDuration, where: [.error: "cancelled", .source: "none"])?.count == 1)
        #expect(snapshot.cancelledRequests == 1)
        #expect(snapshot.histogram(.queueDuration)?.count == 1)
        #expect(snapshot.successRate == nil)
        #expect(snapshot.counter(.attempts) == 0)
        await world.expectAtRest()
    }

    @Test func `hits, misses and what they cost are told apart from the network`() async throws {
        let world = try MetricsWorld()
        world.transport.route("*", .text("x"))
        let call = TextCall { $0.options = .caching(.fresh(for: .seconds(60))) }
        for _ in 0..<3 { _ = try await world.client.send(call) }
        let snapshot = await world.metrics.snapshot()
        #expect(snapshot.counter(.cacheMisses, where: [.cacheMiss: "no_entry"]) == 1)
        #expect(snapshot.counter(.cacheHits, where: [.endpoint: "TextCall"]) == 2)
        #expect(snapshot.cacheHitRate == 2.0 / 3)
        #expect(snapshot.histogram(.requestDuration, where: [.source: "cache", .statusClass: "2xx"])?.count == 2)
        #expect(snapshot.histogram(.responseBodySize)?.count == 1)
        #expect(snapshot.histogram(.queueDuration)?.count == 1)
        await world.expectAtRest()
    }

    @Test func `each attempt counts, and those that failed by their errors`() async throws {
        let world = try MetricsWorld()
        world.transport.route("*", .failure(.connectionLost), .text("four"))
        _ = try await world.client.send(TextCall { $0.options = .interceptors([OnceMore()]) })
        let snapshot = await world.metrics.snapshot()
        #expect(snapshot.counter(.attempts) == 2)
        #expect(snapshot.counter(.failedAttempts, where: [.error: "connectionLost"]) == 1)
        #expect(snapshot.histogram(.firstByteDuration)?.count == 1)
        #expect(snapshot.successRate == 1)
        await world.expectAtRest()
    }

    @Test func `batches and chains are counted beside their requests`() async throws {
        let world = try MetricsWorld()
        let gate = StubGate()
        world.transport.route("/bad", .status(500))
        world.transport.route("/held", StubReply.text("x").held(by: gate))
        world.transport.route("*", .text("x"))
        let client = world.client
        _ = try await client.batch(of: [TextCall("1"), TextCall("2")]).value
        _ = try? await client.batch(of: [TextCall("bad")]).value
        _ = try await client.chain(TextCall("1")).then { _ in TextCall("2") }.value
        async let held = client.batch(of: [TextCall("held")]).value
        await gate.waitUntilReached()
        #expect(await world.metrics.snapshot().activeBatches == 1)
        #expect(await world.metrics.snapshot().activeChains == 0)
        gate.open()
        _ = try await held
        let snapshot = await world.metrics.snapshot()
        #expect(snapshot.histogram(.batchDuration)?.count == 3)
        #expect(snapshot.histogram(.batchDuration, where: [.error: "unacceptableStatus"])?.count == 1)
        #expect(snapshot.histogram(.chainDuration)?.count == 1)
        #expect(snapshot.finishedRequests == 6)
        await world.expectAtRest()
    }

    @Test func `a method that anyone could make up has no label of its own`() async throws {
        let world = try MetricsWorld()
        world.transport.route("*", .text("x"))
        for method in ["PROPFIND", "MADEUP"] {
            _ = try await world.client.send(TextCall { $0.method = HTTPMethod(rawValue: method) })
        }
        let snapshot = await world.metrics.snapshot()
        #expect(snapshot.histogram(.requestDuration, where: [.method: "_OTHER"])?.count == 2)
        #expect(snapshot.family(.requestDuration)?.series.count == 1)
    }

    @Test func `a QUERY has a label of its own (RFC 10008)`() async throws {
        let world = try MetricsWorld()
        world.transport.route("*", .text("x"))
        _ = try await world.client.send(TextCall { $0.method = .query })
        let snapshot = await world.metrics.snapshot()
        #expect(snapshot.histogram(.requestDuration, where: [.method: "QUERY"])?.count == 1)
    }

    @Test func `an accessory that was given twice counts once`() async throws {
        let world = try MetricsWorld()
        world.transport.route("*", .failure(.connectionLost), .text("x"))
        let call = TextCall {
            $0.options = $0.options.caching(.fresh(for: .seconds(60))).interceptors([OnceMore()])
        }
        for _ in 0..<2 { _ = try await world.client.send(call, options: .accessories([world.metrics])) }
        let snapshot = await world.metrics.snapshot()
        #expect(snapshot.histogram(.requestDuration)?.count == 2)
        #expect(snapshot.counter(.attempts) == 2)
        #expect(snapshot.counter(.failedAttempts) == 1)
        #expect(snapshot.counter(.receivedBytes) == 1)
        #expect(snapshot.counter(.cacheHits) == 1)
        #expect(snapshot.counter(.cacheMisses) == 1)
        #expect(snapshot.histogram(.firstByteDuration)?.count == 1)
        await world.expectAtRest()
    }

    @Test func `one accessory counts for several clients`() async throws {
        let metrics = MetricsAccessory()
        for _ in 0..<2 {
            let transport = StubTransport()
            transport.route("*", .text("x"))
            let client = Client(baseURL: "http://one.test/") {
                $0.transport = transport
                $0.accessories = [metrics]
            }
            _ = try await client.send(TextCall())
        }
        #expect(await metrics.snapshot().finishedRequests == 2)
    }

    @Test func `what a real transport measures is taken over`() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        server.route("*", "/*") { _ in .text(String(repeating: "x", count: 300_000)) }
        let metrics = MetricsAccessory()
        let client = Client(baseURL: server.baseURL) {
            $0.options = $0.options.timeouts(Timeouts(attempt: .seconds(3_600)))
            $0.accessories = [metrics]
        }
        let call = TextCall {
            $0.method = .put
            $0.body = .bytes(Data(count: 200_000))
        }
        for _ in 0..<3 { _ = try await client.send(call) }
        await client.shutdown()
        let snapshot = await metrics.snapshot()
        #expect(snapshot.counter(.sentBytes) == 600_000)
        #expect(snapshot.counter(.receivedBytes) == 900_000)
        #expect(snapshot.histogram(.requestBodySize)?.sum == 600_000)
        #expect(snapshot.histogram(.responseBodySize)?.sum == 900_000)
        let (first, whole) = (snapshot.histogram(.firstByteDuration), snapshot.requestDuration)
        #expect(first?.count == 3)
        #expect(first?.sum ?? 0 > 0)
        #expect(first?.sum ?? 0 < whole?.sum ?? 0)
        #expect(
            snapshot.histogram(.requestDuration, where: [.address: "127.0.0.1", .port: "\(server.port)"])?.count == 3)
        #expect(snapshot.isAtRest)
    }
}
