internal import ErrandLocks
internal import ErrandMachines

internal import struct Foundation.Date

/// Asks an authenticator once for all requests that were refused the same credential, and caches the result.
///
/// A credential is cached by its origin and by the credential that a request would have carried without it, so that it
/// is neither sent to another server nor with requests of another user. A refresh belongs to all its waiters: each can
/// leave independently, and the refresh is cancelled when the last of them has left.
///
/// A ``PreemptiveAuthenticator`` caches its own credentials, and is asked before a request is sent that needs another one. Its
/// refreshes are completed even if all waiters have left, since losing a renewed token could log the user out.
final class CredentialRefresher: Sendable {
    /// The key of cached credentials.
    struct CredentialKey: Hashable, Sendable {
        let origin: String
        /// The `Authorization` field of the requests before any credential was obtained.
        let original: String?
        /// The generation in which the requests began.
        let generation: Int
    }

    private typealias Refreshes = CredentialRefreshes

    private enum Action {
        case none
        case remembered(String)
        case share(Refreshes.Refresh)
        case ask(Refreshes.Refresh)
        case fail(ErrandError)
    }

    /// The maximum number of cached credentials.
    ///
    /// With more of them, the original fields change too often to be reused.
    private static let limit = 256

    let authenticator: any Authenticator
    /// The authenticator, if it is a keeper.
    let keeper: (any PreemptiveAuthenticator)?
    private let refreshes: CredentialRefreshes
    private let timebase: Timebase
    private let random: RandomSource

    init(_ authenticator: any Authenticator, _ timebase: Timebase, _ random: RandomSource) {
        let keeper = authenticator as? any PreemptiveAuthenticator
        self.authenticator = authenticator
        self.keeper = keeper
        self.refreshes = keeper?.refreshes ?? CredentialRefreshes()
        self.timebase = timebase
        self.random = random
    }

    /// The number of times that all credentials were forgotten.
    ///
    /// Requests of an older generation get no newer credentials.
    var generation: Int { self.refreshes.generation }

    /// True if the current task runs on behalf of the authenticator itself.
    var isAsking: Bool { self.refreshes.isAsking }

    /// The cached credential for requests, if any.
    func value(for place: CredentialKey) -> String? {
        self.refreshes.state.withLock { $0.answers[place] }
    }

    /// Forgets a credential that was refused.
    func forget(_ refused: String?, at place: CredentialKey) {
        self.refreshes.state.withLock { state in
            if state.answers[place] == refused { state.answers[place] = nil }
        }
    }

    /// Forgets all credentials.
    ///
    /// Refreshes in progress are delivered only to their current waiters.
    func forget() {
        self.refreshes.forget()
        self.keeper?.forget()
    }

    // MARK: - Before sending

    /// True if requests can be sent without waiting, because their credential is known, valid, and not being replaced.
    func isReady(at place: CredentialKey, for url: HTTPURL, _ date: Date) -> Bool {
        guard let kept = self.keeper?.kept(for: url, at: date), kept.need == .no else { return false }
        return !self.isRefused(kept.key, at: place)
    }

    /// True if the credential is being replaced because a server refused it.
    private func isRefused(_ key: String?, at place: CredentialKey) -> Bool {
        self.refreshes.state.withLock { state in
            state.refreshes[Refreshes.Refusal(place: place, refused: key)].map { !$0.isAhead.withLock { $0 } } ?? false
        }
    }

    /// True if the credential can still be sent but expires soon.
    ///
    /// Starts a refresh in that case.
    func renewsAhead(at place: CredentialKey, _ context: AuthenticationContext) -> Bool {
        guard let kept = self.keeper?.kept(for: context.url, at: context.date), kept.need == .soon,
            !self.isRefused(kept.key, at: place)
        else { return false }
        var context = context
        (context.refused, context.isAhead) = (kept.key, true)
        _ = self.begin(Refreshes.Refusal(place: place, refused: kept.key), context)
        return true
    }

