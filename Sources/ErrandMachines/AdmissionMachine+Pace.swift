/// Rates: the number of tickets admitted per unit of time, in total, per host, and per tag.
extension AdmissionMachine {
    package struct Rates: Sendable, Hashable {
        package var total: TokenBucket.Rate?
        /// Applies to hosts without a rate of their own.
        package var perHost: TokenBucket.Rate?
        package var hosts: [String: TokenBucket.Rate]
        package var tags: [String: TokenBucket.Rate]
        /// Indicates whether hosts announce quotas of their own.
        package var hasQuotas: Bool

        package init(
            total: TokenBucket.Rate? = nil, perHost: TokenBucket.Rate? = nil, hosts: [String: TokenBucket.Rate] = [:],
            tags: [String: TokenBucket.Rate] = [:], hasQuotas: Bool = false
        ) {
            self.total = total
            self.perHost = perHost
            self.hosts = hosts
            self.tags = tags
            self.hasQuotas = hasQuotas
        }

        func rate(of host: String) -> TokenBucket.Rate? { self.hosts[host] ?? self.perHost }

        var isEmpty: Bool { self == Rates() }
    }

    /// The token buckets shared by all tickets and by tags, and the lanes waiting for tokens.
    struct Pace: Sendable {
        var now = Duration.zero
        private(set) var isOn = false
        private(set) var rates = Rates()
        private var total: TokenBucket?
        private var tagNumbers: [String: Int] = [:]
        /// `nil` for a tag that is no longer limited.
        private var tags: [TokenBucket?] = []
        /// Lanes with waiting tickets that had no token when last checked.
        private(set) var blocked = Set<Int>()
        /// The time at which the first of them has a token.
        private(set) var earliestBlocked: Duration?

        mutating func setRates(_ rates: Rates) {
            // Tags that have ever been limited keep their lanes.
            self.isOn = self.isOn || !rates.isEmpty
            self.rates = rates
            self.total = rates.total.map { TokenBucket($0, at: self.now) }
            for index in self.tags.indices { self.tags[index] = nil }
            for (name, rate) in rates.tags {
                let bucket = TokenBucket(rate, at: self.now)
                if let number = self.tagNumbers[name] {
                    self.tags[number] = bucket
                } else {
                    self.tagNumbers[name] = self.tags.count
                    self.tags.append(bucket)
                }
            }
        }

        func number(ofTag name: String) -> Int? { self.tagNumbers[name] }

        // MARK: - Tokens

        var hasToken: Bool { self.total.map { $0.due <= self.now } ?? true }

        var totalDue: Duration? { self.total?.due }

        func due(ofTag tag: Int) -> Duration { self.tags[tag]?.due ?? self.now }

        mutating func take(tag: Int?) {
            self.total?.take(at: self.now)
            if let tag { self.tags[tag]?.take(at: self.now) }
        }

        mutating func putBack(tag: Int?) {
            self.total?.putBack()
            if let tag { self.tags[tag]?.putBack() }
        }

        // MARK: - Lanes that wait for tokens

        mutating func block(_ lane: Int, until due: Duration) {
            self.blocked.insert(lane)
            self.earliestBlocked = min(self.earliestBlocked ?? due, due)
        }

        mutating func unblock(_ lane: Int) {
            self.blocked.remove(lane)
            if self.blocked.isEmpty { self.earliestBlocked = nil }
        }

        mutating func unblockAll() {
            self.blocked = []
            self.earliestBlocked = nil
        }
    }

    /// The token bucket of one host, and the quota announced by the host.
    struct HostPace: Sendable {
        private var bucket: TokenBucket?
        private var quota: (left: Int, until: Duration)?

        init() {}

        init(_ rate: TokenBucket.Rate?, at now: Duration) {
            self.bucket = rate.map { TokenBucket($0, at: now) }
        }

        /// Replaces the rate.
        ///
        /// The host's own quota remains in effect.
        mutating func setRate(_ rate: TokenBucket.Rate?, at now: Duration) {
            self.bucket = rate.map { TokenBucket($0, at: now) }
        }

