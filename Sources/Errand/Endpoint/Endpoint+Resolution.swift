extension Endpoint {
    /// Makes the request that a transport can send: URL, header fields, body.
    ///
    /// - Throws: ``ErrandError`` when the URL, a header field or the body cannot be sent.
    package func resolve(baseURL: BaseURL?, adding added: AddedFields) throws(ErrandError) -> HTTPRequest {
        var request = HTTPRequest(method: self.method, url: try self.resolveURL(baseURL), headers: self.headers)
        if let encoded = try self.body.encoded() {
            request.body = encoded.body
            if let type = encoded.contentType, !request.headers.contains(HTTPFieldName.contentType) {
                request.headers.append(name: HTTPFieldName.contentType, value: type.description)
            }
            if let coding = encoded.contentEncoding {
                request.headers.append(name: HTTPFieldName.contentEncoding, value: coding)
            }
        }
        // What is added was checked when the client was made.
        try request.validate()
        let fields = try added.fields(accepting: self.accept, self.defaultHeaders)
        request.headers.addMissing(fields)
        return request
    }

    private func resolveURL(_ baseURL: BaseURL?) throws(ErrandError) -> HTTPURL {
        let path = self.path
        do throws(HTTPURLProblem) {
            let url = if let baseURL { try baseURL.resolve(path) } else { try HTTPURL(parsing: path) }
            let parameters = self.parameters
            return parameters.items.isEmpty ? url : url.appendingQuery(parameters.queryString)
        } catch {
            throw ErrandError(.invalidURL, HTTPURL.refusal(of: path, error))
        }
    }
}

/// The URL that paths are resolved against, or the reason why there is none.
///
/// A client is made without `throws`: a base URL that cannot be parsed fails each request that needs it.
package struct BaseURL: Sendable {
    private let parsed: Result<HTTPURL, HTTPURLProblem>

    package init(_ string: String) {
        self.parsed = Result { () throws(HTTPURLProblem) in try HTTPURL(parsing: string) }
    }

    package func resolve(_ path: String) throws(HTTPURLProblem) -> HTTPURL {
        switch self.parsed {
        case .success(let base): return try base.resolving(reference: path)
        case .failure(let problem):
            // An absolute URL does not need the base.
            if let url = try? HTTPURL(parsing: path) { return url }
            throw HTTPURLProblem("the base URL cannot be used: \(problem.message)")
        }
    }
}
