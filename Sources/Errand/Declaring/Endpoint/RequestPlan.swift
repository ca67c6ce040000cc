/// The defaults of a client in the form that requests use: parsed, joined and checked once.
package final class RequestPlan: Sendable {
    package let defaults: RequestDefaults
    /// The options of the client, for requests without their own.
    package let options: SharedOptions
    package let fields: AddedFields
    /// The credentials sent without a challenge, by origin; `nil` if there are none.
    package let credentials: OriginCredentials?
    private let baseURL: ParsedBaseURL?
    private let cdnURL: ParsedBaseURL?
    private let baseURLs: [String: ParsedBaseURL]
    /// The secret fields among the client's header fields.
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

    /// True if the client has a valid base URL.
    var hasOrigins: Bool { !self.ownOrigins.isEmpty }

    /// Returns true if a URL has one of the client's own origins.
    func isOwn(_ url: HTTPURL) -> Bool { self.ownOrigins.contains(url.origin) }

    /// Returns true if the client's authenticator may be used for challenges of a URL's server.
    ///
    /// This is the case for the client's own origins, origins with a credential, and all origins of an endpoint that
    /// sends secrets to them; never for an endpoint that uses no credentials.
    func answersChallenges(of url: HTTPURL, with options: SharedOptions) -> Bool {
        guard options.value.usesCredentials else { return false }
        return options.value.sendsSecretsToAllOrigins || self.ownOrigins.contains(url.origin)
            || self.credentials?.value(for: url) != nil
    }

    /// Returns header fields without the client's secret ones, unless the URL has one of its own origins.
    func withoutSecrets(_ fields: HTTPFields, for url: HTTPURL) -> HTTPFields {
        guard !self.secretFields.isEmpty, !self.ownOrigins.contains(url.origin) else { return fields }
        return HTTPFields(fields.filter { !self.secretFields.contains($0) })
    }

    /// Returns a request that user code has changed, checked for sending.
    ///
    /// - Parameters:
    ///   - request: The changed request.
    ///   - options: Its options.
    ///   - url: Its URL before the change: if the origin has changed, the client's secrets are removed.
    /// - Returns: The request.
    /// - Throws: ``ErrandError`` if it cannot be sent.
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

    /// Returns the URL of an endpoint: an absolute URL unchanged, a path filtered and resolved.
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

    /// Returns true if filters may add shared values to paths below a base; true for an invalid base, to which no
    /// request is sent.
    private func filters(pathsBelow base: ParsedBaseURL, with options: SharedOptions) -> Bool {
        guard let url = base.url else { return true }
        return options.value.sendsSecretsToAllOrigins || self.ownOrigins.contains(url.origin)
    }

    /// Returns the base URL that an endpoint names: its own, that of the content delivery network, or that of the
    /// client.
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
    /// Returns the path unless a value in it is invalid.
    fileprivate func accepted(for endpoint: some Endpoint) throws(ErrandError) -> EndpointPath {
        guard case .refused(let problem) = self.kind else { return self }
        let shown = HTTPURL.quoted(self.reference)
        let name = type(of: endpoint).declaredName
        throw ErrandError(.invalidURL, "\(shown) is not a valid path for \(name): \(problem.message)")
    }
}

/// The URL that paths are resolved against, or the reason for which there is none.
///
/// Creating a client does not throw: an invalid base URL fails each request that needs it.
package struct ParsedBaseURL: Sendable {
    private var parsed: Result<HTTPURL, HTTPURLProblem>

    /// The URL, if it is valid.
    var url: HTTPURL? { try? self.parsed.get() }

    /// The base URL without user and password.
    var withoutUserInfo: ParsedBaseURL {
        var base = self
        base.parsed = self.parsed.map(\.withoutUserInfo)
        return base
    }

    /// Parses a base URL, and appends a slash to its path if there is none.
    package init(_ string: String) {
        self.parsed = Result { () throws(HTTPURLProblem) in
            try HTTPURL(parsing: string).asDirectory()
        }.mapError { HTTPURLProblem("the base URL \(HTTPURL.quoted(string)) cannot be used: \($0.message)") }
    }

    /// Creates a base URL on which all paths fail.
    init(missing problem: String) {
        self.parsed = .failure(HTTPURLProblem(problem))
    }

    /// Returns the URL of a path; an absolute URL does not need the base.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/invalidURL`` that quotes the invalid one of the two.
    package func resolve(_ path: String) throws(ErrandError) -> HTTPURL {
        switch self.parsed {
        case .success(let base): return try base.resolving(path)
        case .failure where HTTPURL.hasScheme(path): return try HTTPURL(path)
        case .failure(let problem):
            throw ErrandError(.invalidURL, "\(HTTPURL.quoted(path)) cannot be resolved: \(problem.message)")
        }
    }
}
