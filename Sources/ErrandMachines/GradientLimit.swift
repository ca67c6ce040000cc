/// How many requests a host takes at once, found out from how long they take.
///
/// While they take no longer than they did over a long time there is room for more; where they take longer they wait for
/// each other there, and fewer do as well. It is the algorithm that is known as Gradient2; a host that refuses or loses
/// requests gets a tenth less at once besides.
package struct GradientLimit: Sendable {
    package struct Rules: Sendable, Hashable {
        package let least: Int
        package let first: Int
        package let most: Int
        /// How many times longer than usual a request may take before there are too many.
        package let tolerance: Double

        package init(least: Int, first: Int, most: Int, tolerance: Double) {
            self.least = min(max(1, least), 1 << 20)
            self.most = min(max(self.least, most), 1 << 20)
            self.first = min(max(self.least, first), self.most)
            self.tolerance = tolerance.isNaN ? 1 : min(max(1, tolerance), 100)
        }
    }

    /// How many may wait for each other: room to try whether more do as well.
    private static let headroom = 4.0
    /// The part that a new estimate has in the next one.
    private static let smoothing = 0.2
    /// Over how many requests the usual time is taken, and how many of them are just counted at the beginning.
    private static let window = 600.0
    private static let warmUp = 10
    /// What is left after a refusal.
    private static let backOff = 0.9

    private let rules: Rules
    private var estimate: Double
    /// The usual time, in seconds.
    private var usual = 0.0
    private var count = 0

    package init(_ rules: Rules) {
        self.rules = rules
        self.estimate = Double(rules.first)
    }

    /// How many requests there may be at once.
    package var limit: Int { Int(self.estimate) }

    /// A request had its answer after so long, while so many were under way, it among them.
    package mutating func answered(after time: Duration, among active: Int) {
        // Shorter than this is no measurement.
        let time = max(time / .seconds(1), 1e-9)
        self.count += 1
        let weight = self.count <= Self.warmUp ? 1 / Double(self.count) : 2 / (Self.window + 1)
        self.usual += (time - self.usual) * weight
        // After a spell in which all took long it is believed again sooner that they take less.
        if self.usual / time > 2 { self.usual *= 0.95 }
        // Where the limit was not what held requests back, nothing is learnt about it.
        guard Double(active) >= self.estimate / 2 else { return }
        let gradient = min(max(self.rules.tolerance * self.usual / time, 0.5), 1)
        let next = self.estimate * gradient + Self.headroom
        self.set(self.estimate + (next - self.estimate) * Self.smoothing)
    }

    /// A request was refused because there are too many, or was lost.
    package mutating func refused() {
        self.set(self.estimate * Self.backOff)
    }

    private mutating func set(_ estimate: Double) {
        self.estimate = min(max(estimate, Double(self.rules.least)), Double(self.rules.most))
    }
}

extension AdmissionMachine {
    /// The work of a ticket that holds a place had its answer after so long, or was refused: call `admitNext`.
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

    /// How many tickets each host takes at once, as found out.
    package var foundLimits: [String: Int] {
        self.hostIndex.compactMapValues { self.hosts[$0].found?.limit }
    }
}
