internal import ErrandLocks
internal import ErrandMachines

internal import struct Foundation.Date

extension CircuitBreaker {
    /// The circuits of a client, one for each origin; see ``CircuitBreaker``.
    ///
    /// All members may be called from anywhere, at any time.
    public final class Circuits: Sendable {
        let breaker: CircuitBreaker
        /// The statuses that are failures.
        let failures: StatusSet
        private let rules: CircuitMachine.Rules
        private let timebase: Timebase
        private let date: @Sendable () -> Date
        private let random: RandomSource
        private let deadlines: DeadlineTimer
        private let table = Locked(OriginTable<CircuitMachine>())
        /// Those who wait until one changes.
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

        // MARK: - Looking

        /// Returns the state of the circuit of an origin, such as `https://api.example.com`.
        ///
        /// That of an origin to which nothing was sent yet, or that is no URL, is closed.
        public func state(of origin: String) -> CircuitBreaker.State {
            let now = self.timebase.now
            return self.state(self.phase(of: try? HTTPURL(origin), at: now), at: now)
        }

        /// The state of the circuit of an origin now, then each change; a slow reader gets the latest.
        ///
        /// An open circuit is half-open when its time is over, also if nothing is sent then. Each call makes a sequence of its
        /// own, for one reader. It ends with the client: when that is shut down, or nobody holds it any more.
        public func changes(of origin: String) -> AsyncStream<CircuitBreaker.State> {
            let url = try? HTTPURL(origin)
            let last = Locked<CircuitMachine.Phase?>(nil)
            return AsyncStream { [weak self, waiters, deadlines] in
                while true {
                    let waiter = Waiter<Void>()
                    let leave = waiters.add(waiter)
                    defer { leave() }
                    // Looked at after it has joined, so that no change is missed; not held while it waits.
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

        /// The state at this moment; `nil` when it does not change any more.
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

        /// Ends the sequences of changes: the client has ended.
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
            self.noteChange()
        }

        // MARK: - Requests

        /// Lets a request be sent.
        ///
        /// - Returns: What is to be brought back with its end.
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

        /// A request has ended.
        ///
        /// - Returns: The state, if that has changed by it.
        @inline(never)
        func ended(
            _ lease: CircuitMachine.Lease, to url: HTTPURL, _ outcome: CircuitMachine.Outcome
        ) -> CircuitBreaker.State? {
            let now = self.timebase.now
            // Chance is needed by those that fail only.
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
            .circuitOpen, "nothing is sent to \(origin), where too many requests have failed", context: context)
    }
}
