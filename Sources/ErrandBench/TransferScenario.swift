internal import Errand
internal import ErrandTesting
internal import Foundation

/// The throughput and memory usage of large bodies, beside the curl program.
struct TransferScenario: Scenario {
    struct Options: ScenarioOptions {
        var bytes = 1 << 30
        var folder: String?
        var rounds = 3

        mutating func take(_ option: String, _ words: inout ArgumentWords) throws(UsageError) {
            switch option {
            case "--bytes": self.bytes = try words.number(of: option)
            case "--folder": self.folder = try words.text(of: option)
            default: throw .unknown(option)
            }
        }
    }

    static let name = "transfer"
    static let help = """
        errand-bench transfer [--bytes N] [--folder F] [--rounds N] [--json]

        Measures one large body at a time, in both directions, beside the curl program doing the same in turn.

          --bytes N        size of the body (default 1073741824)
          --folder F       parent of the temporary folder for files that are received or sent; the default
                           is memory if the system has an in-memory file system (/dev/shm), so that no disk is measured
          --rounds N       rounds of each measurement after a warm-up; the fastest counts (default 3)
          --json           one JSON object per line: {"scenario":…,"metric":…,"value":…,"unit":…}

        Metrics, K being download-file, download-stream, upload-file or upload-stream:
          K/errand           megabytes per second
          K/errand/memory    the peak of resident memory above that before, over all rounds
          K/curl             megabytes per second of the curl program, by its own clock
          K/ratio            Errand divided by the curl program
          resumable/client   megabytes per second of a download into a file by a whole client that resumes when
                             it is interrupted
          resumable/ratio    the same divided by that of a download that does not resume
          segments/one       megabytes per second of a file of 64 MiB over one slow connection
          segments/four      the same in four segments
          segments/ratio     four segments divided by one connection

        Downloads come from an nginx that is started on this machine (it must be installed), from a sparse file. Uploads
        go to a thread of this program that reads a body with its length and lets the system drop it: nginx takes longer
        to process bodies than to receive them. A stream is read or produced in chunks by a task; curl then writes to
        /dev/null, or sends the file. Without the curl program its metrics are left out. Slow connections are those of a
        server in this program that sends 64 KiB every 8 milliseconds over each.
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
            for kind in Transfer.Kind.allCases {
                try await self.measure(Transfer(kind: kind, scene: scene, transport: transport))
            }
            let client = Client {
                $0.transport = transport
                $0.options = .withoutTimeout()
            }
            try await self.measureResumption(scene, client)
            try await self.measureSegments(scene, client)
            await client.shutdown()
        }
    }

    private func measure(_ transfer: Transfer) async throws {
        var fastest = Duration.seconds(Int64.max)
        var program: Duration?
        var memory: Int?
        // Warm-up: the first transfer pays for loading the server's file into memory, and for allocating memory for
        // one.
        _ = try await transfer.run()
        // In turn, so that a machine that slows down slows both.
        for _ in 0..<self.options.rounds {
            try Task.checkCancellation()
            let result = try await transfer.run()
            fastest = min(fastest, result.time)
            memory = [memory, result.memory].compactMap(\.self).max()
            program = [program, try await transfer.runProgram()].compactMap(\.self).min()
        }
        let metric = transfer.kind.rawValue
        self.report.tell("\(metric)/errand", self.speed(fastest), "MB/s")
        if let memory { self.report.tell("\(metric)/errand/memory", Double(memory) / 1_048_576, "MiB") }
        guard let program else { return }
        self.report.tell("\(metric)/curl", self.speed(program), "MB/s")
        self.report.tell("\(metric)/ratio", program / fastest, "x")
    }

    private func measureResumption(_ scene: TransferScene, _ client: Client) async throws {
        let download = ClientDownload(
            url: scene.downloadURL, bytes: scene.bytes, target: scene.target, client: client)
        let times = try await download.fastest(of: [.never, .automatic], rounds: self.options.rounds)
        self.report.tell("resumable/client", self.speed(times[1]), "MB/s")
        self.report.tell("resumable/ratio", times[0] / times[1], "x")
    }

    private func measureSegments(_ scene: TransferScene, _ client: Client) async throws {
        let bytes = 64 << 20
        let server = try PacedServer(bytes: bytes)
        defer { server.stop() }
        let download = ClientDownload(url: server.url, bytes: bytes, target: scene.target, client: client)
        let times = try await download.fastest(
            of: [.automatic, .automatic(segments: 4)], rounds: self.options.rounds)
        self.report.tell("segments/one", self.speed(times[0], of: bytes), "MB/s")
        self.report.tell("segments/four", self.speed(times[1], of: bytes), "MB/s")
        self.report.tell("segments/ratio", times[0] / times[1], "x")
    }

    private func speed(_ time: Duration, of bytes: Int? = nil) -> Double {
        Double(bytes ?? self.options.bytes) / 1e6 / (time / .seconds(1))
    }
}
