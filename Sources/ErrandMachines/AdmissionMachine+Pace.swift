/// How often tickets may go: so many in a time, for all of them, for a host and for a tag.
extension AdmissionMachine {
    package struct Rates: Sendable, Hashable {
        package var total: TokenBucket.Rate?
        /// For each host that has none of its own.
        package var perHost: TokenBucket.Rate?
        package var hosts: [String: TokenBucket.Rate]
        package var tags: [String: TokenBucket.Rate]
        /// Whether hosts say themselves how many requests they take.
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

    /// The tokens of all tickets and of their tags, and who waits for one.
    struct Pace: Sendable {
        var now = Duration.zero
        private(set) var isOn = false
        private(set) var rates = Rates()
        private var total: TokenBucket?
        private var tagNumbers: [String: Int] = [:]
        /// `nil` for a tag that is not limited any more.
        private var tags: [TokenBucket?] = []
        /// Lanes with tickets that were seen without a token.
        private(set) var blocked = Set<Int>()
        /// When the first of them has one.
        private(set) var earliestBlocked: Duration?

        mutating func setRates(_ rates: Rates) {
            // Tags that are limited once keep their lanes.
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

    /// The tokens of one host, and how many requests it takes by its own word.
    struct HostPace: Sendable {
        private var bucket: TokenBucket?
        private var quota: (left: Int, until: Duration)?

        init() {}

        init(_ rate: TokenBucket.Rate?, at now: Duration) {
            self.bucket = rate.map { TokenBucket($0, at: now) }
        }

        /// Goes by another rate from now on; what the host has said itself holds on.
        mutating func setRate(_ rate: TokenBucket.Rate?, at now: Duration) {
            self.bucket = rate.map { TokenBucket($0, at: now) }
        }

        /// Whether nothing of it has to be remembered.
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
    /// Whether there are rates: then the owner tells the time before each event that takes a token, and before `admitNext`
    /// where tickets wait; and calls that when `due` is there.
    package var isPaced: Bool { self.pace.isOn }

    /// When it should be asked again because there is a token for a ticket that waits; `nil` where nobody waits for one.
    package var due: Duration? {
        guard self.waitingCount > 0, !self.isPaused, self.activeCount < self.limits.total else { return nil }
        return self.pace.hasToken ? self.pace.earliestBlocked : self.pace.totalDue
    }

    /// Time has passed: call `admitNext`.
    ///
    /// A clock that goes back changes nothing.
    package mutating func advance(to now: Duration) {
        self.pace.now = max(self.pace.now, now)
        guard let earliest = self.pace.earliestBlocked, earliest <= self.pace.now else { return }
        self.listBlocked()
    }

    /// New rates hold from now on: call `admitNext`.
    ///
    /// What waits stays where it is, also if its tag was not limited before.
    package mutating func setRates(_ rates: Rates) {
        self.pace.setRates(rates)
        for host in self.hosts.indices {
            self.hosts[host].pace.setRate(rates.rate(of: self.hosts[host].name), at: self.pace.now)
        }
        self.listBlocked()
    }

    /// A host lets so many requests come until a moment; what it said last counts, but not before a time that it wanted
    /// to be left alone for.
    package mutating func setQuota(_ left: Int, until moment: Duration, host name: String) {
        let host = self.hostSlot(for: name)
        self.hosts[host].pace.setQuota(left, until: moment, at: self.pace.now)
    }

    /// Tells whether tickets with a tag are limited by that.
    package func isLimited(tag: String) -> Bool { self.pace.isOn && self.pace.number(ofTag: tag) != nil }

    /// When a lane has a token; not later than now where it has one, or needs none.
    func due(_ lane: Int) -> Duration {
        let due = self.hosts[self.lanes[lane].host].pace.due(at: self.pace.now)
        guard let tag = self.lanes[lane].tag else { return due }
        return max(due, self.pace.due(ofTag: tag))
    }

    /// A ticket of a lane gets a place.
    mutating func take(_ lane: Int) {
        let host = self.lanes[lane].host
        self.hosts[host].active += 1
        self.activeCount += 1
        guard self.pace.isOn else { return }
        self.hosts[host].pace.take(at: self.pace.now)
        self.pace.take(tag: self.lanes[lane].tag)
    }

    /// The tokens of a lane were not used: others may have waited for them.
    mutating func putBack(_ lane: Int) {
        self.hosts[self.lanes[lane].host].pace.putBack()
        self.pace.putBack(tag: self.lanes[lane].tag)
        self.listBlocked()
    }

    /// Looks again at all lanes that were seen without a token.
    mutating func listBlocked() {
        self.visitedCount += self.pace.blocked.count
        let blocked = self.pace.blocked
        self.pace.unblockAll()
        for lane in blocked { self.listHeads(ofLane: lane) }
    }
}
