extension Endpoint {
    /// Makes the request that a transport can send: URL, header fields, body.
    ///
    /// - Throws: ``ErrandError`` when the URL, the parameters, a header field or the body cannot be sent.
    package func resolve(with plan: RequestPlan, _ options: SharedOptions) throws(ErrandError) -> HTTPRequest {
        if let request = try self.finishedRequest() { return request }
        return try self.resolve(try self.readParameters(), with: plan, options)
    }

    /// Makes the request that the cache tells from others in place of the one that is sent; `nil` for that one
    /// itself.
    ///
    /// - Throws: ``ErrandError`` when the parameters cannot be sent.
    func resolveForCache(with plan: RequestPlan, _ options: SharedOptions) throws(ErrandError) -> HTTPRequest? {
        guard let parameters = options.value.cacheParameters else { return nil }
        return try self.resolve(parameters, with: plan, options)
    }

    private func resolve(
        _ parameters: Parameters, with plan: RequestPlan, _ options: SharedOptions
    ) throws(ErrandError) -> HTTPRequest {
        var request = HTTPRequest(
            method: self.method, url: try plan.url(for: self, with: options), headers: self.headers, body: .none,
            allowedNetworks: options.value.networks)
        var body = self.body
        if !parameters.isEmpty {
            try options.value.parameterEncoding.place(parameters, in: &request, &body)
        }
        if let encoded = try plan.defaults.json.use({ () throws(ErrandError) in try body.encoded() }) {
            request.body = encoded.body
            if let type = encoded.contentType, !request.headers.contains(HTTPField.Name.contentType) {
                request.headers.append(name: HTTPField.Name.contentType, value: type.description)
            }
            if let coding = encoded.contentEncoding, !request.headers.contains(HTTPField.Name.contentEncoding) {
                request.headers.append(name: HTTPField.Name.contentEncoding, value: coding)
            }
        }
        if let credential = options.value.credential, !request.headers.contains(HTTPField.Name.authorization) {
            request.headers.append(name: HTTPField.Name.authorization, value: try credential.fieldValue())
        }
        try request.takeUserInfo()
        // What is added was checked when the client was made.
        try request.validate()
        request.headers.addMissing(try self.addedFields(plan, options, for: request.url))
        return request
    }

    private func finishedRequest() throws(ErrandError) -> HTTPRequest? {
        do {
            guard var request = try self.customRequest() else { return nil }
            try request.takeUserInfo()
            try request.validate()
            return request
        } catch {
            throw ErrandError(wrapping: error, as: .callbackFailed, "the request could not be made")
        }
    }

    private func readParameters() throws(ErrandError) -> Parameters {
        do {
            return try self.parameters
        } catch {
            throw ErrandError(wrapping: error, as: .encodingFailed, "the parameters could not be made")
        }
    }

    private func addedFields(
        _ plan: RequestPlan, _ options: SharedOptions, for url: HTTPURL
    ) throws(ErrandError) -> HTTPFields {
        let headers = options.value.defaultHeaders
        let own = options === plan.options || headers == plan.options.value.defaultHeaders ? nil : headers
        var fields = try plan.fields.fields(accepting: options.value.accept ?? self.decoder.accept, own)
        // A file is wanted as it was published, so that it is what its name and its digest say.
        if case .file = options.value.destination.kind {
            fields.addMissing([HTTPField.Name.acceptEncoding: "identity"])
        }
        for name in options.value.omittedHeaders { fields.removeAll(named: name) }
        if !options.value.usesCredentials { fields.removeAll(named: HTTPField.Name.authorization) }
        return options.value.sendsSecretsToAllOrigins ? fields : plan.withoutSecrets(fields, for: url)
    }
}
