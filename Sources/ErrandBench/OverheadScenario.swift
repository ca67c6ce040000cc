internal import Errand
internal import ErrandLogging
internal import ErrandMetrics
internal import ErrandTesting
internal import Foundation

/// The cost of the whole pipeline over a transport with negligible cost.
struct OverheadScenario: Scenario {
    struct Options: ScenarioOptions {
        var requests = 200_000
        var waiting = 100_000
        var rounds = 7
        var widths = [1, 64, 1024]
        var timeOnly = false
        var pipelines: [String] = []

        mutating func take(_ option: String, _ words: inout ArgumentWords) throws(UsageError) {
            switch option {
            case "--time-only": self.timeOnly = true
            case "--only": self.pipelines.append(try words.text(of: option))
            case "--widths": self.widths = try words.numbers(of: option)
            case "--requests": self.requests = try words.number(of: option)
            case "--waiting": self.waiting = try words.number(of: option)
            default: throw .unknown(option)
            }
        }
    }

    static let name = "overhead"
    static let help = """
        errand-bench overhead [--widths W,…] [--requests N] [--waiting N] [--rounds N] [--only PIPELINE]… [--time-only]
                              [--json]

        Measures the whole pipeline over an in-memory transport, beside a bare task group doing the same calls.

          --widths W,…   requests in flight, for each a measurement (default 1,64,1024)
          --requests N   requests of one measurement (default 200000)
          --waiting N    requests that wait at once, for the memory of one (default 100000)
          --rounds N     rounds of each measurement; the fastest counts, or the median for ratios (default 7)
          --only P       measures this pipeline only, as the metrics name it: accessories-0, accessories-1, logging, …
          --time-only    leaves out the memory measurements
          --json         one JSON object per line: {"scenario":…,"metric":…,"value":…,"unit":…}

        Metrics, W being the width:
          width-W/floor                  a task group calling the transport, per call
          width-W/accessories-0          the pipeline without an accessory, per request
          width-W/accessories-1          the pipeline with one accessory, per request
          width-W/accessories-N/ratio    the pipeline divided by the floor
          width-W/accessory-cost         the addition of one accessory, in percent
          width-W/logging                the pipeline with logging, its lines discarded, per request
          width-W/metrics                the pipeline with metrics, per request
          width-W/logging-and-metrics    the pipeline with both, per request
          width-W/policies               the pipeline with retries, a circuit breaker and a rate limit, without failures
          width-W/…-cost                 their addition, in percent
          width-W/stream                 a request of a streamed batch without an accessory
          stream/resident-10k            resident memory after a streamed batch of 10000
          stream/resident-1m             resident memory after a streamed batch of 1000000
          waiting/bytes                  resident memory of one request that waits for a slot

        The transport responds after one yield, as every transport does that waits for a network.
        """

    let options: Options
    let report: Report

    @concurrent
    func run() async {
        for width in self.options.widths { await self.measure(width: width) }
        guard !self.options.timeOnly else { return }
        await self.measureStream()
        await self.measureWaiting()
    }

    // MARK: - Time

    private func measure(width: Int) async {
        let transport = MemoryTransport()
        let wanted = self.options.pipelines
        let pipelines = Self.pipelines(transport).filter { wanted.isEmpty || wanted.contains($0.name) }
        var floor = Rounds()
        var times = pipelines.map { _ in Rounds() }
        // In turn, so that a machine that slows down slows all of them.
        for _ in 0..<self.options.rounds {
            floor.add(await self.nanoseconds(width) { await transport.callDirectly() })
            for (index, pipeline) in pipelines.enumerated() {
                let client = pipeline.client
                times[index].add(await self.nanoseconds(width) { await client.sendItem() })
            }
        }
        self.report.tell("width-\(width)/floor", floor.best, "ns")
        for (pipeline, time) in zip(pipelines, times) {
            self.report.tell("width-\(width)/\(pipeline.name)", time.best, "ns")
            if pipeline.name.hasPrefix("accessories") {
                self.report.tell("width-\(width)/\(pipeline.name)/ratio", time.ratio(to: floor), "x")
            }
            guard let cost = pipeline.cost, pipelines.first?.cost == nil, let bare = times.first else { continue }
            self.report.tell("width-\(width)/\(cost)", (time.ratio(to: bare) - 1) * 100, "%")
        }
        guard let bare = pipelines.first(where: { $0.cost == nil }) else { return }
        var stream = Double.infinity
        for _ in 0..<self.options.rounds { stream = min(stream, await self.streamNanoseconds(width, bare.client)) }
        self.report.tell("width-\(width)/stream", stream, "ns")
    }

