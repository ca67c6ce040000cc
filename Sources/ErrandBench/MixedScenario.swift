internal import Errand
internal import ErrandTesting
internal import Foundation

/// The latency of small requests while a large body is received, beside their latency alone.
struct MixedScenario: Scenario {
    struct Options: ScenarioOptions {
        var bytes = 1 << 30
        var requests = 20_000
        var width = 32
        var folder: String?
        var rounds = 5

        mutating func take(_ option: String, _ words: inout ArgumentWords) throws(UsageError) {
            switch option {
            case "--bytes": self.bytes = try words.number(of: option)
            case "--requests": self.requests = try words.number(of: option)
            case "--width": self.width = try words.number(of: option)
            case "--folder": self.folder = try words.text(of: option)
            default: throw .unknown(option)
            }
        }
    }

    static let name = "mixed"
    static let help = """
        errand-bench mixed [--bytes N] [--requests N] [--width W] [--folder F]
                           [--rounds N] [--json]

        Measures the latency of concurrent small GETs: alone, while the same transport repeatedly downloads a large body
        to a file, and while the curl program does, which puts the same load on the machine and none on the
        transport.

          --bytes N        size of the body (default 1073741824)
          --requests N     small requests of one measurement (default 20000)
          --width W        small requests in flight (default 32)
          --folder F       parent of the temporary folder for the file; the default is memory
                           if the system has an in-memory file system (/dev/shm), so that no disk is measured
          --rounds N       rounds of each measurement, in turn; the round with the lowest p99 counts (default 5)
          --json           one JSON object per line: {"scenario":…,"metric":…,"value":…,"unit":…}

        Metrics, S being alone, beside (the transport's own download) or beside-curl (the curl program's):
          S/p50        the median latency of the small requests
          S/p99        their 99th percentile
          S/p99/ratio  the same divided by that of alone
          downloads    megabytes per second that the transport received meanwhile

        Both come from an nginx that is started on this machine, which must be installed. Without the curl program
        its metrics are left out.
        """

    let options: Options
    let report: Report

    @concurrent
    func run() async throws {
        try await Interruption.guarding {
            let scene = try await TransferScene(bytes: self.options.bytes, folder: self.options.folder)
            defer { scene.stop() }
            let transport = BenchTransport.make()
            defer { transport.shutdown() }
            let load = try await ClientLoad(scene.smallURL, width: self.options.width, transport: transport)
            try await self.measure(load, Transfer(kind: .downloadFile, scene: scene, transport: transport))
            await load.stop()
        }
    }

    private func measure(_ load: ClientLoad, _ download: Transfer) async throws {
        var (alone, beside, besideCurl, speed) = (Latencies.none, Latencies.none, Latencies.none, 0.0)
        for _ in 0..<self.options.rounds {
            try Task.checkCancellation()
            alone = min(alone, try await load.latencies(of: self.options.requests))
            let (latencies, bytesPerSecond) = try await self.besideDownload(load, download)
            if latencies < beside { (beside, speed) = (latencies, bytesPerSecond) }
            guard TestProgram.curl != nil else { continue }
            besideCurl = min(besideCurl, try await self.beside(load) { try await download.repeatProgram() })
        }
        self.tell(alone, "alone")
        self.tell(beside, "beside", against: alone)
        if besideCurl != .none { self.tell(besideCurl, "beside-curl", against: alone) }
        self.report.tell("downloads", speed / 1e6, "MB/s")
    }

    private func tell(_ latencies: Latencies, _ metric: String, against alone: Latencies? = nil) {
        self.report.tell("\(metric)/p50", latencies.median / .milliseconds(1), "ms")
        self.report.tell("\(metric)/p99", latencies.p99 / .milliseconds(1), "ms")
        if let alone { self.report.tell("\(metric)/p99/ratio", latencies.p99 / alone.p99, "x") }
    }

    private func besideDownload(
        _ load: ClientLoad, _ download: Transfer
    ) async throws -> (latencies: Latencies, bytesPerSecond: Double) {
        let (progress, start) = (DownloadProgress(), ContinuousClock.now)
        let latencies = try await self.beside(load) { try await download.repeatUntilCancelled(counting: progress) }
        return (latencies, Double(progress.bytes) / ((ContinuousClock.now - start) / .seconds(1)))
    }

    /// Sends small requests during other work, which is then cancelled.
    private func beside(
        _ load: ClientLoad, _ other: @escaping @Sendable () async throws -> Void
    ) async throws -> Latencies {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await other() }
            let latencies = try await load.latencies(of: self.options.requests)
            group.cancelAll()
            try await group.waitForAll()
            return latencies
        }
    }
}

/// The latencies of requests.
struct Latencies: Comparable {
    /// The longest possible latencies.
    static let none = Latencies(median: .seconds(Int64.max), p99: .seconds(Int64.max))

    let median: Duration
    let p99: Duration

    init(_ durations: [Duration]) {
        let sorted = durations.sorted()
        self.init(median: sorted[sorted.count / 2], p99: sorted[sorted.count * 99 / 100])
    }

    private init(median: Duration, p99: Duration) {
        (self.median, self.p99) = (median, p99)
    }

    static func < (one: Latencies, other: Latencies) -> Bool { one.p99 < other.p99 }
}
