internal import ErrandLocks

internal import struct Foundation.Date

/// Sends a token with requests, and renews it once for all of them.
///
/// The token is renewed before a request is sent if it has expired, and after a 401 to the current token. After a 401
/// to an older token, the request is sent again with the current one. Requests wait for a renewal without a slot, up to
/// the authentication timeout, and each can be cancelled independently. A renewal that has begun is completed even
/// then, and its token is kept. While a token that expires soon is being renewed, requests are still sent with it,
/// except those with a body that cannot be sent again.
///
/// A renewal that fails fails all waiting requests. It is not repeated at once: during the delay of the ``Backoff``,
/// which grows with each failure in a series, requests that need a new token fail with the same error. A token that can
/// still be sent is sent in the meantime. A token that was refused although it had just been renewed for the same
/// request is not renewed again during that delay; each 401 is then the response.
///
/// Several processes may share a store. The store is read again before a token is renewed and after the server has
/// rejected a renewal, so that a token renewed by another process is used. Only the token that failed is removed from
/// the store. A token of another user who has logged in elsewhere is not sent with requests that began earlier,
/// provided that tokens have an ``OAuthToken/user``; without one, the token counts as renewed.
///
/// The token is sent to the servers of the client as described for ``Authenticator``, and not with requests that have
/// an `Authorization` field of their own. Several clients may share one authenticator: they share the token, its
/// renewals, and ``Client/forgetCredentials()``.
///
/// ```swift
/// let tokens = TokenAuthenticator(store: store, renewingAhead: .seconds(60)) { token in
///     try await grant.token(renewing: token, with: login)
/// }
/// ```
public final class TokenAuthenticator: Authenticator {
    struct State {
        /// `nil` before it was loaded.
        var held: HeldToken?
        /// The content of the store when it was last read or written.
        var stored = Stored.unknown
        /// The number of changes of `held`.
        var version = 0
        /// The load in progress.
        var loading: Lifeline?
        /// The last error of the store while saving or removing a token, until it is reported.
        var problem: (any Error)?

        mutating func hold(_ held: HeldToken) {
            self.held = held
            self.version += 1
        }
    }

    /// The last known content of the store.
    ///
    /// Different content was stored by another process.
    enum Stored: Sendable {
        /// The store has not been read yet.
        case unknown
        case token(OAuthToken?)
    }

    let refreshes = CredentialRefreshes()
    let backoff: Backoff?
    let store: any TokenAuthenticator.Store
    private let ahead: Duration
    let refresh: @Sendable (OAuthToken?) async throws -> OAuthToken?
    let state = Locked(State())

    /// Creates an authenticator.
    ///
    /// - Parameters:
    ///   - store: The persistent storage of the token.
    ///   - renewingAhead: The time before its expiration at which a token is renewed, but not in the first half of its
    ///     life. Negative values count as zero. Measured by the wall clock of the sending client
    ///     (``ClientConfiguration/Environment/date``).
    ///   - backoff: The delay before the next renewal after one that failed, or whose token was refused, measured by
    ///     the client's clock. `Backoff.every(.zero)` disables the delay.
    ///   - refresh: Obtains a new token to replace the given one, or the first token if it is `nil`. Returns `nil` if
    ///     there is none until the user logs in. Missing values of ``OAuthToken/refreshToken``, ``OAuthToken/user``,
    ///     and ``OAuthToken/scope`` are taken from the given token. An error with the code
    ///     ``ErrandError/Code/loginRequired`` drops the token unless it can still be sent; after any other error the
    ///     token is kept. The closure may send requests with the same client: they carry no token, and a 401 is their
    ///     response.
    public init(
        store: any Store = .memory, renewingAhead: Duration = .zero,
        backoff: Backoff = Backoff(base: .seconds(1), cap: .seconds(60), jitter: .decorrelated),
        refresh: @escaping @Sendable (_ token: OAuthToken?) async throws -> OAuthToken?
    ) {
        self.store = store
        self.ahead = max(.zero, renewingAhead)
        self.backoff = backoff
        self.refresh = refresh
    }

    // MARK: - The user

    /// The current token; `nil` if there is none.
    ///
    /// - Throws: ``ErrandError``; with the code ``ErrandError/Code/authenticatorFailed`` if the store cannot load it.
    public var token: OAuthToken? {
        get async throws {
            try await self.load()
            return self.held?.token
        }
    }

    /// Uses the token of a user who has logged in, and saves it.
    ///
    /// Requests that began earlier are not sent with it, unless it has the same ``OAuthToken/user``. A renewal in
    /// progress is discarded, and its failure does not drop this token.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/invalidRequest`` if the token cannot be sent, or the
    ///   error of the store; the token is then used until the app ends.
    public func logIn(with token: OAuthToken) async throws {
        try? await self.load()
        let generation = self.refreshes.generation
        let known = self.state.withLock { ($0.held, $0.version) }
        let user = known.0.map(self.asOfNow)?.token?.userKey
        let held = try HeldToken(token, generation: generation, isFresh: false)
        // If another user has logged in in the meantime, it is no longer the same user.
        if user == nil || user != token.userKey || !self.hold(held, generation, after: known.1) {
            let next = try HeldToken(token, generation: self.refreshes.forget(), isFresh: false)
            self.state.withLock { $0.hold(next) }
        }
        try await self.write()
    }

