internal import Errand
internal import Foundation

/// A call that answers a text; every property can be set.
struct FixtureText: Endpoint {
    typealias Response = String

    var path: Path
    var baseURL: BaseURL?
    var usesCDN = false
    var method = HTTPMethod.get
    var parameters: Parameters = [:]
    var parameterEncoding: ParameterEncoding?
    var headers: HTTPFields = [:]
    var omittedHeaders: [String] = []
    var sendsSecretsElsewhere = false
    var credential: Credential?
    var usesCredentials = true
    var body = RequestBody.none
    var caching = CachePolicy.never
    var cacheParameters: Parameters?
    var destination = ResponseDestination.memory
    var validation = ResponseValidation.success
    var defaultHeaders: DefaultHeaders?
    var redirects: RedirectPolicy?
    var timeouts = EndpointTimeouts.clients
    var allowedNetworks: AllowedNetworks?
    var priority = RequestPriority.normal
    var retries: RetryPolicy?
    var usesCircuitBreaker = true
    var isCoalesced: Bool?
    var interceptors: [any Interceptor] = []

    init(_ path: String = "a", _ configure: (inout FixtureText) -> Void = { _ in }) {
        self.path = Path(uncheckedReference: path)
        configure(&self)
    }
}

/// A call that answers JSON.
struct FixtureJSON<Response: Decodable & Sendable>: Endpoint {
    var path: Path
    var caching = CachePolicy.never

    /// JSON for `String` and `Data` too, which would otherwise be the body.
    var decoder: any ResponseDecoder<Response> { JSONResponseDecoder() }

    init(_ path: String = "a", _: Response.Type = Response.self) {
        self.path = Path(uncheckedReference: path)
    }
}

/// A call that answers bytes, declared with nothing but its path.
struct FixtureData: Endpoint {
    var path: Path = "a"
}

/// A call that answers nothing.
struct FixtureVoid: Endpoint {
    typealias Response = Void
    var path: Path = "a"
}

/// A call that makes its own value.
struct FixtureCustom<Response: Sendable>: Endpoint {
    var path: Path = "a"
    let make: @Sendable (HTTPResponse) throws -> Response

    func decode(_ response: HTTPResponse) throws -> Response {
        try self.make(response)
    }
}

/// What an app throws.
struct FixtureError: Error, Equatable, CustomStringConvertible {
    var description = "a failure of the app"
}
