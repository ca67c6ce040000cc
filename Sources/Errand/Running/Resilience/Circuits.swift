internal import ErrandLocks
internal import ErrandMachines

internal import struct Foundation.Date

extension CircuitBreaker {
    /// The circuits of a client, one for each origin; see ``CircuitBreaker``.
    ///
    /// All members may be used from anywhere, at any time.
    public final class Circuits: Sendable {
        let breaker: CircuitBreaker
        /// The statuses that count as failures.
        let failures: StatusSet
        private let rules: CircuitMachine.Rules
        private let timebase: Timebase
        private let date: @Sendable () -> Date
        private let random: RandomSource
        private let deadlines: DeadlineTimer
        private let table = Locked(OriginTable<CircuitMachine>())
        /// The waiters for changes.
        private let waiters = StreamReaders<Waiter<Void>>()
        private let isOver = AtomicFlag()

        init(
            _ breaker: CircuitBreaker, _ timebase: Timebase, _ deadlines: DeadlineTimer,
            _ date: @escaping @Sendable () -> Date, _ random: RandomSource
        ) {
            self.deadlines = deadlines
            self.breaker = breaker
            self.failures = StatusSet(breaker.statuses)
            self.rules = breaker.rules
            self.timebase = timebase
            self.date = date
            self.random = random
        }

        deinit {
            self.finish()
        }

        // MARK: - State

        /// Returns the state of the circuit of an origin, such as `https://api.example.com`.
        ///
        /// The state is `closed` for an origin without requests so far, and for a string that is not a URL.
        public func state(of origin: String) -> CircuitBreaker.State {
            let now = self.timebase.now
            return self.state(self.phase(of: try? HTTPURL(origin), at: now), at: now)
        }

        /// Returns the current state of the circuit of an origin, then each change.
        ///
        /// A slow reader gets only the latest. An open circuit becomes half-open when its time is over, even if no
        /// request is sent. Each call creates a sequence for one reader. The sequence ends when the client is shut down
        /// or released.
        public func changes(of origin: String) -> AsyncStream<CircuitBreaker.State> {
            let url = try? HTTPURL(origin)
            let last = Locked<CircuitMachine.Phase?>(nil)
            return AsyncStream { [weak self, waiters, deadlines] in
                while true {
                    let waiter = Waiter<Void>()
                    let leave = waiters.add(waiter)
                    defer { leave() }
                    // Read after joining, so that no change is missed. The circuits are not retained while waiting.
                    guard let (phase, state) = self?.current(url) else { return nil }
                    let isNew = last.withLock { last in
                        defer { last = phase }
                        return last != phase
                    }
                    if isNew { return state }
                    var alarm: DeadlineTimer.Token?
                    if case .open(let end?) = phase {
                        alarm = deadlines.set(end, stopping: waiter, because: .cancelled)
                    }
                    defer { if let alarm { deadlines.clear(alarm) } }
                    guard await waiter.wait() != nil else { return nil }
                }
            }
        }

        /// The current state; `nil` if it no longer changes.
        private func current(_ url: HTTPURL?) -> (CircuitMachine.Phase, CircuitBreaker.State)? {
            guard !self.isOver.isSet else { return nil }
            let now = self.timebase.now
            let phase = self.phase(of: url, at: now)
            return (phase, self.state(phase, at: now))
        }

        private func phase(of url: HTTPURL?, at now: Duration) -> CircuitMachine.Phase {
            guard let url else { return .closed }
            return self.table.withLock { $0[url]?.phase(at: now) } ?? .closed
        }

        /// Ends the sequences of changes, because the client has ended.
        func finish() {
            self.isOver.set()
            for waiter in self.waiters.removeAll() { waiter.wake() }
        }

        private func noteChange() {
            for waiter in self.waiters.all { waiter.wake() }
        }

        /// The states of all circuits that are not closed, by origin.
        public var states: [String: CircuitBreaker.State] {
            let now = self.timebase.now
            let phases = self.table.withLock { $0.all.mapValues { $0.phase(at: now) } }
            return Dictionary(
                uniqueKeysWithValues: phases.filter { $1 != .closed }.map { ($0.origin, self.state($1, at: now)) })
        }

        // MARK: - Manual control

        /// Opens the circuit of an origin until ``close(_:)``.
        ///
        /// New requests to it fail at once; requests in flight continue. Has no effect if the string is not a URL.
        public func open(_ origin: String) {
            self.change(origin) { $0.forceOpen() }
        }

        /// Closes the circuit of an origin and resets its counts.
        ///
        /// Has no effect if the string is not a URL.
        public func close(_ origin: String) {
            self.change(origin) { $0.forceClosed() }
        }

        private func change(_ origin: String, _ change: @Sendable (inout CircuitMachine) -> Void) {
            guard let url = try? HTTPURL(origin) else { return }
            let now = self.timebase.now
            self.table.withLock { [rules] table in
                table.change(url, making: CircuitMachine(rules), forgetting: { $0.isFresh(at: now) }) { change(&$0) }
            }
            self.noteChange()
        }

        // MARK: - Requests

        /// Admits a request.
        ///
        /// - Returns: A lease to be returned when the request ends.
        /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/circuitOpen``.
        @inline(never)
        func admit(to url: HTTPURL) throws(ErrandError) -> CircuitMachine.Lease {
            let now = self.timebase.now
            let admission = self.table.withLock { [rules] table in
                table.change(url, making: CircuitMachine(rules), forgetting: { $0.isFresh(at: now) }) {
                    $0.admit(at: now)
                }
            }
            switch admission {
            case .pass(let lease): return lease
            case .refuse(let until):
                throw .circuitOpen(url.origin, until: until.map { self.moment($0, from: now) })
            }
        }

        /// Records the end of a request.
        ///
        /// - Returns: The new state, if it has changed.
        @inline(never)
        func ended(
            _ lease: CircuitMachine.Lease, to url: HTTPURL, _ outcome: CircuitMachine.Outcome
        ) -> CircuitBreaker.State? {
            let now = self.timebase.now
            // Only failures need a random number.
            let chance = outcome == .failure ? Double(self.random.numbers.next() >> 11) * 0x1p-53 : 0
            let phase = self.table.withLock { [rules] table in
                table.change(url, making: CircuitMachine(rules), forgetting: { $0.isFresh(at: now) }) { machine in
                    machine.ended(lease, outcome, at: now, chance: chance) ? machine.phase(at: now) : nil
                }
            }
            guard let phase else { return nil }
            self.noteChange()
            return self.state(phase, at: now)
        }

        private func state(_ phase: CircuitMachine.Phase, at now: Duration) -> CircuitBreaker.State {
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
            .circuitOpen, "the circuit breaker refuses requests to \(origin)", context: context)
    }
}
