/// Decides whether calls to one place are made at all, by how the last ones ended.
///
/// A call that may be made has a lease, which comes back with its end, whatever that is. A lease from before the circuit
/// changed says nothing about how it is now, and comes back late.
package struct CircuitMachine: Sendable {
    /// When the circuit opens, and for how long; what cannot be is clamped.
    package struct Rules: Sendable, Hashable {
        /// The part of the calls that has to fail, from 0 (any failure) to 1.
        package let failureRate: Double
        /// How many calls there have to be, at least 1.
        package let minimumCalls: Int
        /// Within what time, from a millisecond to a day.
        package let window: Duration
        /// How long it is open, from a millisecond to a day.
        package let openFor: Duration
        /// By how much longer at most, as a part of that, so that callers do not come back at once; from 0 to 1.
        package let jitter: Double
        /// How many calls have to succeed before it is closed again, and are made at once for that; at least 1.
        package let probes: Int

        package init(
            failureRate: Double, minimumCalls: Int, window: Duration, openFor: Duration, jitter: Double, probes: Int
        ) {
            func clamped(_ part: Double) -> Double { part.isNaN ? 1 : min(max(0, part), 1) }
            func clamped(_ time: Duration) -> Duration { min(max(.milliseconds(1), time), .seconds(86_400)) }
            self.failureRate = clamped(failureRate)
            self.minimumCalls = max(1, minimumCalls)
            self.window = clamped(window)
            self.openFor = clamped(openFor)
            self.jitter = clamped(jitter)
            self.probes = max(1, probes)
        }
    }

    /// What lets one call be made.
    package struct Lease: Sendable, Hashable {
        fileprivate let era: Int
    }

    /// What is seen of it.
    package enum Phase: Sendable, Hashable {
        /// All calls are made. Opens when too many fail.
        case closed
        /// No call is made up to a moment; without one until somebody closes it. After that moment it is half-open.
        case open(until: Duration?)
        /// A few calls are made, to see whether it can be closed.
        case halfOpen
    }

    private enum State: Sendable {
        case closed
        case open(until: Duration?)
        /// Counts calls that are under way and those that have succeeded; and knows when the last one was let go.
        case halfOpen(probing: Int, succeeded: Int, lastProbe: Duration)
    }

    private let rules: Rules
    private var state = State.closed
    /// Those within the window, while it is closed.
    private var calls: SlidingSum
    private var failures: SlidingSum
    /// Counts the changes of the state.
    private var era = 0

    package init(_ rules: Rules) {
        self.rules = rules
        self.calls = SlidingSum(window: rules.window)
        self.failures = SlidingSum(window: rules.window)
    }

    /// What is seen of it at a moment.
    package func phase(at now: Duration) -> Phase {
        switch self.state {
        case .closed: .closed
        case .open(let until?) where now >= until: .halfOpen
        case .open(let until): .open(until: until)
        case .halfOpen: .halfOpen
        }
    }

    /// Whether it is as it was at its beginning, and may be forgotten.
    package mutating func isFresh(at now: Duration) -> Bool {
        guard case .closed = self.state else { return false }
        self.calls.advance(to: now)
        return self.calls.isEmpty
    }

    // MARK: - Calls

    package enum Admission: Equatable {
        /// Make the call, and bring the lease back.
        case pass(Lease)
        /// Make none; it may be worth to ask again at that moment, or when somebody has closed it.
        case refuse(until: Duration?)
    }

    /// Someone wants to make a call.
    package mutating func admit(at now: Duration) -> Admission {
        switch self.state {
        case .closed: break
        case .open(let until):
            guard let until, now >= until else { return .refuse(until: until) }
            self.era += 1
            self.state = .halfOpen(probing: 1, succeeded: 0, lastProbe: now)
        case .halfOpen(let probing, let succeeded, let lastProbe):
            // A call that does not come to its end must not hold up all others for ever.
            guard probing + succeeded < self.rules.probes || now >= lastProbe + self.rules.openFor else {
                return .refuse(until: lastProbe + self.rules.openFor)
            }
            self.state = .halfOpen(probing: probing + 1, succeeded: succeeded, lastProbe: now)
        }
        return .pass(Lease(era: self.era))
    }

    package enum Outcome: Sendable, Hashable, CaseIterable {
        case success
        case failure
        /// It was cancelled, or says nothing about the place.
        case unknown
    }

    /// A call has ended.
    ///
    /// - Parameters:
    ///   - lease: Its lease; one from before the last change does nothing.
    ///   - outcome: How it ended.
    ///   - now: When.
    ///   - chance: Anything from 0 to 1, for how long the circuit is open.
    /// - Returns: Whether the circuit has changed.
    package mutating func ended(
        _ lease: Lease, _ outcome: Outcome, at now: Duration, chance: @autoclosure () -> Double
    ) -> Bool {
        guard lease.era == self.era else { return false }
        switch self.state {
        case .closed:
            guard outcome != .unknown else { return false }
            self.calls.advance(to: now)
            self.failures.advance(to: now)
            self.calls.add(1)
            self.failures.add(outcome == .failure ? 1 : 0)
            guard outcome == .failure, self.calls.sum >= self.rules.minimumCalls,
                Double(self.failures.sum) >= self.rules.failureRate * Double(self.calls.sum)
            else { return false }
            self.open(at: now, chance())
        case .open: return false
        case .halfOpen(let probing, let succeeded, let lastProbe):
            switch outcome {
            case .failure: self.open(at: now, chance())
            case .success where succeeded + 1 >= self.rules.probes: self.close()
            case .success:
                self.state = .halfOpen(probing: probing - 1, succeeded: succeeded + 1, lastProbe: lastProbe)
                return false
            case .unknown:
                self.state = .halfOpen(probing: probing - 1, succeeded: succeeded, lastProbe: lastProbe)
                return false
            }
        }
        return true
    }

    private mutating func open(at now: Duration, _ chance: Double) {
        self.change(to: .open(until: now + self.rules.openFor * (1 + self.rules.jitter * min(max(0, chance), 1))))
    }

    private mutating func close() {
        self.calls = SlidingSum(window: self.rules.window)
        self.failures = SlidingSum(window: self.rules.window)
        self.change(to: .closed)
    }

    private mutating func change(to state: State) {
        self.era += 1
        self.state = state
    }

    // MARK: - By hand

    /// Somebody opens it, until somebody closes it.
    package mutating func forceOpen() {
        self.change(to: .open(until: nil))
    }

    /// Somebody closes it; it begins anew.
    package mutating func forceClosed() {
        self.close()
    }
}
