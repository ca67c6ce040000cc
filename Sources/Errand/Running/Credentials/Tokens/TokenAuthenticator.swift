internal import ErrandLocks

internal import struct Foundation.Date

/// Sends a token with requests, and renews it once for all of them.
///
/// The token is renewed before a request is sent when it is over, and after a 401 to the token that is current; a 401 to
/// an older one sends the request again with the current one. Requests wait for that without a slot, as long as
/// the authentication timeout allows, and each may leave alone. A renewal that has begun is seen through even then, and
/// its token is kept. While a token is renewed that soon will be over, requests are sent with it, but for those with a
/// body that cannot be sent again.
///
/// A renewal that fails fails all who wait for it. It is not tried again at once: until the time of the ``Backoff`` is
/// over, which is longer after each failure that follows soon, what needs a new token fails with the same error. A token
/// that can still be sent is sent meanwhile. One that was refused although it had just been renewed for the same request
/// is not renewed again for that time; then each 401 is the response.
///
/// Several processes may share a store. It is read again before a token is renewed, and when the server says that it
/// cannot be: what another process has renewed is used then. Only the token that failed is removed from the store. One
/// that another user has logged in with elsewhere is not sent with requests that began before, if tokens have an
/// ``OAuthToken/user``: without one it counts as renewed.
///
/// The token goes to the servers of the client as ``Authenticator`` says, and not with requests that have an
/// `Authorization` of their own. One authenticator may be shared by several clients: they share the token, its renewals
/// and ``Client/forgetCredentials()``.
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
        /// What the store had when it was last read or written.
        var stored = Stored.unknown
        /// The number of times it changed.
        var version = 0
        /// What gets it from the store, while that is done.
        var loading: Lifeline?
        /// What the store said last when it could not keep a token, or remove it, and nobody was told.
        var problem: (any Error)?

        mutating func hold(_ held: HeldToken) {
            self.held = held
            self.version += 1
        }
    }

    /// The content of the store, as far as it is known: what it has besides was put there by another process.
    enum Stored: Sendable {
        /// It could not be read yet.
        case unknown
        case token(OAuthToken?)
    }

    let questions = CredentialQuestions()
    let backoff: Backoff?
    let store: any TokenAuthenticator.Store
    private let ahead: Duration
    let refresh: @Sendable (OAuthToken?) async throws -> OAuthToken?
    let state = Locked(State())

    /// Creates an authenticator.
    ///
    /// - Parameters:
    ///   - store: Where the token is kept from one start of the app to the next.
    ///   - renewingAhead: How long before its end a token is renewed, but not in the first half of its life; less than
    ///     nothing is nothing. By the wall clock of the client that sends (``ClientConfiguration/Environment/date``).
    ///   - backoff: How long after a renewal that failed, or brought a token that was refused, it is not tried again, by the
    ///     client's clock; `Backoff.every(.zero)` for not at all.
    ///   - refresh: Gets a new token for the one that is given, or the first one for `nil`; returns `nil` when there is
    ///     none before the user logs in. What it does not fill in of ``OAuthToken/refreshToken``, ``OAuthToken/user`` and
    ///     ``OAuthToken/scope`` is taken over. An error with the code ``ErrandError/Code/loginRequired`` drops the token,
    ///     unless that can still be sent; any other one leaves it as it is. It may send requests with the same client:
    ///     they go without a token, and a 401 is their response.
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

    /// The token that requests carry now; `nil` where there is none.
    ///
    /// - Throws: ``ErrandError``; with the code ``ErrandError/Code/authenticatorFailed`` when the store cannot load it.
    public var token: OAuthToken? {
        get async throws {
            try await self.load()
            return self.held?.token
        }
    }

    /// Takes the token of a user who has logged in, and saves it.
    ///
    /// Requests that began before are not sent with it, unless it is one of the same ``OAuthToken/user``. A renewal that is
    /// under way is not kept, nor does its failure drop this token.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/invalidRequest`` when it cannot be sent, and what the
    ///   store throws: then it is used until the app ends.
    public func logIn(with token: OAuthToken) async throws {
        try? await self.load()
        let generation = self.questions.generation
        let known = self.state.withLock { ($0.held, $0.version) }
        let user = known.0.map(self.asOfNow)?.token?.userKey
        let held = try HeldToken(token, generation: generation, isFresh: false)
        // Where somebody else has logged in meanwhile it is not the same user any more.
        if user == nil || user != token.userKey || !self.hold(held, generation, after: known.1) {
            let next = try HeldToken(token, generation: self.questions.forget(), isFresh: false)
            self.state.withLock { $0.hold(next) }
        }
        try await self.write()
    }

    /// Forgets the token and removes it from the store, as ``Client/forgetCredentials()`` does: what begins later is
    /// sent without one, until another user logs in.
    ///
    /// A renewal that is under way is not kept.
    ///
    /// - Throws: What the store throws; the token is forgotten all the same, but may be back at the next start of the app.
    public func logOut() async throws {
        self.questions.forget()
        self.holdNothing()
        try await self.write()
    }

    // MARK: - What is held

    /// Holds what comes after a version, unless there is another one already, or everything was forgotten.
    func hold(_ held: HeldToken, _ generation: Int, after version: Int) -> Bool {
        self.state.withLock { state in
            guard state.version == version, self.questions.generation == generation else { return false }
            state.hold(held)
            return true
        }
    }

    /// Lets go of a token that everything was forgotten after, unless there is the next one already.
    private func holdNothing() {
        self.state.withLock { state in
            let generation = self.questions.generation
            if state.held?.generation != generation { state.hold(HeldToken(generation: generation, isOver: false)) }
        }
    }

    /// What there is, and nothing of one who has logged out; `nil` before it was loaded.
    var held: HeldToken? { self.state.withLock { $0.held }.map(self.asOfNow) }

    func asOfNow(_ held: HeldToken) -> HeldToken {
        let generation = self.questions.generation
        return held.generation == generation ? held : HeldToken(generation: generation, isOver: false)
    }

    /// Brings the store to what is held, until that has not changed meanwhile: of several who write, the last one does.
    ///
    /// - Parameter isRenewal: Whether that came of a renewal: what another process has put there stays, and is used.
    /// - Throws: What the store throws.
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

    /// The same where nobody is there to be told at once.
    func writeNotingProblems(isRenewal: Bool = false) async {
        do {
            try await self.write(isRenewal: isRenewal)
        } catch {
            self.state.withLock { $0.problem = error }
        }
    }
}

extension TokenAuthenticator: CredentialKeeper {
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
        // Unstructured: it belongs to all who wait for it. Ends with the store's own work, told to when all have left.
        if isFirst, shared.start() {
            shared.attach(spawn { shared.resolve(await self.questions.ask { await self.load(for: shared) }) })
        }
        guard let outcome = await shared.wait(seeingOut: false) else { throw .cancelled() }
        _ = try outcome.get()
    }

    private func load(for loading: Lifeline) async -> RunOutcome {
        let generation = self.questions.generation
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
        return "the store of the token could not be written to, and has what was there before: \(problem)"
    }

    func kept(for url: HTTPURL, at date: Date) -> KeptCredential? {
        let generation = self.questions.generation
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
        // Unstructured: who forgets does not wait. Ends with the store's own work.
        spawn { await self.writeNotingProblems() }
    }
}

extension TokenAuthenticator: CustomReflectable {
    /// A mirror without children: what looks into values must not find the secrets.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .class) }
}
