internal import ErrandLocks

internal import struct Foundation.Date

extension TokenAuthenticator {
    /// Returns the current token, renewing it if it is the one that was refused.
    public func credential(for context: AuthenticationContext) async throws -> HTTPCredential? {
        try await self.load()
        let generation = self.refreshes.generation
        if let current = self.current(besides: context.refused) { return current }
        guard context.attempt < 2 || self.held?.token == nil else { return nil }
        return try await self.store.whileRenewing { try await self.renew(context, generation) }
    }

    /// The current token, unless it is the one that was refused.
    private func current(besides refused: String?) -> HTTPCredential? {
        let held = self.held
        return held?.value == refused ? nil : held?.token.map { .bearer($0.accessToken) }
    }

    /// Renews the token, unless another process has done so.
    private func renew(_ context: AuthenticationContext, _ generation: Int) async throws -> HTTPCredential? {
        let isOther = await self.readAgain()
        guard self.refreshes.generation == generation else { return self.newer(generation) }
        let (known, version) = self.state.withLock { ($0.held, $0.version) }
        let held = known.map(self.asOfNow)
        // The token of another process may be expired, too.
        if let token = held?.token, held?.value != context.refused, !isOther || !token.isOver(at: context.date) {
            return .bearer(token.accessToken)
        }
        guard held?.isOver != true else { return nil }
        let rotation = TokenRotation()
        do {
            let new = try await rotation.watch { try await self.refresh(held?.token)?.renewing(held?.token) }
            guard let new else { return await self.drop(generation, after: version) }
            rotation.note(new.refreshToken, after: held?.token?.refreshToken)
            return try await self.take(new, generation, after: version)
        } catch {
            let version = await self.keep(rotation.refreshToken, of: held, generation, after: version)
            guard (error as? ErrandError)?.code == .loginRequired else { throw error }
            // Without a lock in the store, another process may have renewed the token in the meantime.
            if await self.readAgain(), let current = self.newer(generation), self.held?.value != held?.value {
                return current
            }
            guard !context.isAhead, let newer = await self.drop(generation, after: version) else { throw error }
            return newer
        }
    }

    /// Holds a renewed token, unless the user has logged out or in again in the meantime, here or elsewhere.
    private func take(
        _ token: OAuthToken, _ generation: Int, after version: Int
    ) async throws(ErrandError) -> HTTPCredential? {
        let held = try HeldToken(token, generation: generation, isFresh: true)
        guard self.hold(held, generation, after: version) else { return self.newer(generation) }
        // A token that cannot be saved is used until the app ends.
        await self.writeNotingProblems(isRenewal: true)
        return self.newer(generation)
    }

    /// Holds a rotated refresh token from a response that was unusable otherwise.
    ///
    /// - Returns: The current version.
    private func keep(
        _ refreshToken: String?, of held: HeldToken?, _ generation: Int, after version: Int
    ) async -> Int {
        guard let refreshToken, var token = held?.token, token.refreshToken != refreshToken else { return version }
        token.refreshToken = refreshToken
        guard let next = try? HeldToken(token, generation: generation, isFresh: false),
            self.hold(next, generation, after: version)
        else { return version }
        await self.writeNotingProblems(isRenewal: true)
        return version + 1
    }

    /// Drops the token that could not be renewed.
    ///
    /// Returns the token of a login in the meantime, if any.
    private func drop(_ generation: Int, after version: Int) async -> HTTPCredential? {
        if self.hold(HeldToken(generation: generation, isOver: true), generation, after: version) {
            await self.writeNotingProblems(isRenewal: true)
        }
        return self.newer(generation)
    }

    private func newer(_ generation: Int) -> HTTPCredential? {
        self.state.withLock { $0.held?.generation == generation ? $0.held?.token : nil }
            .map { .bearer($0.accessToken) }
    }

    /// Takes over a token that another process has stored since this process last read or wrote the store.
    ///
    /// The held token stays if the store cannot be read, or if the user logs in or out in the meantime.
    ///
    /// - Returns: True if the stored token was different.
    @discardableResult
    func readAgain() async -> Bool {
        let generation = self.refreshes.generation
        let (held, version, stored) = self.state.withLock { ($0.held.map(self.asOfNow), $0.version, $0.stored) }
        guard case .token(let known) = stored else { return false }
        let token: OAuthToken?
        let next: HeldToken
        do {
            token = try await self.store.load()
            next = try HeldToken(token, generation: generation, isFresh: false)
        } catch {
            return false
        }
        guard !token.isSame(as: known) else { return false }
        let isTaken = self.state.withLock { state in
            guard state.version == version, self.refreshes.generation == generation else { return false }
            state.stored = .token(token)
            state.hold(next)
            return true
        }
        // Requests that began earlier belong to the previous user.
        if isTaken, held?.token?.userKey != token?.userKey,
            let next = try? HeldToken(
                token, generation: self.refreshes.forget(), isFresh: false)
        {
            self.state.withLock { $0.hold(next) }
        }
        return isTaken
    }
}

extension OAuthToken {
    fileprivate func isOver(at date: Date) -> Bool { self.expiresAt.map { $0 <= date } ?? false }
}
