internal import Errand
internal import Foundation

/// A request of an outbox on its way: what was written, and what the client adds to every request now.
struct StoredCall: Endpoint {
    typealias Response = HTTPResponse

    let request: StoredRequest
    let bodyFile: URL
    /// The networks that the client allows, and what it does about redirections.
    let networks: AllowedNetworks
    let following: RedirectPolicy

    var path: Path { .url(self.request.url) }
    var method: HTTPMethod { HTTPMethod(rawValue: self.request.method) }
    var headers: HTTPFields { HTTPFields(self.request.fields.map { HTTPField(name: $0.name, value: $0.value) }) }
    var body: RequestBody {
        guard self.request.bodySize != nil else { return .none }
        return RequestBody { [bodyFile] in RequestBody.Encoded(.file(bodyFile)) }
    }
    var accept: String { "*/*" }
    var usesCredentials: Bool { self.request.usesCredentials ?? true }
    var omittedHeaders: [String] { self.request.rules?.omittedHeaders ?? [] }
    var allowedNetworks: AllowedNetworks? { self.request.rules?.allowedNetworks(of: self.networks) }
    /// What came of another request, such as for the page where a user logs in, says nothing of this one.
    var redirects: RedirectPolicy? { self.following.keeping(self.method) }
    var timeouts: EndpointTimeouts { self.request.rules?.endpointTimeouts ?? .clients }
    /// It is sent, and once: that another was answered, or that this is slow, is no reason to do otherwise.
    var caching: CachePolicy { .never }
    var isCoalesced: Bool? { false }
    var hedging: HedgePolicy? { .never }

    func customRequest() throws -> HTTPRequest? {
        guard self.request.rules?.isCustom == true else { return nil }
        let body: HTTPBody = self.request.bodySize == nil ? .none : .file(self.bodyFile)
        return HTTPRequest(
            method: self.method, url: try HTTPURL(self.request.url).withoutUserInfo, headers: self.headers, body: body)
    }

    func decode(_ response: HTTPResponse) -> HTTPResponse { response }
}
