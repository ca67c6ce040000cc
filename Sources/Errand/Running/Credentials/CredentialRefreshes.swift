internal import ErrandLocks
internal import ErrandMachines

/// The refreshes of an authenticator in progress, the credentials it returned, and its recent failures.
final class CredentialRefreshes: Sendable {
    /// The requests that were refused, and the credential they were refused with.
    struct Refusal: Hashable {
        let place: CredentialRefresher.CredentialKey
        let refused: String?
    }

    /// An operation of the authenticator.
    private final class Work: Sendable {
        /// Identifies the state that the operation belongs to.
        let refreshes: ObjectIdentifier
        /// Set until the operation ends.
        let isUnderWay = Locked(true)

        init(for refreshes: CredentialRefreshes) {
            self.refreshes = ObjectIdentifier(refreshes)
        }
    }

    final class Refresh: Sendable {
        let lifeline = Lifeline()
        /// Set while the refresh replaces a credential that can still be sent, and that no request has been refused
        /// with.
        let isAhead: Locked<Bool>
        /// The credential returned by the authenticator, once the refresh is over.
        let credential = Locked<String?>(nil)

        init(isAhead: Bool) {
            self.isAhead = Locked(isAhead)
        }
    }

    /// A failed refresh, which is not repeated for a while.
    struct Failure {
        /// The error; `nil` if a server refused the last credential obtained.
        let error: ErrandError?
        /// The credential that was refused or is about to expire.
        let refused: String?
        /// The clock, the current delay, and its end.
        let timebase: Timebase
        let delay: Duration
        var end: Duration
        var delays: BackoffDelays<RandomSource.Numbers>

        var isRecent: Bool { self.timebase.now < self.end }
        /// True while a further failure would count as one of a series, and be delayed for longer.
        var isOneOfSeveral: Bool { self.timebase.now < self.end + self.delay }

        /// Ends the delay, but keeps extending the delay of the next failure.
        mutating func cease() { self.end = min(self.end, self.timebase.now) }
    }

    struct State {
        /// The number of times that all credentials were forgotten.
        var generation = 0
        var answers: [CredentialRefresher.CredentialKey: String] = [:]
        var refreshes: [Refusal: Refresh] = [:]
        var failures: [CredentialRefresher.CredentialKey: Failure] = [:]
    }

    /// The operations that the current task belongs to, whose requests must not wait for themselves.
    ///
    /// A task that outlives an operation no longer belongs to it.
    @TaskLocal private static var works: [Work] = []

    let state = Locked(State())

    /// True if the current task runs on behalf of the authenticator itself.
    var isAsking: Bool {
        Self.works.contains { $0.refreshes == ObjectIdentifier(self) && $0.isUnderWay.withLock { $0 } }
    }

    /// Runs an operation of the authenticator.
    func ask<Answer>(_ work: () async -> Answer) async -> Answer {
        let own = Work(for: self)
        defer { own.isUnderWay.withLock { $0 = false } }
        return await Self.$works.withValue(Self.works + [own]) { await work() }
    }

    /// The number of times that all credentials were forgotten.
    ///
    /// Requests of an older generation get no newer credentials.
    var generation: Int { self.state.withLock { $0.generation } }

    /// Forgets all credentials.
    ///
    /// Refreshes in progress are delivered only to their current waiters.
    ///
    /// - Returns: The new generation.
    @discardableResult
    func forget() -> Int {
        self.state.withLock { state in
            state = State(generation: state.generation + 1)
            return state.generation
        }
    }
}
