/// A request with the additions made when it is sent.
struct CompleteRequest: Sendable {
    var request: HTTPRequest
    /// The credential of a keeper for the request; `nil` if the keeper does not apply to it.
    var kept: Kept?

    final class Kept: Sendable {
        let credential: KeptCredential
        /// The key under which the keeper is asked.
        let place: CredentialRefresher.CredentialKey

        init(_ credential: KeptCredential, at place: CredentialRefresher.CredentialKey) {
            self.credential = credential
            self.place = place
        }
    }
}

extension RequestEnvironment {
    /// Returns the request with the client's current cookies for its URL, and with a credential.
    func withCredentialsAndCookies(
        _ request: HTTPRequest, under terms: RequestTerms
    ) async -> CompleteRequest {
        var complete = CompleteRequest(request: request)
        complete.kept = self.kept(for: request, under: terms)
        let value = complete.kept?.credential.fieldValue(for: request)
        complete.request.setAuthorization(
            value ?? self.authorization(of: request, under: terms))
        if let cookies = self.cookies { complete.request = await complete.request.addingCookies(from: cookies) }
        return complete
    }

    /// Returns the request with the cookies and the credential that would be sent now, as far as known without
    /// suspending.
    ///
    /// Has no side effects.
    func preview(_ request: HTTPRequest, under terms: RequestTerms) -> HTTPRequest {
        var complete = request
        switch self.kept(for: request, under: terms)?.credential.form {
        case .value(let value)?: complete.setAuthorization(value)
        // Computed when the request is sent.
        case .digest?: break
        case KeptCredential.Form.none?, nil:
            complete.setAuthorization(self.authorization(of: request, under: terms))
        }
        guard let jar = self.cookies as? CookieJar else { return complete }
        return complete.adding(jar.preview(for: request.url))
    }

    /// The keeper for a request, if it must be loaded before the identity of the request is known.
    func unloadedKeeper(
        for request: HTTPRequest, under terms: RequestTerms
    ) -> (any PreemptiveAuthenticator)? {
        guard let keeper = self.refresher?.keeper, keeper.kept(for: request.url, at: self.date()) == nil,
            self.keptKey(of: request, under: terms) != nil
        else { return nil }
        return keeper
    }

    /// Returns the request as caches distinguish it, with the identity of the credential instead of the credential.
    ///
    /// Credentials that are not loaded do not count; see ``unloadedKeeper(for:under:)``.
    func identified(
        _ request: HTTPRequest, under terms: RequestTerms
    ) async -> HTTPRequest {
        if let identified = self.identifiedWithoutSuspending(request, under: terms) { return identified }
        var identified = request
        let kept = self.kept(for: request, under: terms)?.credential
        let value = kept?.identity ?? self.authorization(of: request, under: terms)
        identified.setAuthorization(value)
        guard let cookies = self.cookies else { return identified }
        return await identified.addingCookies(from: cookies)
    }

    /// Like `identified`, if that calls no user code; `nil` otherwise.
    func identifiedWithoutSuspending(
        _ request: HTTPRequest, under terms: RequestTerms
    ) -> HTTPRequest? {
        guard self.refresher?.keeper == nil, self.cookies == nil else { return nil }
        var identified = request
        identified.setAuthorization(self.authorization(of: request, under: terms))
        return identified
    }

    // MARK: - Credentials held by the authenticator

    /// The current credential of the keeper for a request.
    private func kept(
        for request: HTTPRequest, under terms: RequestTerms
    ) -> CompleteRequest.Kept? {
        guard let keeper = self.refresher?.keeper,
            let place = self.keptKey(of: request, under: terms),
            let kept = keeper.kept(for: request.url, at: self.date())
        else { return nil }
        return CompleteRequest.Kept(kept, at: place)
    }

    /// The key under which a keeper is asked about a request; `nil` if the keeper does not apply to it.
    ///
    /// This is the case if the endpoint has a credential of its own or wants none, if the server is not one of the
    /// client's, if the request began for another user, or if it belongs to the keeper itself.
    func keptKey(
        of request: HTTPRequest, under terms: RequestTerms
    ) -> CredentialRefresher.CredentialKey? {
        guard let refresher, let keeper = refresher.keeper,
            !request.headers.contains(HTTPField.Name.authorization), terms.generation == refresher.generation,
            !refresher.isAsking, terms.plan.answersChallenges(of: request.url, with: terms.options)
        else { return nil }
        return CredentialRefresher.CredentialKey(
            origin: keeper.isPerOrigin ? request.url.origin : "", original: nil, generation: terms.generation)
    }

    // MARK: - Cached credentials

    /// The current `Authorization` of a request: a refreshed credential, the request's own, or the client's.
    private func authorization(
        of request: HTTPRequest, under terms: RequestTerms
    ) -> String? {
        guard let refresher, terms.plan.answersChallenges(of: request.url, with: terms.options) else {
            return self.originalCredential(of: request, under: terms)
        }
        let place = self.credentialKey(of: request, under: terms)
        return refresher.value(for: place) ?? place.original
    }

    /// The `Authorization` of a request without the authenticator: the request's own, or the client's.
    private func originalCredential(
        of request: HTTPRequest, under terms: RequestTerms
    ) -> String? {
        let credentials = terms.options.value.usesCredentials ? terms.plan.credentials : nil
        return request.headers[HTTPField.Name.authorization] ?? credentials?.value(for: request.url)
    }

    /// The key under which credentials of the authenticator are cached.
    func credentialKey(
        of request: HTTPRequest, under terms: RequestTerms
    ) -> CredentialRefresher.CredentialKey {
        CredentialRefresher.CredentialKey(
            origin: request.url.origin, original: self.originalCredential(of: request, under: terms),
            generation: terms.generation)
    }
}

extension HTTPRequest {
    /// Sets the `Authorization` field, unless it is unchanged or `nil`.
    mutating func setAuthorization(_ value: String?) {
        guard let value, value != self.headers[HTTPField.Name.authorization] else { return }
        self.headers[HTTPField.Name.authorization] = value
    }
}
