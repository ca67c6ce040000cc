internal import ErrandLocks
internal import ErrandMachines

internal import struct Foundation.Date

/// The circuits of a client, one for each origin; see ``CircuitBreaker``.
///
/// All members may be called from anywhere, at any time.
public final class Circuits: Sendable {
    let breaker: CircuitBreaker
    private let rules: CircuitMachine.Rules
    private let timebase: Timebase
    private let date: @Sendable () -> Date
    private let random: RandomSource
    private let table = Locked(OriginTable<CircuitMachine>())

    init(
        _ breaker: CircuitBreaker, _ timebase: Timebase, _ date: @escaping @Sendable () -> Date, _ random: RandomSource
    ) {
        self.breaker = breaker
        self.rules = breaker.rules
        self.timebase = timebase
        self.date = date
        self.random = random
    }

    // MARK: - Looking

    /// Returns the state of the circuit of an origin, such as `https://api.example.com`.
    ///
    /// That of an origin to which nothing was sent yet, or that is no URL, is closed.
    public func state(of origin: String) -> CircuitState {
        guard let url = try? HTTPURL(origin) else { return .closed }
        let now = self.timebase.now
        let phase = self.table.withLock { $0.all[OriginTable<CircuitMachine>.Key(url)]?.phase(at: now) }
        return self.state(phase ?? .closed, at: now)
    }

    /// The states of all circuits that are not closed, by origin.
    public var states: [String: CircuitState] {
        let now = self.timebase.now
        let phases = self.table.withLock { $0.all.mapValues { $0.phase(at: now) } }
        return Dictionary(
            uniqueKeysWithValues: phases.filter { $1 != .closed }.map { ($0.origin, self.state($1, at: now)) })
    }

    // MARK: - By hand

    /// Opens the circuit of an origin until ``close(_:)``: requests to it fail at once; those that are under way go on.
    ///
    /// Does nothing for what is no URL.
    public func open(_ origin: String) {
        self.change(origin) { $0.forceOpen() }
    }

    /// Closes the circuit of an origin, and forgets what was counted.
    ///
    /// Does nothing for what is no URL.
    public func close(_ origin: String) {
        self.change(origin) { $0.forceClosed() }
    }

    private func change(_ origin: String, _ change: @Sendable (inout CircuitMachine) -> Void) {
        guard let url = try? HTTPURL(origin) else { return }
        let now = self.timebase.now
        self.table.withLock { [rules] table in
            table.change(url, making: CircuitMachine(rules), forgetting: { $0.isFresh(at: now) }) { change(&$0) }
        }
    }

    // MARK: - Requests

    /// Lets a request be sent.
    ///
    /// - Returns: What is to be brought back with its end.
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/circuitOpen``.
    func admit(to url: HTTPURL) throws(ErrandError) -> CircuitMachine.Lease {
        let now = self.timebase.now
        let admission = self.table.withLock { [rules] table in
            table.change(url, making: CircuitMachine(rules), forgetting: { $0.isFresh(at: now) }) { $0.admit(at: now) }
        }
        switch admission {
        case .pass(let lease): return lease
        case .refuse(let until):
            throw .circuitOpen(url.origin, until: until.map { self.moment($0, from: now) })
        }
    }

    /// A request has ended.
    ///
    /// - Returns: The state, if that has changed by it.
    func ended(_ lease: CircuitMachine.Lease, to url: HTTPURL, _ outcome: CircuitMachine.Outcome) -> CircuitState? {
        let now = self.timebase.now
        // Chance is needed by those that fail only.
        let numbers = self.random.numbers
        let chance = outcome == .failure ? Double(numbers.next() >> 11) * 0x1p-53 : 0
        let phase = self.table.withLock { [rules] table in
            table.change(url, making: CircuitMachine(rules), forgetting: { $0.isFresh(at: now) }) { machine in
                machine.ended(lease, outcome, at: now, chance: chance) ? machine.phase(at: now) : nil
            }
        }
        return phase.map { self.state($0, at: now) }
    }

    private func state(_ phase: CircuitMachine.Phase, at now: Duration) -> CircuitState {
        switch phase {
        case .closed: .closed
        case .open(let until): .open(until: until.map { self.moment($0, from: now) })
        case .halfOpen: .halfOpen
        }
    }

    private func moment(_ due: Duration, from now: Duration) -> Date {
        self.date().addingTimeInterval((due - now) / .seconds(1))
    }
}

extension OriginTable.Key {
    fileprivate var origin: String {
        let (scheme, port) = self.isSecure ? ("https", ":443") : ("http", ":80")
        return "\(scheme)://"
            + (self.authority.hasSuffix(port) ? String(self.authority.dropLast(port.count)) : self.authority)
    }
}

extension ErrandError {
    fileprivate static func circuitOpen(_ origin: String, until moment: Date?) -> ErrandError {
        var context = Context()
        context.retryAt = moment
        return ErrandError(
            .circuitOpen, "nothing is sent to \(origin), where too many requests have failed", context: context)
    }
}
