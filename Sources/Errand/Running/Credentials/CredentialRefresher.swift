internal import ErrandLocks

/// Asks an authenticator once for all requests that were refused the same credential, and remembers what it answers.
///
/// An answer is remembered by its origin and by what a request would have carried without it, so that it goes neither
/// to another server nor to requests of someone else. It belongs to all who share it: each leaves alone, and the
/// question is cancelled when the last of them has left.
final class CredentialRefresher: Sendable {
    /// Which requests an answer is for.
    struct Place: Hashable, Sendable {
        let origin: String
        /// The `Authorization` that they carry when nothing is remembered.
        let original: String?
        /// How often everything had been forgotten when they began.
        let generation: Int
    }

    private struct Refusal: Hashable {
        let place: Place
        let refused: String?
    }

    private final class Refresh: Sendable {
        let lifeline = Lifeline()
        /// What the authenticator said, once it is over.
        let credential = Locked<String?>(nil)
    }

    private struct State {
        var generation = 0
        var answers: [Place: String] = [:]
        var refreshes: [Refusal: Refresh] = [:]
    }

    private enum Way {
        case none
        case remembered(String)
        case share(Refresh)
        case ask(Refresh)
    }

    /// How many answers are remembered: with more of them the originals change too often to come again.
    private static let limit = 256
    /// The refreshers whose authenticators the current task works for: what these send must not wait for themselves.
    @TaskLocal private static var asking: [ObjectIdentifier] = []

    let authenticator: any Authenticator
    private let state = Locked(State())

    init(_ authenticator: any Authenticator) {
        self.authenticator = authenticator
    }

    /// How often everything was forgotten: what began before the last time has no part in what is answered since.
    var generation: Int { self.state.withLock { $0.generation } }

    /// Whether the current task works for the authenticator itself.
    var isAsking: Bool { Self.asking.contains(ObjectIdentifier(self)) }

    /// What requests carry now, if something is remembered for them.
    func value(for place: Place) -> String? {
        self.state.withLock { $0.answers[place] }
    }

    /// Forgets an answer that was refused.
    func forget(_ refused: String?, at place: Place) {
        self.state.withLock { state in
            if state.answers[place] == refused { state.answers[place] = nil }
        }
    }

    /// Forgets everything; what is being asked for goes to those who wait for it, and to nobody else.
    func forget() {
        self.state.withLock { $0 = State(generation: $0.generation + 1) }
    }

    // MARK: - Asking

    /// Returns what to send in place of what was refused, or `nil` when there is nothing else to send, as for what
    /// began before everything was forgotten.
    func answer(
        to refused: String?, at place: Place, _ context: AuthenticationContext
    ) async throws(ErrandError) -> String? {
        let refusal = Refusal(place: place, refused: refused)
        let shared: Refresh
        switch self.way(after: refusal) {
        case .none: return nil
        case .remembered(let value): return value
        case .share(let refresh): shared = refresh
        case .ask(let refresh):
            shared = refresh
            // Unstructured: it belongs to all who share it, and to nobody alone. Ends with the one question.
            if refresh.lifeline.start() { refresh.lifeline.attach(spawn { await self.ask(context, refusal, refresh) }) }
        }
        // Not seen out by the last: it may be the very request that the authenticator waits for.
        guard let outcome = await shared.lifeline.wait(seeingOut: false) else { throw .cancelled() }
        _ = try outcome.get()
        return shared.credential.withLock { $0 }
    }

    private func way(after refusal: Refusal) -> Way {
        self.state.withLock { state in
            guard refusal.place.generation == state.generation else { return .none }
            if let answer = state.answers[refusal.place] {
                // Refreshed since that request was sent.
                if answer != refusal.refused { return .remembered(answer) }
                state.answers[refusal.place] = nil
            }
            if let refresh = state.refreshes[refusal], refresh.lifeline.join() { return .share(refresh) }
            let refresh = Refresh()
            refresh.lifeline.join()
            state.refreshes[refusal] = refresh
            return .ask(refresh)
        }
    }

    private func ask(_ context: AuthenticationContext, _ refusal: Refusal, _ refresh: Refresh) async {
        let result = await Self.$asking.withValue(Self.asking + [ObjectIdentifier(self)]) {
            await self.authenticator.value(for: context)
        }
        self.state.withLock { state in
            // Not one that everything was forgotten after, or that everyone had left.
            guard state.refreshes[refusal] === refresh else { return }
            state.refreshes[refusal] = nil
            guard case .success(let value?) = result else { return }
            if state.answers.count >= Self.limit { state.answers = [:] }
            state.answers[refusal.place] = value
        }
        refresh.credential.withLock { $0 = try? result.get() }
        refresh.lifeline.resolve(result.map { _ in ResponseSummary.none })
    }
}

extension Authenticator {
    fileprivate func value(for context: AuthenticationContext) async -> Result<String?, ErrandError> {
        do {
            return .success(try await self.credential(for: context)?.fieldValue())
        } catch {
            return .failure(ErrandError(wrapping: error, as: .authenticatorFailed, "\(type(of: self)) failed"))
        }
    }
}
