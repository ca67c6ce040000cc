/// A request with everything that is added when it is sent.
struct CompleteRequest: Sendable {
    var request: HTTPRequest
    /// What a keeper of credentials had for it; `nil` where it has no part in the request.
    var kept: Kept?

    final class Kept: Sendable {
        let credential: KeptCredential
        /// By what the keeper is asked about it.
        let place: CredentialRefresher.Place

        init(_ credential: KeptCredential, at place: CredentialRefresher.Place) {
            self.credential = credential
            self.place = place
        }
    }
}

extension RequestEnvironment {
    /// Returns a request with the cookies that the client has for its URL at this moment, and with a credential.
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

    /// Returns a request with the cookies and the credential that would be sent with it at this moment, as far as that is
    /// known without waiting; changes nothing.
    func preview(_ request: HTTPRequest, under terms: RequestTerms) -> HTTPRequest {
        var complete = request
        switch self.kept(for: request, under: terms)?.credential.form {
        case .value(let value)?: complete.setAuthorization(value)
        // Made when it is sent.
        case .digest?: break
        case KeptCredential.Form.none?, nil:
            complete.setAuthorization(self.authorization(of: request, under: terms))
        }
        guard let jar = self.cookies as? CookieJar else { return complete }
        return complete.adding(jar.preview(for: request.url))
    }

    /// Who keeps a credential for a request, where that is to be loaded before it is known who asks.
    func unloadedKeeper(
        for request: HTTPRequest, under terms: RequestTerms
    ) -> (any CredentialKeeper)? {
        guard let keeper = self.refresher?.keeper, keeper.kept(for: request.url, at: self.date()) == nil,
            self.keptPlace(of: request, under: terms) != nil
        else { return nil }
        return keeper
    }

    /// Returns a request as a cache tells it from those of others: with whom a credential is for in place of what would
    /// be sent.
    ///
    /// What is not loaded is nobody's; see ``unloadedKeeper(for:under:)``.
    func identified(
        _ request: HTTPRequest, under terms: RequestTerms
    ) async -> HTTPRequest {
        if let identified = self.identifiedAtHand(request, under: terms) { return identified }
        var identified = request
        let kept = self.kept(for: request, under: terms)?.credential
        let value = kept?.identity ?? self.authorization(of: request, under: terms)
        identified.setAuthorization(value)
        guard let cookies = self.cookies else { return identified }
        return await identified.addingCookies(from: cookies)
    }

    /// The same, where that takes no code of others; `nil` where it does.
    func identifiedAtHand(
        _ request: HTTPRequest, under terms: RequestTerms
    ) -> HTTPRequest? {
        guard self.refresher?.keeper == nil, self.cookies == nil else { return nil }
        var identified = request
        identified.setAuthorization(self.authorization(of: request, under: terms))
        return identified
    }

    // MARK: - Kept by the authenticator

    /// What a keeper of credentials has for a request at this moment.
    private func kept(
        for request: HTTPRequest, under terms: RequestTerms
    ) -> CompleteRequest.Kept? {
        guard let keeper = self.refresher?.keeper,
            let place = self.keptPlace(of: request, under: terms),
            let kept = keeper.kept(for: request.url, at: self.date())
        else { return nil }
        return CompleteRequest.Kept(kept, at: place)
    }

    /// By what a keeper is asked about a request; `nil` where it has no part in it: an endpoint has a credential of its
    /// own or wants none, the server is none of the client's, it began for another user, or it works for the keeper.
    func keptPlace(
        of request: HTTPRequest, under terms: RequestTerms
    ) -> CredentialRefresher.Place? {
        guard let refresher, let keeper = refresher.keeper,
            !request.headers.contains(HTTPField.Name.authorization), terms.generation == refresher.generation,
            !refresher.isAsking, terms.plan.answersChallenges(of: request.url, with: terms.options)
        else { return nil }
        return CredentialRefresher.Place(
            origin: keeper.isPerOrigin ? request.url.origin : "", original: nil, generation: terms.generation)
    }

    // MARK: - Remembered of the authenticator

    /// The `Authorization` of a request at this moment: what was refreshed since, its own, or the client's.
    private func authorization(
        of request: HTTPRequest, under terms: RequestTerms
    ) -> String? {
        guard let refresher, terms.plan.answersChallenges(of: request.url, with: terms.options) else {
            return self.originalCredential(of: request, under: terms)
        }
        let place = self.credentialPlace(of: request, under: terms)
        return refresher.value(for: place) ?? place.original
    }

    /// The `Authorization` of a request before anybody was asked: its own, or the client's.
    private func originalCredential(
        of request: HTTPRequest, under terms: RequestTerms
    ) -> String? {
        let credentials = terms.options.value.usesCredentials ? terms.plan.credentials : nil
        return request.headers[HTTPField.Name.authorization] ?? credentials?.value(for: request.url)
    }

    /// What answers of the authenticator are remembered by.
    func credentialPlace(
        of request: HTTPRequest, under terms: RequestTerms
    ) -> CredentialRefresher.Place {
        CredentialRefresher.Place(
            origin: request.url.origin, original: self.originalCredential(of: request, under: terms),
            generation: terms.generation)
    }
}

extension HTTPRequest {
    /// Sets what proves who asks, unless there is nothing new to set.
    mutating func setAuthorization(_ value: String?) {
        guard let value, value != self.headers[HTTPField.Name.authorization] else { return }
        self.headers[HTTPField.Name.authorization] = value
    }
}
