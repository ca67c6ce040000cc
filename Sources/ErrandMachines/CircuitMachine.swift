/// A circuit breaker: decides by the outcomes of recent calls whether calls to a destination are made.
///
/// A permitted call holds a lease, which is returned when the call ends, whatever its outcome. Leases from before the
/// circuit last changed are ignored.
package struct CircuitMachine: Sendable {
    /// The conditions for opening and closing the circuit.
    ///
    /// Values out of range are clamped.
    package struct Rules: Sendable, Hashable {
        /// The fraction of calls that must fail, from 0 (any failure) to 1.
        package let failureRate: Double
        /// The minimum number of calls, at least 1.
        package let minimumCalls: Int
        /// The time window for counting calls, from a millisecond to a day.
        package let window: Duration
        /// The time the circuit stays open, from a millisecond to a day.
        package let openFor: Duration
        /// The maximum random extension of that time, as a fraction of it from 0 to 1, so that callers do not return at
        /// once.
        package let jitter: Double
        /// The number of calls that are admitted when half-open and must succeed before the circuit closes, at least 1.
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

    /// The permission to make one call.
    package struct Lease: Sendable, Hashable {
        fileprivate let era: Int
    }

    /// The externally visible state.
    package enum Phase: Sendable, Hashable {
        /// All calls are made. Opens when too many of them fail.
        case closed
        /// No calls are made until the given time, or if `nil` until the circuit is closed by hand. Half-open after
        /// that time.
        case open(until: Duration?)
        /// A few calls are made to find out whether the circuit can be closed.
        case halfOpen
    }

    private enum State: Sendable {
        case closed
        case open(until: Duration?)
        /// Counts probes in flight and successful ones, and records when the last probe was admitted.
        case halfOpen(probing: Int, succeeded: Int, lastProbe: Duration)
    }

    private let rules: Rules
    private var state = State.closed
    /// The calls within the window, counted while the circuit is closed.
    private var calls: SlidingSum
    private var failures: SlidingSum
    /// The number of state changes.
    private var era = 0

    package init(_ rules: Rules) {
        self.rules = rules
        self.calls = SlidingSum(window: rules.window)
        self.failures = SlidingSum(window: rules.window)
    }

    /// The externally visible state at the given time.
    package func phase(at now: Duration) -> Phase {
        switch self.state {
        case .closed: .closed
        case .open(let until?) where now >= until: .halfOpen
        case .open(let until): .open(until: until)
        case .halfOpen: .halfOpen
        }
    }

    /// True if the circuit is in its initial state and may be discarded.
    package mutating func isFresh(at now: Duration) -> Bool {
        guard case .closed = self.state else { return false }
        self.calls.advance(to: now)
        return self.calls.isEmpty
    }

    // MARK: - Calls

    package enum Admission: Equatable {
        /// Make the call, and return the lease.
        case pass(Lease)
        /// Do not make the call. A new attempt may succeed at the given time, or once the circuit is closed by hand.
        case refuse(until: Duration?)
    }

    /// Requests permission for a call.
    package mutating func admit(at now: Duration) -> Admission {
        switch self.state {
        case .closed: break
        case .open(let until):
            guard let until, now >= until else { return .refuse(until: until) }
            self.era += 1
            self.state = .halfOpen(probing: 1, succeeded: 0, lastProbe: now)
        case .halfOpen(let probing, let succeeded, let lastProbe):
            // A probe that never ends must not block all others forever.
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
        /// The call was cancelled, or says nothing about the destination.
        case unknown
    }

    /// A call has ended.
    ///
    /// - Parameters:
    ///   - lease: The lease of the call. A lease from before the last state change has no effect.
    ///   - outcome: The outcome of the call.
    ///   - now: The current time.
    ///   - chance: A random number from 0 to 1 that determines how long the circuit stays open.
    /// - Returns: True if the state of the circuit changed.
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

    // MARK: - Manual control

    /// Opens the circuit until it is closed by hand.
    package mutating func forceOpen() {
        self.change(to: .open(until: nil))
    }

    /// Closes the circuit and resets its counts.
    package mutating func forceClosed() {
        self.close()
    }
}
