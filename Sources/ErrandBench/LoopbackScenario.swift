internal import Errand
internal import ErrandTesting
internal import Foundation

/// The number of small requests per second through the whole pipeline over a network, beside that of libcurl alone.
struct LoopbackScenario: Scenario {
    struct Options: ScenarioOptions {
        var url: String?
        var requests = 50_000
        var widths = [8, 32, 128]
        var hasFloor = false
        var rounds = 5

        mutating func take(_ option: String, _ words: inout ArgumentWords) throws(UsageError) {
            switch option {
            case "--floor": self.hasFloor = true
            case "--url": self.url = try words.text(of: option)
            case "--width": self.widths = [try words.number(of: option)]
            case "--widths": self.widths = try words.numbers(of: option)
            case "--requests": self.requests = try words.number(of: option)
            default: throw .unknown(option)
            }
        }
    }

    static let name = "loopback"
    static let help = """
        errand-bench loopback [--url U] [--requests N] [--width W | --widths W,…]
                              [--floor] [--rounds N] [--json]

        Measures small GETs through a whole client, with the given width of requests in flight.

          --url U          the target; the default is 1 KiB from an nginx that is started on this machine, or,
                           without nginx, from the test server in this process
          --requests N     requests of one measurement (default 50000)
          --widths W,…     requests in flight, for each a measurement (default 8,32,128)
          --floor          also measures a bare loop around libcurl, in turn with the client: one easy handle for each
                           request in flight, added again when it is done, curl_multi_perform and curl_multi_poll
          --rounds N       rounds of each measurement; the fastest counts (default 5)
          --json           one JSON object per line: {"scenario":…,"metric":…,"value":…,"unit":…}

        Metrics, W being the width:
          width-W/floor          requests a second of the bare loop
          width-W/floor/cpu      its CPU time per request, in the fastest round
          width-W/errand         requests a second of the client
          width-W/errand/ratio   the client divided by the floor
          width-W/errand/cpu     its CPU time per request, in the fastest round

        The client has no cache and no accessories, and limits as wide as the width.
        """

    let options: Options
    let report: Report

    @concurrent
    func run() async throws {
        try await Interruption.guarding {
            let target = try await LoopbackTarget(url: self.options.url)
            defer { target.stop() }
            for width in self.options.widths { try await self.measure(target.url, width: width) }
        }
    }

    private func measure(_ url: String, width: Int) async throws {
        let load = try await ClientLoad(url, width: width)
        let floor = FloorLoad(url, width: width, size: load.size)
        var (client, bare) = (Pace.none, Pace.none)
        // In turn, so that a machine that slows down slows both.
        for _ in 0..<self.options.rounds {
            if self.options.hasFloor { bare = max(bare, try await floor.pace(of: self.options.requests)) }
            client = max(client, try await load.pace(of: self.options.requests))
        }
        await load.stop()
        if self.options.hasFloor { self.tell(bare, "width-\(width)/floor") }
        self.tell(client, "width-\(width)/errand")
        if self.options.hasFloor {
            self.report.tell("width-\(width)/errand/ratio", client.perSecond / bare.perSecond, "x")
        }
    }

    private func tell(_ pace: Pace, _ metric: String) {
        self.report.tell(metric, pace.perSecond, "requests/s")
        self.report.tell("\(metric)/cpu", pace.cpuTime / .microseconds(1), "us")
    }
}

/// The speed of a measurement, and its cost.
struct Pace: Comparable {
    /// The slowest possible pace.
    static let none = Pace(perSecond: 0, cpuTime: .zero)

    let perSecond: Double
    /// The CPU time per request.
    let cpuTime: Duration

    static func < (one: Pace, other: Pace) -> Bool { one.perSecond < other.perSecond }
}
