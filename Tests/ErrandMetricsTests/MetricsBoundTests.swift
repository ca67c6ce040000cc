internal import Errand
internal import ErrandMetrics
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Metrics: bounds", .timeLimit(.minutes(60)), .paced)
struct MetricsBoundTests {
    @Test func `very many hosts stay inside of the limit, and none is lost`() async throws {
        let (world, count) = (try MetricsWorld { $0.labelSetLimit = 100 }, TestEffort.rounds(of: 10_000))
        world.transport.route(where: { _ in true }, .text("x"))
        for await _ in world.client.outcomes(
            of: 0..<count, width: 64, making: { TextCall("http://host\($0).test/") })
        {}
        let snapshot = await world.metrics.snapshot()
        #expect(snapshot.mostLabelSets == 100)
        #expect(snapshot.requestDuration?.count == UInt64(count))
        #expect(snapshot.histogram(.requestDuration, where: [.overflow: "true"])?.count == UInt64(count) - 99)
        #expect(snapshot.histogram(.requestDuration, where: [.address: "host0.test"])?.count == 1)
        #expect(snapshot.counter(.receivedBytes) == Double(count))
        #expect(snapshot.successRate == 1)
        #expect(snapshot.text().utf8.count < 2_000_000)
        await world.expectAtRest()
        // A host that has its place keeps it.
        _ = try await world.client.send(TextCall("http://host0.test/"))
        #expect(await world.metrics.snapshot().histogram(.requestDuration, where: [.address: "host0.test"])?.count == 2)
    }

    @Test func `a limit of one has a place for everything together`() async throws {
        let world = try MetricsWorld { $0.labelSetLimit = 1 }
        world.transport.route("/bad", .status(500))
        world.transport.route("*", .text("x"))
        for path in ["1", "bad"] { _ = try? await world.client.batch(of: [TextCall(path)]).value }
        let snapshot = await world.metrics.snapshot()
        #expect(snapshot.mostLabelSets == 1)
        #expect(snapshot.histogram(.requestDuration, where: [.overflow: "true"])?.count == 2)
        #expect(snapshot.histogram(.batchDuration, where: [.overflow: "true"])?.count == 2)
        #expect(snapshot.histogram(.chainDuration) == nil)
        #expect(snapshot.successRate == 0.5)
    }

    @Test func `what is not told apart takes no place`() async throws {
        let world = try MetricsWorld {
            $0.labelSetLimit = 4
            $0.labels = [.endpoint, .statusClass]
        }
        world.transport.route("/bad", .status(404))
        world.transport.route("/worse", .status(410))
        world.transport.route(where: { _ in true }, .text("x"))
        for port in 1000..<1100 { _ = try await world.client.send(TextCall("http://a.test:\(port)/")) }
        for path in ["bad", "worse"] { _ = try? await world.client.send(TextCall(path)) }
        let snapshot = await world.metrics.snapshot()
        #expect(
            Set(snapshot.family(.requestDuration)?.series.map(\.labels) ?? []) == [
                [.endpoint: "TextCall", .statusClass: "2xx"], [.endpoint: "TextCall", .statusClass: "4xx"],
            ])
        #expect(snapshot.histogram(.requestDuration, where: [.statusClass: "4xx"])?.count == 2)
    }

    @Test func `hosts without their ports are one, however many ports there are`() async throws {
        let world = try MetricsWorld {
            $0.labelSetLimit = 3
            $0.labels = [.address]
        }
        world.transport.route(where: { _ in true }, .text("x"))
        for port in 1000..<1100 { _ = try await world.client.send(TextCall("http://[::1]:\(port)/")) }
        let snapshot = await world.metrics.snapshot()
        #expect(snapshot.histogram(.requestDuration, where: [.address: "::1"])?.count == 100)
    }

    @Test func `endpoints of one name are one series`() async throws {
        enum Other {
            struct TextCall: Endpoint {
                typealias Response = String
                var path: EndpointPath { "a" }
            }
        }
        let world = try MetricsWorld()
        world.transport.route("*", .text("x"))
        _ = try await world.client.send(TextCall())
        _ = try await world.client.send(Other.TextCall())
        let snapshot = await world.metrics.snapshot()
        #expect(snapshot.family(.requestDuration)?.series.count == 1)
        #expect(snapshot.histogram(.requestDuration)?.count == 2)
    }

    private static let refusals: [(String, @Sendable (inout MetricsOptions) -> Void)] = [
        ("labelSetLimit is 0", { $0.labelSetLimit = 0 }),
        ("labelSetLimit is 100001", { $0.labelSetLimit = 100_001 }),
        ("durationBounds has 0 bounds", { $0.durationBounds = [] }),
        ("durationBounds does not ascend at 1.0", { $0.durationBounds = [1, 1] }),
        ("durationBounds has inf", { $0.durationBounds = [1, .infinity] }),
        ("durationBounds has nan", { $0.durationBounds = [.nan] }),
        ("sizeBounds has -1.0", { $0.sizeBounds = [-1, 1] }),
        ("sizeBounds has 1001 bounds", { $0.sizeBounds = (0...1000).map(Double.init) }),
        ("labels has \"le\"", { $0.labels = ["le", .endpoint] }),
        ("constantLabels has \"\"", { $0.constantLabels = ["": "x"] }),
        ("constantLabels has \"__name__\"", { $0.constantLabels = ["__name__": "x"] }),
        ("constantLabels has \"le\"", { $0.constantLabels = ["le": "x"] }),
        (
            "constantLabels has \"error-type\", which is written as error_type",
            { $0.constantLabels = ["error-type": "x"] }
        ),
        ("constantLabels has \"a_b\", which is written as a_b", { $0.constantLabels = ["a.b": "x", "a_b": "y"] }),
    ]

    @Test(arguments: Self.refusals.indices)
    func `options that make no sense are refused in words`(index: Int) throws {
        let (words, change) = Self.refusals[index]
        var options = MetricsOptions()
        change(&options)
        let error = #expect(throws: ErrandError.self) { try MetricsAccessory(options) }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.hasPrefix("metrics: \(words)") == true, "\(error?.message ?? "")")
    }

    #if os(Linux)
        @Test func `any number of events leaves memory flat`() async throws {
            let metrics = MetricsAccessory()
            let feed = try HookFeed(metrics)
            await feed.run(TestEffort.rounds(of: 5_000))
            // Tests that run beside it need memory too, so it has several goes; what it would keep itself, it would
            // always.
            var growth = Int.max
            for _ in 0..<10 where growth >= 2048 {
                let (memory, events) = (HookFeed.residentKiB, feed.events)
                await feed.run(TestEffort.rounds(of: 125_000))
                #expect(feed.events - events >= 8 * TestEffort.rounds(of: 125_000))
                growth = HookFeed.residentKiB - memory
            }
            #expect(growth < 2048, "\(growth) KiB")
            #expect(metrics.notedCount == 0)
            #expect(await metrics.snapshot().finishedRequests == feed.events / 8)
        }
    #endif
}