        /// True if the host has no state that needs to be remembered.
        func isFresh(at now: Duration) -> Bool {
            (self.bucket?.isFull(at: now) ?? true) && (self.quota.map { $0.until <= now } ?? true)
        }

        func due(at now: Duration) -> Duration {
            let due = self.bucket?.due ?? now
            guard let quota, quota.left <= 0 else { return due }
            return max(due, quota.until)
        }

        mutating func take(at now: Duration) {
            self.bucket?.take(at: now)
            guard let quota else { return }
            self.quota = quota.until <= now ? nil : (quota.left - 1, quota.until)
        }

        mutating func putBack() {
            self.bucket?.putBack()
            self.quota?.left += 1
        }

        mutating func setQuota(_ left: Int, until moment: Duration, at now: Duration) {
            if let quota, quota.left <= 0, quota.until > max(now, moment) { return }
            self.quota = moment > now ? (left, moment) : nil
        }
    }
}

// MARK: - Changing the rates

extension AdmissionMachine {
    /// True once rates have been set.
    ///
    /// The owner must then call `advance` before each event that takes a token and before `admitNext` if tickets are
    /// waiting, and call `advance` and `admitNext` when `due` is reached.
    package var isPaced: Bool { self.pace.isOn }

    /// The time at which a token becomes available for a waiting ticket; `nil` if no ticket is waiting for a token.
    package var due: Duration? {
        guard self.waitingCount > 0, !self.isPaused, self.activeCount < self.limits.total else { return nil }
        return self.pace.hasToken ? self.pace.earliestBlocked : self.pace.totalDue
    }

    /// Advances the time: call `admitNext`.
    ///
    /// Has no effect if the clock goes back.
    package mutating func advance(to now: Duration) {
        self.pace.now = max(self.pace.now, now)
        guard let earliest = self.pace.earliestBlocked, earliest <= self.pace.now else { return }
        self.listBlocked()
    }

    /// Applies new rates: call `admitNext`.
    ///
    /// Waiting tickets stay in their lanes, even if their tags were not limited before.
    package mutating func setRates(_ rates: Rates) {
        self.pace.setRates(rates)
        for host in self.hosts.indices {
            self.hosts[host].pace.setRate(rates.rate(of: self.hosts[host].name), at: self.pace.now)
        }
        self.listBlocked()
    }

    /// Records that a host accepts the given number of requests until the given time.
    ///
    /// A later quota replaces an earlier one, unless the earlier one is exhausted and ends later.
    package mutating func setQuota(_ left: Int, until moment: Duration, host name: String) {
        let host = self.hostSlot(for: name)
        self.hosts[host].pace.setQuota(left, until: moment, at: self.pace.now)
    }

    /// Returns true if tickets with the given tag have a limit of their own.
    package func isLimited(tag: String) -> Bool { self.pace.isOn && self.pace.number(ofTag: tag) != nil }

    /// The time at which a lane has a token; now or earlier if it has one or needs none.
    func due(_ lane: Int) -> Duration {
        let due = self.hosts[self.lanes[lane].host].pace.due(at: self.pace.now)
        guard let tag = self.lanes[lane].tag else { return due }
        return max(due, self.pace.due(ofTag: tag))
    }

    /// Takes a slot for a ticket of a lane.
    mutating func take(_ lane: Int) {
        let host = self.lanes[lane].host
        self.hosts[host].active += 1
        self.activeCount += 1
        guard self.pace.isOn else { return }
        self.hosts[host].pace.take(at: self.pace.now)
        self.pace.take(tag: self.lanes[lane].tag)
    }

    /// Returns the unused tokens of a lane, and checks the lanes that may have been waiting for them.
    mutating func putBack(_ lane: Int) {
        self.hosts[self.lanes[lane].host].pace.putBack()
        self.pace.putBack(tag: self.lanes[lane].tag)
        self.listBlocked()
    }

    /// Checks all lanes again that had no token.
    mutating func listBlocked() {
        self.visitedCount += self.pace.blocked.count
        let blocked = self.pace.blocked
        self.pace.unblockAll()
        for lane in blocked { self.listHeads(ofLane: lane) }
    }
}
