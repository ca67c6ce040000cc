/// The defaults of a client as requests need them: parsed, joined and checked once for all of them.
package final class RequestPlan: Sendable {
    package let defaults: RequestDefaults
    /// The options of the client, for requests that say nothing of their own.
    package let options: SharedOptions
    package let fields: AddedFields
    /// Which credential goes to which origin unasked; `nil` when there is none.
    package let credentials: OriginCredentials?
    private let baseURL: ParsedBaseURL?
    private let cdnURL: ParsedBaseURL?
    private let baseURLs: [String: ParsedBaseURL]
    /// What is secret among the client's header fields, and the origins that it may go to.
    private let secretFields: HTTPFields
    private let ownOrigins: Set<String>

    package init(_ defaults: RequestDefaults) {
        var defaults = defaults
        var options = EffectiveOptions()
        options.merge(defaults.options.forAll(of: .client))
        self.options = SharedOptions(options)
        self.fields = AddedFields(defaults.headers, options.defaultHeaders)
        let baseURL = defaults.baseURLs.main.map { ParsedBaseURL($0) }
        let cdnURL = defaults.baseURLs.cdn.map { ParsedBaseURL($0) }
        let baseURLs = defaults.baseURLs.named.mapValues { ParsedBaseURL($0) }
        let urls = [baseURL, cdnURL].compactMap { $0?.url } + baseURLs.values.compactMap(\.url)
        if defaults.credentials.place == nil { defaults.credentials.place = baseURL?.url?.origin }
        self.credentials = OriginCredentials(
            defaults.credentials.origin, baseURL: defaults.credentials.place ?? defaults.baseURLs.main,
            others: defaults.credentials.otherOrigins, urls: urls)
        let credentials = CredentialFields(defaults.secretHeaders)
        self.secretFields = HTTPFields(defaults.headers.filter { credentials.contain($0.name) })
        self.ownOrigins = Set(urls.map(\.origin))
        (self.baseURL, self.cdnURL, self.baseURLs) = (
            baseURL?.withoutUserInfo, cdnURL?.withoutUserInfo, baseURLs.mapValues(\.withoutUserInfo)
        )
        self.defaults = defaults
    }

    // MARK: - Secrets

    /// Tells whether the client has origins of its own.
    var hasOrigins: Bool { !self.ownOrigins.isEmpty }

    /// Tells whether a URL is of one of the client's own origins.
    func isOwn(_ url: HTTPURL) -> Bool { self.ownOrigins.contains(url.origin) }

    /// Tells whether a server may ask the client's authenticator about a request: one of the client's own, one that it
    /// has a credential for, and any that the endpoint sends secrets to; none of an endpoint that uses no credentials.
    func answersChallenges(of url: HTTPURL, with options: SharedOptions) -> Bool {
        guard options.value.usesCredentials else { return false }
        return options.value.sendsSecretsToAllOrigins || self.ownOrigins.contains(url.origin)
            || self.credentials?.value(for: url) != nil
    }

    /// Returns header fields without those of the client's that are secret, unless the URL is of one of its own origins.
    func withoutSecrets(_ fields: HTTPFields, for url: HTTPURL) -> HTTPFields {
        guard !self.secretFields.isEmpty, !self.ownOrigins.contains(url.origin) else { return fields }
        return HTTPFields(fields.filter { !self.secretFields.contains($0) })
    }

    /// Returns a request as it may be sent that was changed by code of the app.
    ///
    /// - Parameters:
    ///   - request: What was made of it.
    ///   - options: Its options.
    ///   - url: The URL that it had before: on the way to another origin secrets of the client's stay behind.
    /// - Returns: The request.
    /// - Throws: ``ErrandError`` when it cannot be sent.
    func checked(
        _ request: HTTPRequest, with options: SharedOptions, insteadOf url: HTTPURL
    ) throws(ErrandError) -> HTTPRequest {
        var request = request
        request.allowedNetworks = request.allowedNetworks.intersection(options.value.networks)
        try request.takeUserInfo()
        try request.validate()
        if !options.value.sendsSecretsToAllOrigins, !request.url.hasSameOrigin(as: url) {
            request.headers = self.withoutSecrets(request.headers, for: request.url)
        }
        return request
    }

    // MARK: - URLs

    /// Returns the URL that an endpoint asks for: an absolute one as it is, all others filtered and resolved.
    package func url(for endpoint: some Endpoint, with options: SharedOptions) throws(ErrandError) -> HTTPURL {
        var path = try endpoint.path.accepted(for: endpoint)
        let base = self.base(of: endpoint)
        if !self.defaults.baseURLs.pathFilters.isEmpty, path.isRelative, self.filters(pathsBelow: base, with: options) {
            for filter in self.defaults.baseURLs.pathFilters {
                path = try filter.filter(path, of: endpoint).accepted(for: endpoint)
            }
        }
        if path.kind == .url { return try HTTPURL(path.reference) }
        return try base.resolve(path.reference)
    }

    /// Tells whether filters may share what they add with a base; with one that cannot be used nothing is shared.
    private func filters(pathsBelow base: ParsedBaseURL, with options: SharedOptions) -> Bool {
        guard let url = base.url else { return true }
        return options.value.sendsSecretsToAllOrigins || self.ownOrigins.contains(url.origin)
    }

    /// The base URL that an endpoint names, or else that of the content delivery network or of the client.
    private func base(of endpoint: some Endpoint) -> ParsedBaseURL {
        switch endpoint.baseURL {
        case .url(let text): ParsedBaseURL(text)
        case .named(let name): self.baseURLs[name] ?? ParsedBaseURL(missing: "no base URL has the name \"\(name)\"")
        case .cdn:
            self.cdnURL ?? ParsedBaseURL(missing: "the client has no URL for the content delivery network")
        case .client: self.baseURL ?? ParsedBaseURL(missing: "the client has no base URL")
        }
    }
}