    /// Waits until there is a credential that is neither known to be refused nor about to expire.
    ///
    /// - Throws: ``ErrandError`` if there is none.
    func prepare(at place: CredentialKey, _ context: AuthenticationContext) async throws(ErrandError) {
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

    // MARK: - Refreshing

    /// Returns the replacement of a refused credential, or `nil` if there is none, including for requests of an older
    /// generation.
    func answer(
        to refused: String?, at place: CredentialKey, _ context: AuthenticationContext
    ) async throws(ErrandError) -> String? {
        let shared: Refreshes.Refresh
        switch self.begin(Refreshes.Refusal(place: place, refused: refused), context) {
        case .none: return nil
        case .remembered(let value): return value
        case .fail(let error): throw error
        case .share(let refresh), .ask(let refresh): shared = refresh
        }
        // Do not wait for the refresh to end: the authenticator may be waiting for this very request.
        guard let outcome = await shared.lifeline.wait(seeingOut: false) else { throw .cancelled() }
        _ = try outcome.get()
        return shared.credential.withLock { $0 }
    }

    /// Starts a refresh, unless one is in progress or would be useless.
    private func begin(_ refusal: Refreshes.Refusal, _ context: AuthenticationContext) -> Action {
        let way = self.way(after: refusal, context, keptSince: self.keptSince(refusal, context))
        // Unstructured: the refresh belongs to all its waiters. Ends with the refresh.
        if case .ask(let refresh) = way, refresh.lifeline.start() {
            refresh.lifeline.attach(spawn { await self.ask(context, refusal, refresh) })
        }
        return way
    }

    /// The credential that the keeper has obtained since the request was sent, if any.
    private func keptSince(_ refusal: Refreshes.Refusal, _ context: AuthenticationContext) -> String? {
        guard let key = self.keeper?.kept(for: context.url, at: context.date)?.key else { return nil }
        return key == refusal.refused ? nil : key
    }

    private func way(
        after refusal: Refreshes.Refusal, _ context: AuthenticationContext, keptSince: String?
    ) -> Action {
        self.refreshes.state.withLock { state in
            guard refusal.place.generation == state.generation else { return .none }
            if let keptSince { return .remembered(keptSince) }
            if let answer = state.answers[refusal.place] {
                // The credential was refreshed after that request was sent.
                if answer != refusal.refused { return .remembered(answer) }
                state.answers[refusal.place] = nil
            }
            if let refresh = state.refreshes[refusal], refresh.lifeline.join() {
                if !context.isAhead { refresh.isAhead.withLock { $0 = false } }
                return .share(refresh)
            }
            if let failure = state.failures[refusal.place], failure.isRecent {
                if let error = failure.error { return .fail(error) }
                // An expired credential is refreshed nevertheless.
                if failure.refused == refusal.refused, context.attempt > 0 { return .none }
            }
            let refresh = Refreshes.Refresh(isAhead: context.isAhead)
            refresh.lifeline.join()
            if self.keeper != nil { refresh.lifeline.keep() }
            state.refreshes[refusal] = refresh
            return .ask(refresh)
        }
    }

    private func ask(
        _ context: AuthenticationContext, _ refusal: Refreshes.Refusal, _ refresh: Refreshes.Refresh
    ) async {
        let result = await self.refreshes.ask { await self.result(of: context) }
        self.refreshes.state.withLock { state in
            // Ignore the refresh if the credentials were forgotten or all waiters left in the meantime.
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

    /// The result of the authenticator.
    ///
    /// For a keeper, an empty string stands for the credential it keeps.
    private func result(of context: AuthenticationContext) async -> Result<String?, ErrandError> {
        do {
            if let keeper { return .success(try await keeper.renew(context) ? "" : nil) }
            return .success(try await self.authenticator.credential(for: context)?.fieldValue())
        } catch {
            let failure = ErrandError(
                wrapping: error, as: .authenticatorFailed, "\(type(of: self.authenticator)) failed")
            // The outcome of the authenticator's own request, for example for a token, is not the outcome of the
            // waiting requests.
            guard failure.context.requestID != nil, failure.code != .loginRequired else { return .failure(failure) }
            return .failure(
                ErrandError(
                    .authenticatorFailed, "\(type(of: self.authenticator)) failed: \(failure)", cause: failure))
        }
    }

    /// Records a failure, or a success that ends earlier failures.
    ///
    /// A failure soon after the previous one is delayed for longer. A refusal of the last credential obtained counts as
    /// a failure.
    private func note(
        _ result: Result<String?, ErrandError>, of context: AuthenticationContext,
        _ failure: inout Refreshes.Failure?, _ backoff: Backoff
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
        failure = Refreshes.Failure(
            error: error, refused: context.refused, timebase: self.timebase, delay: delay,
            end: self.timebase.now + delay, delays: delays)
    }
}
