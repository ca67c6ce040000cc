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
    var isAsking: Bool { self.questions.isAsking }

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
        return !self.isRefused(kept.key, at: place)
    }

    /// Tells whether another credential is asked for because a server has refused this one.
    private func isRefused(_ key: String?, at place: Place) -> Bool {
        self.questions.state.withLock { state in
            state.refreshes[Questions.Refusal(place: place, refused: key)].map { !$0.isAhead.withLock { $0 } } ?? false
        }
    }

    /// Tells whether what requests at a place carry can still be sent, but not for long; then the next one is asked for.
    func renewsAhead(at place: Place, _ context: AuthenticationContext) -> Bool {
        guard let kept = self.keeper?.kept(for: context.url, at: context.date), kept.need == .soon,
            !self.isRefused(kept.key, at: place)
        else { return false }
        var context = context
        (context.refused, context.isAhead) = (kept.key, true)
        _ = self.begin(Questions.Refusal(place: place, refused: kept.key), context)
        return true
    }

    /// Waits until requests at a place have something to carry that is not known to be refused, nor over soon.
    ///
    /// - Throws: ``ErrandError`` when there is nothing to send.
    func prepare(at place: Place, _ context: AuthenticationContext) async throws(ErrandError) {
        guard let keeper else { return }
        if keeper.kept(for: context.url, at: context.date) == nil { try await keeper.load() }
        guard !self.isReady(at: place, for: context.url, context.date),
            let kept = keeper.kept(for: context.url, at: context.date)
        else { return }
        var context = context
        context.refused = kept.key
        context.isAhead = kept.need == .soon && !self.isRefused(kept.key, at: place)
        do throws(ErrandError) {
            _ = try await self.answer(to: kept.key, at: place, context)
        } catch {
            guard context.isAhead, !Task.isCancelled else { throw error }
        }
    }

    // MARK: - Asking

    /// Returns what to send in place of what was refused, or `nil` when there is nothing else to send, as for what
    /// began before everything was forgotten.
    func answer(
        to refused: String?, at place: Place, _ context: AuthenticationContext
    ) async throws(ErrandError) -> String? {
        let shared: Questions.Refresh
        switch self.begin(Questions.Refusal(place: place, refused: refused), context) {
        case .none: return nil
        case .remembered(let value): return value
        case .fail(let error): throw error
        case .share(let refresh), .ask(let refresh): shared = refresh
        }
        // Not seen out by the last: it may be the very request that the authenticator waits for.
        guard let outcome = await shared.lifeline.wait(seeingOut: false) else { throw .cancelled() }
        _ = try outcome.get()
        return shared.credential.withLock { $0 }
    }

    /// Asks, unless that is being done or of no use.
    private func begin(_ refusal: Questions.Refusal, _ context: AuthenticationContext) -> Way {
        let way = self.way(after: refusal, context, keptSince: self.keptSince(refusal, context))
        // Unstructured: it belongs to all who share it, and to nobody alone. Ends with the one question.
        if case .ask(let refresh) = way, refresh.lifeline.start() {
            refresh.lifeline.attach(spawn { await self.ask(context, refusal, refresh) })
        }
        return way
    }

    /// What a keeper has got since a request was sent, if it has.
    private func keptSince(_ refusal: Questions.Refusal, _ context: AuthenticationContext) -> String? {
        guard let key = self.keeper?.kept(for: context.url, at: context.date)?.key else { return nil }
        return key == refusal.refused ? nil : key
    }

    private func way(
        after refusal: Questions.Refusal, _ context: AuthenticationContext, keptSince: String?
    ) -> Way {
        self.questions.state.withLock { state in
            guard refusal.place.generation == state.generation else { return .none }
            if let keptSince { return .remembered(keptSince) }
            if let answer = state.answers[refusal.place] {
                // Refreshed since that request was sent.
                if answer != refusal.refused { return .remembered(answer) }
                state.answers[refusal.place] = nil
            }
            if let refresh = state.refreshes[refusal], refresh.lifeline.join() {
                if !context.isAhead { refresh.isAhead.withLock { $0 = false } }
                return .share(refresh)
            }
            if let failure = state.failures[refusal.place], failure.isRecent {
                if let error = failure.error { return .fail(error) }
                // What is over is asked for all the same.
                if failure.refused == refusal.refused, context.attempt > 0 { return .none }
            }
            let refresh = Questions.Refresh(isAhead: context.isAhead)
            refresh.lifeline.join()
            if self.keeper != nil { refresh.lifeline.keep() }
            state.refreshes[refusal] = refresh
            return .ask(refresh)
        }
    }

    private func ask(
        _ context: AuthenticationContext, _ refusal: Questions.Refusal, _ refresh: Questions.Refresh
    ) async {
        let result = await self.questions.ask { await self.result(of: context) }
        self.questions.state.withLock { state in
            // Not one that everything was forgotten after, or that everyone had left.
            guard state.refreshes[refusal] === refresh else { return }
            state.refreshes[refusal] = nil
            if let backoff = self.keeper?.backoff {
                self.note(result, of: context, &state.failures[refusal.place], backoff)
            }
            guard self.keeper == nil, case .success(let value?) = result else { return }
            if state.answers.count >= Self.limit { state.answers = [:] }
            state.answers[refusal.place] = value
        }
        refresh.credential.withLock { $0 = try? result.get() }
        refresh.lifeline.resolve(result.map { _ in ResponseSummary.none })
    }

    /// What the authenticator answers; what it keeps is not told, but that there is something.
    private func result(of context: AuthenticationContext) async -> Result<String?, ErrandError> {
        do {
            if let keeper { return .success(try await keeper.renew(context) ? "" : nil) }
            return .success(try await self.authenticator.credential(for: context)?.fieldValue())
        } catch {
            let failure = ErrandError(
                wrapping: error, as: .authenticatorFailed, "\(type(of: self.authenticator)) failed")
            // What became of a request of its own, such as for a token, says nothing about those that wait for it.
            guard failure.context.requestID != nil, failure.code != .loginRequired else { return .failure(failure) }
            return .failure(
                ErrandError(
                    .authenticatorFailed, "\(type(of: self.authenticator)) failed: \(failure)", cause: failure))
        }
    }

    /// Takes note of a failure, or of success, after which none counts any more.
    ///
    /// One that comes soon after the one before counts for longer. It is one too when what was got last is refused.
    private func note(
        _ result: Result<String?, ErrandError>, of context: AuthenticationContext,
        _ failure: inout Questions.Failure?, _ backoff: Backoff
    ) {
        var error: ErrandError?
        switch result {
        case .success(nil) where context.attempt > 1: break
        case .success:
            failure?.cease()
            return
        case .failure(let reason) where reason.code == .loginRequired && !context.isAhead: return failure = nil
        case .failure(let reason): error = reason
        }
        var delays = BackoffDelays(backoff.rule, using: self.random.numbers)
        if let failure, failure.isOneOfSeveral { delays = failure.delays }
        let delay = delays.next() ?? .zero
        failure = Questions.Failure(
            error: error, refused: context.refused, timebase: self.timebase, delay: delay,
            end: self.timebase.now + delay, delays: delays)
    }
}
