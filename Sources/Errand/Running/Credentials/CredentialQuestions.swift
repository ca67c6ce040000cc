internal import ErrandLocks
internal import ErrandMachines

/// What is asked of an authenticator now, what it answered, and which of its failures still count.
final class CredentialQuestions: Sendable {
    /// Which requests were refused what.
    struct Refusal: Hashable {
        let place: CredentialRefresher.Place
        let refused: String?
    }

    /// Something that the authenticator does.
    private final class Work: Sendable {
        /// For which questions.
        let questions: ObjectIdentifier
        /// Whether it is still at it.
        let isUnderWay = Locked(true)

        init(for questions: CredentialQuestions) {
            self.questions = ObjectIdentifier(questions)
        }
    }

    final class Refresh: Sendable {
        let lifeline = Lifeline()
        /// Whether it is for a credential that can still be sent: nobody has been refused it.
        let isAhead: Locked<Bool>
        /// What the authenticator said, once it is over.
        let credential = Locked<String?>(nil)

        init(isAhead: Bool) {
            self.isAhead = Locked(isAhead)
        }
    }

    /// A question that failed, and is not asked again for a while.
    struct Failure {
        /// Why; `nil` where a server refused what was got last.
        let error: ErrandError?
        /// What was refused, or should not be sent any more.
        let refused: String?
        /// On which clock, how long and until when.
        let timebase: Timebase
        let delay: Duration
        var end: Duration
        var delays: BackoffDelays<RandomSource.Numbers>

        var isRecent: Bool { self.timebase.now < self.end }
        /// Whether the next one comes so soon after this one that it counts for longer.
        var isOneOfSeveral: Bool { self.timebase.now < self.end + self.delay }

        /// Counts no more, but to make the next one count for longer.
        mutating func cease() { self.end = min(self.end, self.timebase.now) }
    }

    struct State {
        /// How often everything was forgotten.
        var generation = 0
        var answers: [CredentialRefresher.Place: String] = [:]
        var refreshes: [Refusal: Refresh] = [:]
        var failures: [CredentialRefresher.Place: Failure] = [:]
    }

    /// What the current task belongs to: what it sends must not wait for itself.
    ///
    /// A task that one of them has left behind belongs to it no longer.
    @TaskLocal private static var works: [Work] = []

    let state = Locked(State())

    /// Whether the current task works for the authenticator itself.
    var isAsking: Bool {
        Self.works.contains { $0.questions == ObjectIdentifier(self) && $0.isUnderWay.withLock { $0 } }
    }

    /// Has the authenticator do something.
    func ask<Answer>(_ work: () async -> Answer) async -> Answer {
        let own = Work(for: self)
        defer { own.isUnderWay.withLock { $0 = false } }
        return await Self.$works.withValue(Self.works + [own]) { await work() }
    }

    /// How often everything was forgotten: what began before the last time has no part in what is answered since.
    var generation: Int { self.state.withLock { $0.generation } }

    /// Forgets everything; what is being asked for goes to those who wait for it, and to nobody else.
    ///
    /// - Returns: How often that was done.
    @discardableResult
    func forget() -> Int {
        self.state.withLock { state in
            state = State(generation: state.generation + 1)
            return state.generation
        }
    }
}
