extension Endpoint {
    /// Makes the request that a transport can send: URL, header fields, body.
    ///
    /// - Throws: ``ErrandError`` when the URL, the parameters, a header field or the body cannot be sent.
    package func resolve(with plan: RequestPlan) throws(ErrandError) -> HTTPRequest {
        if let request = try self.finishedRequest() { return request }
        return try self.resolve(try self.read { try self.parameters }, with: plan)
    }

    /// Makes the request that the cache tells from others in place of the one that is sent; `nil` for that one
    /// itself.
    ///
    /// - Throws: ``ErrandError`` when the parameters cannot be sent.
    func resolveForCache(with plan: RequestPlan) throws(ErrandError) -> HTTPRequest? {
        guard let parameters = try self.read({ try self.cacheParameters }) else { return nil }
        return try self.resolve(parameters, with: plan)
    }

    private func resolve(_ parameters: Parameters, with plan: RequestPlan) throws(ErrandError) -> HTTPRequest {
        var request = HTTPRequest(
            method: self.method, url: try plan.url(for: self), headers: self.headers, body: .none,
            allowedNetworks: self.allowedNetworks ?? plan.defaults.allowedNetworks)
        var body = self.body
        if !parameters.isEmpty {
            try (self.parameterEncoding ?? plan.defaults.parameterEncoding).place(parameters, in: &request, &body)
        }
        if let encoded = try body.encoded() {
            request.body = encoded.body
            if let type = encoded.contentType, !request.headers.contains(HTTPFieldName.contentType) {
                request.headers.append(name: HTTPFieldName.contentType, value: type.description)
            }
            if let coding = encoded.contentEncoding, !request.headers.contains(HTTPFieldName.contentEncoding) {
                request.headers.append(name: HTTPFieldName.contentEncoding, value: coding)
            }
        }
        if let credential = self.credential, !request.headers.contains(HTTPFieldName.authorization) {
            request.headers.append(name: HTTPFieldName.authorization, value: try credential.fieldValue())
        }
        try request.takeUserInfo()
        // What is added was checked when the client was made.
        try request.validate()
        request.headers.addMissing(try self.addedFields(plan, for: request.url))
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

    private func read<Value>(_ parameters: () throws -> Value) throws(ErrandError) -> Value {
        do {
            return try parameters()
        } catch {
            throw ErrandError(wrapping: error, as: .encodingFailed, "the parameters could not be made")
        }
    }

    private func addedFields(_ plan: RequestPlan, for url: HTTPURL) throws(ErrandError) -> HTTPFields {
        var fields = try plan.fields.fields(accepting: self.accept, self.defaultHeaders)
        // A file is wanted as it was published, so that it is what its name and its digest say.
        if case .file = self.destination.kind {
            fields.addMissing([HTTPFieldName.acceptEncoding: "identity"])
        }
        for name in self.omittedHeaders { fields.removeAll(named: name) }
        if !self.usesCredentials { fields.removeAll(named: HTTPFieldName.authorization) }
        return self.sendsSecretsElsewhere ? fields : plan.withoutSecrets(fields, for: url)
    }
}
