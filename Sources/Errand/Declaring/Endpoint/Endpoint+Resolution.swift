/// A request made from an endpoint.
package struct ResolvedRequest: Sendable {
    /// The request that is sent.
    package let request: HTTPRequest
    /// The request used for the cache key; `nil` for the request itself.
    let keyRequest: HTTPRequest?
    /// `true` for a request that the endpoint makes as a whole, including all header fields.
    package let isCustom: Bool
    /// `true` for a request with its own `Authorization`.
    package let hasCredential: Bool
}

extension Endpoint {
    /// Makes the request for the transport: URL, header fields, body.
    ///
    /// - Throws: ``ErrandError`` when the URL, the parameters, a header field or the body cannot be sent.
    package func resolve(under terms: RequestTerms) throws(ErrandError) -> ResolvedRequest {
        if let problem = terms.options.problem ?? terms.plan.credentials?.problem { throw problem }
        let keyParameters = terms.options.value.cacheParameters
        if let request = try self.finishedRequest(under: terms) {
            return ResolvedRequest(
                request: request,
                keyRequest: try keyParameters.map { parameters throws(ErrandError) in
                    try request.withQuery(parameters, terms.options.value.parameterEncoding.query)
                }, isCustom: true, hasCredential: request.headers.contains(HTTPField.Name.authorization))
        }
        let (request, hasCredential) = try self.request(with: try self.readParameters(), under: terms)
        return ResolvedRequest(
            request: request,
            keyRequest: try keyParameters.map { parameters throws(ErrandError) in
                try self.request(with: parameters, under: terms).request
            }, isCustom: false, hasCredential: hasCredential)
    }

    private func request(
        with parameters: Parameters, under terms: RequestTerms
    ) throws(ErrandError) -> (request: HTTPRequest, hasCredential: Bool) {
        // Read in place: copying all options is expensive.
        let shared = terms.options
        let (method, url) = (self.method, try terms.plan.url(for: self, with: terms.options))
        let (own, content) = (self.headers, self.body)
        // Each change of a request copies it: a request with only the client's additions is made in one step.
        if own.isEmpty, content.isNone, parameters.isEmpty, method == .get, !shared.value.changesHead, !url.hasUserInfo
        {
            let headers = try self.addedFields(under: terms, for: url)
            return (HTTPRequest(method: method, url: url, headers: headers), false)
        }
        var request = HTTPRequest(method: method, url: url, headers: own)
        var body = content
        if !parameters.isEmpty {
            try shared.value.parameterEncoding.place(parameters, in: &request, &body)
        }
        if let encoded = try terms.plan.defaults.json.use({ () throws(ErrandError) in try body.encoded() }) {
            request.body = encoded.body
            if let type = encoded.contentType, !request.headers.contains(HTTPField.Name.contentType) {
                request.headers.append(name: HTTPField.Name.contentType, value: type.description)
            }
            if let coding = encoded.contentEncoding, !request.headers.contains(HTTPField.Name.contentEncoding) {
                request.headers.append(name: HTTPField.Name.contentEncoding, value: coding)
            }
        }
        try request.take(terms)
        let hasCredential = request.headers.contains(HTTPField.Name.authorization)
        // Client fields were validated when the client was created.
        request.headers.addMissing(try self.addedFields(under: terms, for: request.url))
        return (request, hasCredential)
    }

    private func finishedRequest(under terms: RequestTerms) throws(ErrandError) -> HTTPRequest? {
        let made = try terms.plan.defaults.json.use { () throws(ErrandError) in
            do {
                return try self.customRequest()
            } catch {
                throw ErrandError(wrapping: error, as: .callbackFailed, "the request could not be made")
            }
        }
        guard var request = made else { return nil }
        try request.take(terms)
        return request
    }

    private func readParameters() throws(ErrandError) -> Parameters {
        do {
            return try self.parameters
        } catch {
            throw ErrandError(wrapping: error, as: .encodingFailed, "the parameters could not be made")
        }
    }

    private func addedFields(under terms: RequestTerms, for url: HTTPURL) throws(ErrandError) -> HTTPFields {
        let (plan, shared) = (terms.plan, terms.options)
        let own: DefaultHeaders? =
            shared === plan.options || shared.value.defaultHeaders == plan.options.value.defaultHeaders
            ? nil : shared.value.defaultHeaders
        var fields = try plan.fields.fields(accepting: shared.value.accept ?? self.decoder.accept, own)
        for name in shared.value.omittedHeaders { fields.removeAll(named: name) }
        if !shared.value.usesCredentials { fields.removeAll(named: HTTPField.Name.authorization) }
        return shared.value.sendsSecretsToAllOrigins ? fields : plan.withoutSecrets(fields, for: url)
    }
}

extension HTTPRequest {
    /// Applies the options that all requests share, however they are made, and checks that the request can be sent.
    fileprivate mutating func take(_ terms: RequestTerms) throws(ErrandError) {
        let options = terms.options.value
        if options.networks != .all { self.allowedNetworks = self.allowedNetworks.intersection(options.networks) }
        if let credential = options.credential, !self.headers.contains(HTTPField.Name.authorization),
            try terms.letsCredential(goTo: self.url)
        {
            self.headers.append(name: HTTPField.Name.authorization, value: try credential.fieldValue())
        }
        // Caches on the path have to revalidate too (RFC 9111 §5.2.1.4).
        if options.cacheUse == .reload, !self.headers.contains("Cache-Control") {
            self.headers.append(name: "Cache-Control", value: "no-cache")
        }
        // A file is requested without content coding, to match its name and digest.
        if case .file = options.destination.kind, !options.omits(HTTPField.Name.acceptEncoding) {
            self.headers.addMissing([HTTPField.Name.acceptEncoding: "identity"])
        }
        try self.takeUserInfo()
        try self.validate()
    }

    /// Returns a request whose URL has another query.
    fileprivate func withQuery(
        _ parameters: Parameters, _ style: ParameterEncoding.QueryStyle
    ) throws(ErrandError) -> HTTPRequest {
        var request = self
        let path = try HTTPURL(self.url.origin + self.url.path)
        request.url = path.appendingQuery(try parameters.query(style))
        return request
    }
}
