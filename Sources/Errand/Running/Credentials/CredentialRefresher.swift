internal import ErrandLocks
internal import ErrandMachines

internal import struct Foundation.Date

/// Asks an authenticator once for all requests that were refused the same credential, and remembers what it answers.
///
/// An answer is remembered by its origin and by what a request would have carried without it, so that it goes neither
/// to another server nor to requests of someone else. It belongs to all who share it: each leaves alone, and the
/// question is cancelled when the last of them has left.
///
/// A ``CredentialKeeper`` remembers for itself, and is asked before a request is sent that needs another credential. Its
/// questions are seen through even when everyone has left: a token that was renewed and not kept could be the last one.
final class CredentialRefresher: Sendable {
    /// Which requests an answer is for.
    struct Place: Hashable, Sendable {
        let origin: String
        /// The `Authorization` that they carry when nothing is remembered.
        let original: String?
        /// How often everything had been forgotten when they began.
        let generation: Int
    }

    private typealias Questions = CredentialQuestions

    private enum Way {
        case none
        case remembered(String)
        case share(Questions.Refresh)
        case ask(Questions.Refresh)
        case fail(ErrandError)
    }

    /// How many answers are remembered: with more of them the originals change too often to come again.
    private static let limit = 256
    /// The questions that the current task works for: what it sends must not wait for itself.
    ///
    /// A task that one of them has left behind works for it no longer.
    @TaskLocal private static var asking: [Questions.Refresh] = []

    let authenticator: any Authenticator
    /// The same, if it keeps what requests carry.
    let keeper: (any CredentialKeeper)?
    private let questions: CredentialQuestions
    private let timebase: Timebase
    private let random: RandomSource

    init(_ authenticator: any Authenticator, _ timebase: Timebase, _ random: RandomSource) {
        let keeper = authenticator as? any CredentialKeeper
        self.authenticator = authenticator
        self.keeper = keeper
        self.questions = keeper?.questions ?? CredentialQuestions()
        self.timebase = timebase
        self.random = random
    }

    /// How often everything was forgotten: what began before the last time has no part in what is answered since.
    var generation: Int { self.questions.generation }

    /// Whether the current task works for the authenticator itself.
    var isAsking: Bool {
        Self.asking.contains { $0.questions == ObjectIdentifier(self.questions) && $0.isAsked.withLock { $0 } }
    }

    /// What requests carry now, if something is remembered for them.
    func value(for place: Place) -> String? {
        self.questions.state.withLock { $0.answers[place] }
    }

    /// Forgets an answer that was refused.
    func forget(_ refused: String?, at place: Place) {
        self.questions.state.withLock { state in
            if state.answers[place] == refused { state.answers[place] = nil }
        }
    }

    /// Forgets everything; what is being asked for goes to those who wait for it, and to nobody else.
    func forget() {
        self.questions.forget()
        self.keeper?.forget()
    }

    // MARK: - Asking before anything is sent

    /// Tells whether requests at a place can be sent without waiting: what they carry is known, and no other one is needed
    /// or asked for.
    func isReady(at place: Place, for url: HTTPURL, _ date: Date) -> Bool {
        guard let kept = self.keeper?.kept(for: url, at: date), kept.need == .no else { return false }
        return self.questions.state.withLock { $0.refreshes[Questions.Refusal(place: place, refused: kept.key)] == nil }
    }

    /// Waits until requests at a place have something to carry that is not known to be refused.
    ///
    /// - Throws: ``ErrandError`` when there is nothing to send; not while what there is can still be sent.
    func prepare(at place: Place, _ context: AuthenticationContext) async throws(ErrandError) {
        guard let keeper else { return }
        if keeper.kept(for: context.url, at: context.date) == nil { try await keeper.loaded() }
        guard !self.isReady(at: place, for: context.url, context.date),
            let kept = keeper.kept(for: context.url, at: context.date)
        else { return }
        var context = context
        context.refused = kept.key
        do throws(ErrandError) {
            _ = try await self.answer(to: kept.key, at: place, context)
        } catch {
            guard kept.need == .soon, error.code != .loginRequired, !Task.isCancelled else { throw error }
        }
    }

    // MARK: - Asking

    /// Returns what to send in place of what was refused, or `nil` when there is nothing else to send, as for what
    /// began before everything was forgotten.
    func answer(
        to refused: String?, at place: Place, _ context: AuthenticationContext
    ) async throws(ErrandError) -> String? {
        let refusal = Questions.Refusal(place: place, refused: refused)
        let shared: Questions.Refresh
        switch self.way(after: refusal, keptSince: self.keptSince(refusal, context)) {
        case .none: return nil
        case .remembered(let value): return value
        case .fail(let error): throw error
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

    /// What a keeper has got since a request was sent, if it has.
    private func keptSince(_ refusal: Questions.Refusal, _ context: AuthenticationContext) -> String? {
        guard let key = self.keeper?.kept(for: context.url, at: context.date)?.key else { return nil }
        return key == refusal.refused ? nil : key
    }

    private func way(after refusal: Questions.Refusal, keptSince: String?) -> Way {
        self.questions.state.withLock { state in
            guard refusal.place.generation == state.generation else { return .none }
            if let keptSince { return .remembered(keptSince) }
            if let answer = state.answers[refusal.place] {
                // Refreshed since that request was sent.
                if answer != refusal.refused { return .remembered(answer) }
                state.answers[refusal.place] = nil
            }
            if let refresh = state.refreshes[refusal], refresh.lifeline.join() { return .share(refresh) }
            if let failure = state.failures[refusal.place], failure.isRecent { return .fail(failure.error) }
            let refresh = Questions.Refresh(of: self.questions)
            refresh.lifeline.join()
            if self.keeper != nil { refresh.lifeline.keep() }
            state.refreshes[refusal] = refresh
            return .ask(refresh)
        }
    }

    private func ask(
        _ context: AuthenticationContext, _ refusal: Questions.Refusal, _ refresh: Questions.Refresh
    ) async {
        let result = await Self.$asking.withValue(Self.asking + [refresh]) {
            await self.authenticator.value(for: context)
        }
        refresh.isAsked.withLock { $0 = false }
        self.questions.state.withLock { state in
            // Not one that everything was forgotten after, or that everyone had left.
            guard state.refreshes[refusal] === refresh else { return }
            state.refreshes[refusal] = nil
            if let backoff = self.keeper?.backoff { self.note(result, &state.failures[refusal.place], backoff) }
            guard self.keeper == nil, case .success(let value?) = result else { return }
            if state.answers.count >= Self.limit { state.answers = [:] }
            state.answers[refusal.place] = value
        }
        refresh.credential.withLock { $0 = try? result.get() }
        refresh.lifeline.resolve(result.map { _ in ResponseSummary.none })
    }

    /// Takes note of a failure, which counts for longer each time, or of success, after which none counts any more.
    private func note(
        _ result: Result<String?, ErrandError>, _ failure: inout Questions.Failure?, _ backoff: Backoff
    ) {
        guard case .failure(let error) = result, error.code != .loginRequired else { return failure = nil }
        var delays = failure?.delays ?? BackoffDelays(backoff.rule, using: self.random.numbers)
        let end = self.timebase.now + (delays.next() ?? .zero)
        failure = Questions.Failure(error: error, timebase: self.timebase, end: end, delays: delays)
    }
}

extension CredentialKeeper {
    fileprivate func loaded() async throws(ErrandError) {
        do {
            try await self.load()
        } catch {
            throw ErrandError(wrapping: error, as: .authenticatorFailed, "\(type(of: self)) failed")
        }
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
