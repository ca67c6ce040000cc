internal import Errand
internal import Foundation

/// An endpoint for a stored request: the fields that were stored, and those that the client adds to every request now.
struct StoredCall: Endpoint {
    typealias Response = HTTPResponse

    let request: StoredRequest
    let bodyFile: URL
    /// The client's options for all requests.
    let client: EffectiveOptions

    var path: EndpointPath { .url(self.request.url) }
    var method: HTTPMethod { HTTPMethod(rawValue: self.request.method) }
    var headers: HTTPFields { HTTPFields(self.request.fields.map { HTTPField(name: $0.name, value: $0.value) }) }
    var body: RequestBody {
        guard self.request.bodySize != nil else { return .none }
        return RequestBody { [bodyFile] in RequestBody.Encoded(.file(bodyFile)) }
    }

    /// The options under which it is sent: not cached, coalesced or hedged, whatever the options of the client are.
    ///
    /// The response to another request, such as a login page that a redirect leads to, is not success.
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
