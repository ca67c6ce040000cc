internal import Errand
internal import Foundation

/// A request of an outbox on its way: what was written, and what the client adds to every request now.
struct StoredCall: Endpoint {
    typealias Response = HTTPResponse

    let request: StoredRequest
    let bodyFile: URL
    /// What the client says of all its requests.
    let client: EffectiveOptions

    var path: EndpointPath { .url(self.request.url) }
    var method: HTTPMethod { HTTPMethod(rawValue: self.request.method) }
    var headers: HTTPFields { HTTPFields(self.request.fields.map { HTTPField(name: $0.name, value: $0.value) }) }
    var body: RequestBody {
        guard self.request.bodySize != nil else { return .none }
        return RequestBody { [bodyFile] in RequestBody.Encoded(.file(bodyFile)) }
    }

    /// The options under which it is sent, and sent once, whatever the client does with other requests.
    ///
    /// The response to another request, such as for the page where a user logs in, says nothing of this one.
    var options: RequestOptions {
        var options = RequestOptions().accept("*/*").caching(.never).coalescing(false).hedging(.never)
            .redirects(self.client.redirects.keeping(self.method))
        if self.request.usesCredentials == false { options = options.credentials(.none) }
        guard let rules = self.request.rules else { return options }
        return rules.timeoutOptions(behind: options).omittingHeaders(rules.omittedHeaders)
            .networks(rules.allowedNetworks(of: self.client.networks))
    }

    func customRequest() throws -> HTTPRequest? {
        guard self.request.rules?.isCustom == true else { return nil }
        let body: HTTPRequest.Body = self.request.bodySize == nil ? .none : .file(self.bodyFile)
        return HTTPRequest(
            method: self.method, url: try HTTPURL(self.request.url).withoutUserInfo, headers: self.headers, body: body)
    }

    func decode(_ response: HTTPResponse) -> HTTPResponse { response }
}