    private func streamNanoseconds(_ width: Int, _ client: Client) async -> Double {
        let count = self.options.requests
        let duration = await ContinuousClock().measure { await Self.readStream(client, count, width: width) }
        return duration / .nanoseconds(1) / Double(count)
    }

    private static func readStream(_ client: Client, _ count: Int, width: Int) async {
        var good = 0
        for await outcome in client.outcomes(of: 0..<count, width: width, making: { _ in GetItem() }) {
            if case .success = outcome.response { good += 1 }
        }
        guard good == count else { fatal("wrong outcomes") }
    }

    /// The pipelines to measure; the first is the baseline of the others.
    private static func pipelines(_ transport: any Transport) -> [(name: String, cost: String?, client: Client)] {
        func logging() -> any Accessory { LoggingAccessory(to: DiscardingSink()) }
        return [
            ("accessories-0", nil, self.client(transport, accessories: [])),
            ("accessories-1", "accessory-cost", self.client(transport, accessories: [CountingAccessory()])),
            ("logging", "logging-cost", self.client(transport, accessories: [logging()])),
            ("metrics", "metrics-cost", self.client(transport, accessories: [MetricsAccessory()])),
            (
                "logging-and-metrics", "logging-and-metrics-cost",
                self.client(transport, accessories: [logging(), MetricsAccessory()])
            ),
            (
                "policies", "policies-cost",
                self.client(transport, accessories: []) {
                    $0.options = .retries(.standard).circuitBreaker(.standard)
                    $0.limits.rates.perHost = RateLimit(1 << 40, burst: 1 << 20)
                }
            ),
        ]
    }

    private func nanoseconds(_ width: Int, _ call: @escaping @Sendable () async -> Void) async -> Double {
        let count = self.options.requests
        let duration = await ContinuousClock().measure {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<min(width, count) { group.addTask { await call() } }
                for _ in min(width, count)..<max(width, count) {
                    await group.next()
                    group.addTask { await call() }
                }
            }
        }
        return duration / .nanoseconds(1) / Double(count)
    }

    private static func client(
        _ transport: any Transport, accessories: [any Accessory],
        _ configure: (inout Client.Configuration) -> Void = { _ in }
    ) -> Client {
        Client(baseURL: "http://bench.invalid/v1/") {
            $0.transport = transport
            $0.accessories = accessories
            $0.limits.concurrency = RequestScheduler.Limits(total: 1024, perHost: 1024)
            configure(&$0)
        }
    }

    // MARK: - Memory

    private func measureStream() async {
        let client = Self.client(MemoryTransport(), accessories: [])
        for (count, name) in [(10_000, "10k"), (1_000_000, "1m")] {
            await Self.readStream(client, count, width: 64)
            if let bytes = ProcessUsage.residentBytes() {
                self.report.tell("stream/resident-\(name)", Double(bytes) / 1024, "KiB")
            }
        }
    }

    private func measureWaiting() async {
        let count = self.options.waiting
        let client = Client(baseURL: "http://bench.invalid/v1/") { $0.transport = MemoryTransport() }
        await client.scheduler.pause()
        guard let before = ProcessUsage.residentBytes() else { return }
        let batch = client.batch(of: repeatElement(GetItem(), count: count), failure: .collectAll)
        try? await batch.start()
        while await client.scheduler.waitingCount < count { await Task.yield() }
        guard let after = ProcessUsage.residentBytes() else { return }
        self.report.tell("waiting/bytes", Double(after - before) / Double(count), "B")
        await client.cancelAll()
        for await left in await client.record.counts where left == 0 { break }
    }
}

/// A sink that discards its lines.
private struct DiscardingSink: LogSink {
    func write(_ batch: LogBatch) {
        if batch.bytes.isEmpty { fatal("an empty batch") }
    }
}