extension EndpointPath {
    /// The path, unless a value in it does what values may not do.
    fileprivate func accepted(for endpoint: some Endpoint) throws(ErrandError) -> EndpointPath {
        guard case .refused(let problem) = self.kind else { return self }
        let shown = HTTPURL.quoted(self.reference)
        let name = type(of: endpoint).declaredName
        throw ErrandError(.invalidURL, "\(shown) is not a path for \(name): \(problem.message)")
    }
}

/// The URL that paths are resolved against, or the reason why there is none.
///
/// A client is made without `throws`: a base URL that cannot be parsed fails each request that needs it.
package struct ParsedBaseURL: Sendable {
    private var parsed: Result<HTTPURL, HTTPURLProblem>

    /// The URL, if there is one.
    var url: HTTPURL? { try? self.parsed.get() }

    /// The same without user and password.
    var withoutUserInfo: ParsedBaseURL {
        var base = self
        base.parsed = self.parsed.map(\.withoutUserInfo)
        return base
    }

    /// Parses a base URL; its path gets a slash at the end if there is none.
    package init(_ string: String) {
        self.parsed = Result { () throws(HTTPURLProblem) in
            try HTTPURL(parsing: string).asDirectory()
        }.mapError { HTTPURLProblem("the base URL \(HTTPURL.quoted(string)) cannot be used: \($0.message)") }
    }

    /// Creates one that fails all paths.
    init(missing problem: String) {
        self.parsed = .failure(HTTPURLProblem(problem))
    }

    /// Returns the URL of a path; an absolute one does not need the base.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/invalidURL`` that quotes which of the two is wrong.
    package func resolve(_ path: String) throws(ErrandError) -> HTTPURL {
        switch self.parsed {
        case .success(let base): return try base.resolving(path)
        case .failure where HTTPURL.hasScheme(path): return try HTTPURL(path)
        case .failure(let problem):
            throw ErrandError(.invalidURL, "\(HTTPURL.quoted(path)) leads nowhere: \(problem.message)")
        }
    }
}
