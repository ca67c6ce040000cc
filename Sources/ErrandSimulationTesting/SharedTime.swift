/// Shares real time among cases of tests, of which some run at once and others come later.
///
/// It reads no clock: instants are durations since its start. A case may go on while it has used less than a part of the
/// time that was left when it began: with *r* cases running and *w* tests still to come that is *r* / (*r* + *w*) of it.
/// So tests that all run at once have all the time, and of tests that run one after the other each has a like part. The
/// cases of a serialised test are not known before they begin: the first of them has the part of that test.
struct SharedTime<ID: Hashable & Sendable>: Sendable {
    private let total: Duration
    private var waiting: Set<ID> = []
    private var running = 0

    /// Creates time that nobody has used.
    init(_ total: Duration) {
        self.total = total
    }

    /// Notes that a test is going to run.
    mutating func expects(_ test: ID) {
        self.waiting.insert(test)
    }

    /// Notes that a case of a test begins.
    mutating func begins(_ test: ID) {
        self.waiting.remove(test)
        self.running += 1
    }

    /// Notes that a case has ended.
    mutating func ends() {
        self.running -= 1
    }

    /// Returns whether a case may go on.
    ///
    /// - Parameters:
    ///   - start: When the case began.
    ///   - now: What time it is.
    /// - Returns: Whether its time is not over.
    func mayGoOn(from start: Duration, now: Duration) -> Bool {
        now < self.total
            && (now - start) * (self.running + self.waiting.count) < (self.total - start) * self.running
    }
}