    /// Forgets the token and removes it from the store, as ``Client/forgetCredentials()`` does.
    ///
    /// Later requests are sent without a token until another user logs in. A renewal in progress is discarded.
    ///
    /// - Throws: The error of the store. The token is forgotten nevertheless, but may return at the next start of the
    ///   app.
    public func logOut() async throws {
        self.refreshes.forget()
        self.holdNothing()
        try await self.write()
    }

    // MARK: - Held token

    /// Holds the successor of a version, unless the version has changed or the credentials were forgotten.
    func hold(_ held: HeldToken, _ generation: Int, after version: Int) -> Bool {
        self.state.withLock { state in
            guard state.version == version, self.refreshes.generation == generation else { return false }
            state.hold(held)
            return true
        }
    }

    /// Drops a token of an older generation, unless there is a newer one already.
    private func holdNothing() {
        self.state.withLock { state in
            let generation = self.refreshes.generation
            if state.held?.generation != generation { state.hold(HeldToken(generation: generation, isOver: false)) }
        }
    }

    /// The held token of the current generation; `nil` before it was loaded.
    var held: HeldToken? { self.state.withLock { $0.held }.map(self.asOfNow) }

    func asOfNow(_ held: HeldToken) -> HeldToken {
        let generation = self.refreshes.generation
        return held.generation == generation ? held : HeldToken(generation: generation, isOver: false)
    }

    /// Writes the held token to the store, and repeats that until it has not changed in the meantime.
    ///
    /// - Parameter isRenewal: True if the change results from a renewal: a token that another process has stored stays,
    ///   and is used.
    /// - Throws: The error of the store.
    func write(isRenewal: Bool = false) async throws {
        while true {
            let (held, version, stored) = self.state.withLock { ($0.held, $0.version, $0.stored) }
            guard let held else { return }
            let token = self.asOfNow(held).token
            if isRenewal, case .token(let known) = stored {
                guard try await self.store.replace(known, with: token) else { return _ = await self.readAgain() }
            } else if let token {
                try await self.store.save(token)
            } else {
                try await self.store.remove()
            }
            let isDone = self.state.withLock { state in
                state.stored = .token(token)
                if state.version == version { state.problem = nil }
                return state.version == version
            }
            if isDone { return }
        }
    }

    /// Writes to the store, and records an error instead of throwing it.
    func writeNotingProblems(isRenewal: Bool = false) async {
        do {
            try await self.write(isRenewal: isRenewal)
        } catch {
            self.state.withLock { $0.problem = error }
        }
    }
}

extension TokenAuthenticator: PreemptiveAuthenticator {
    var isPerOrigin: Bool { false }

    func load() async throws(ErrandError) {
        let (shared, isFirst) = self.state.withLock { state -> (Lifeline?, Bool) in
            guard state.held == nil else { return (nil, false) }
            if let loading = state.loading, loading.join() { return (loading, false) }
            let loading = Lifeline()
            loading.join()
            state.loading = loading
            return (loading, true)
        }
        guard let shared else { return }
        // Unstructured: the load belongs to all its waiters. Ends with the store's work, which is cancelled when all
        // have left.
        if isFirst, shared.start() {
            shared.attach(spawn { shared.resolve(await self.refreshes.ask { await self.load(for: shared) }) })
        }
        guard let outcome = await shared.wait(seeingOut: false) else { throw .cancelled() }
        _ = try outcome.get()
    }

    private func load(for loading: Lifeline) async -> RunOutcome {
        let generation = self.refreshes.generation
        let result: Result<HeldToken, ErrandError>
        do {
            result = .success(try HeldToken(try await self.store.load(), generation: generation, isFresh: false))
        } catch {
            result = .failure(ErrandError(wrapping: error, as: .authenticatorFailed, "\(type(of: self)) failed"))
        }
        self.state.withLock { state in
            if state.loading === loading { state.loading = nil }
            if state.held == nil, let held = try? result.get() {
                (state.held, state.stored) = (held, .token(held.token))
            }
        }
        return result.map { _ in ResponseSummary.none }
    }

    func renew(_ context: AuthenticationContext) async throws -> Bool {
        try await self.credential(for: context) != nil
    }

    func takeNotice() -> String? {
        guard let problem = self.state.withLock({ $0.problem.take() }) else { return nil }
        return "the token store could not be written and keeps its previous content: \(problem)"
    }

    func kept(for url: HTTPURL, at date: Date) -> KeptCredential? {
        let generation = self.refreshes.generation
        return self.state.withLock { state in
            guard state.held?.generation == generation else {
                return state.held.map { _ in KeptCredential(need: .now) }
            }
            return state.held?.kept(at: date, renewingAhead: self.ahead)
        }
    }

    func noteRefusal(_ context: AuthenticationContext) {
        self.state.withLock { state in
            if state.held?.value == context.refused { state.held?.isRefused = true }
        }
    }

    func forget() {
        self.holdNothing()
        // Unstructured: the caller does not wait. Ends with the store's work.
        spawn { await self.writeNotingProblems() }
    }
}

extension TokenAuthenticator: CustomReflectable {
    /// A mirror without children, so that reflection does not reveal secrets.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .class) }
}
