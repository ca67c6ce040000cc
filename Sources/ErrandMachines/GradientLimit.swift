/// A concurrency limit for a host, estimated from response times.
///
/// While requests take no longer than their long-term average, the limit grows. When they take longer they are queueing
/// at the host, and the limit shrinks. This is the Gradient2 algorithm; in addition, a refused or lost request lowers
/// the limit by a tenth at once.
package struct GradientLimit: Sendable {
    package struct Rules: Sendable, Hashable {
        package let least: Int
        package let first: Int
        package let most: Int
        /// The ratio to the usual time above which requests are considered to queue at the host.
        package let tolerance: Double

        package init(least: Int, first: Int, most: Int, tolerance: Double) {
            self.least = min(max(1, least), 1 << 20)
            self.most = min(max(self.least, most), 1 << 20)
            self.first = min(max(self.least, first), self.most)
            self.tolerance = tolerance.isNaN ? 1 : min(max(1, tolerance), 100)
        }
    }

    /// The number of requests allowed to queue: room for trying a higher limit.
    private static let headroom = 4.0
    /// The weight of a new estimate.
    private static let smoothing = 0.2
    /// The number of requests over which the usual time is averaged, and the number averaged plainly at the beginning.
    private static let window = 600.0
    private static let warmUp = 10
    /// The factor applied to the limit after a refusal.
    private static let backOff = 0.9

    private let rules: Rules
    private var estimate: Double
    /// The usual response time in seconds.
    private var usual = 0.0
    private var count = 0

    package init(_ rules: Rules) {
        self.rules = rules
        self.estimate = Double(rules.first)
    }

    /// The number of requests that may be in flight at once.
    package var limit: Int { Int(self.estimate) }

    /// A request was answered after the given time, while the given number of requests, including it, were in flight.
    package mutating func answered(after time: Duration, among active: Int) {
        // Shorter times are not measurable.
        let time = max(time / .seconds(1), 1e-9)
        self.count += 1
        let weight = self.count <= Self.warmUp ? 1 / Double(self.count) : 2 / (Self.window + 1)
        self.usual += (time - self.usual) * weight
        // After a period of slow responses, return to shorter times faster.
        if self.usual / time > 2 { self.usual *= 0.95 }
        // If the limit did not constrain the requests, their times say nothing about it.
        guard Double(active) >= self.estimate / 2 else { return }
        let gradient = min(max(self.rules.tolerance * self.usual / time, 0.5), 1)
        let next = self.estimate * gradient + Self.headroom
        self.set(self.estimate + (next - self.estimate) * Self.smoothing)
    }

    /// A request was refused because of overload, or was lost.
    package mutating func refused() {
        self.set(self.estimate * Self.backOff)
    }

    private mutating func set(_ estimate: Double) {
        self.estimate = min(max(estimate, Double(self.rules.least)), Double(self.rules.most))
    }
}

extension AdmissionMachine {
    /// Records the response time of an admitted ticket, or `nil` if its request was refused: call `admitNext`.
    package mutating func note(_ ticket: Ticket, answeredAfter time: Duration?) {
        guard self.gradient != nil, let lane = self.tickets[ticket]?.lane else { return }
        let host = self.lanes[lane].host
        let hadPlace = self.hasPlace(host)
        if let time {
            let active = self.hosts[host].active
            self.hosts[host].found?.answered(after: time, among: active)
        } else {
            self.hosts[host].found?.refused()
        }
        if !hadPlace { self.listHeads(of: host) }
    }

    /// The measured concurrency limit of each host.
    package var foundLimits: [String: Int] {
        self.hostIndex.compactMapValues { self.hosts[$0].found?.limit }
    }
}
