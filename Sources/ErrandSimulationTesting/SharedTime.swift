/// Shares real time among cases of tests, some of which run at once and others later.
///
/// It reads no clock: instants are durations since its start. A case may continue while it has used less than its share
/// of the time that was left when it began: with *r* cases running and *w* tests still to come, the share is *r* / (*r*
/// + *w*). So tests that all run at once have all the time, and tests that run one after the other have equal parts.
/// The cases of a serialized test are not known before they begin: the first of them has the share of that test.
struct SharedTime<ID: Hashable & Sendable>: Sendable {
    private let total: Duration
    private var waiting: Set<ID> = []
    private var running = 0

    /// Creates an unused time budget.
    init(_ total: Duration) {
        self.total = total
    }

    /// Records that a test is going to run.
    mutating func expects(_ test: ID) {
        self.waiting.insert(test)
    }

    /// Records that a case of a test begins.
    mutating func begins(_ test: ID) {
        self.waiting.remove(test)
        self.running += 1
    }

    /// Records that a case has ended.
    mutating func ends() {
        self.running -= 1
    }

    /// Returns whether a case may continue.
    ///
    /// - Parameters:
    ///   - start: The time at which the case began.
    ///   - now: The current time.
    /// - Returns: `true` while it has time left.
    func mayGoOn(from start: Duration, now: Duration) -> Bool {
        now < self.total
            && (now - start) * (self.running + self.waiting.count) < (self.total - start) * self.running
    }
}
