internal import struct Foundation.URL

/// A call whose response is read while it comes.
package protocol StreamingCall: Endpoint {
    /// Reads the body, as a part of the request.
    func read(_ response: StreamedResponse) async throws -> Response
}

/// A call that is sent for several others.
protocol SharingCall: Endpoint {
    /// The first of them.
    var base: any Endpoint { get }
}

/// A call as its endpoint declares it, but for what becomes of the body.
protocol BodyCall: Endpoint, DerivedCall {
    associatedtype Base: Endpoint
    var base: Base { get }
}

extension BodyCall {
    static var declaration: Any.Type { Base.self }
    var path: Path { self.base.path }
    var baseURL: BaseURL? { self.base.baseURL }
    var usesCDN: Bool { self.base.usesCDN }
    var method: HTTPMethod { self.base.method }
    var parameters: Parameters { get throws { try self.base.parameters } }
    var parameterEncoding: ParameterEncoding? { self.base.parameterEncoding }
    var cacheParameters: Parameters? { get throws { try self.base.cacheParameters } }
    var headers: HTTPFields { self.base.headers }
    var omittedHeaders: [String] { self.base.omittedHeaders }
    var sendsSecretsElsewhere: Bool { self.base.sendsSecretsElsewhere }
    var accept: String { self.base.accept }
    var credential: Credential? { self.base.credential }
    var usesCredentials: Bool { self.base.usesCredentials }
    var defaultHeaders: DefaultHeaders? { self.base.defaultHeaders }
    var body: RequestBody { self.base.body }
    var validation: ResponseValidation { self.base.validation }
    var timeouts: EndpointTimeouts { self.base.timeouts }
    var priority: RequestPriority { self.base.priority }
    var uploadResumption: UploadResumption { self.base.uploadResumption }
    var interceptors: [any Interceptor] { self.base.interceptors }
    var redirects: RedirectPolicy? { self.base.redirects }
    var allowedNetworks: AllowedNetworks? { self.base.allowedNetworks }
    var connectivity: ConnectivityPolicy? { self.base.connectivity }
    var retries: RetryPolicy? { self.base.retries }
    var hedging: HedgePolicy? { self.base.hedging }
    var usesCircuitBreaker: Bool { self.base.usesCircuitBreaker }
    var isCoalesced: Bool? { self.base.isCoalesced }
    func customRequest() throws -> HTTPRequest? { try self.base.customRequest() }
    var processing: (any ProcessingEndpoint)? { self.base.processing }
    /// By the rules of HTTP, or never: what is not in memory is not kept otherwise.
    var caching: CachePolicy { self.base.caching.authority == .app ? .never : self.base.caching }
}

/// A call whose body is handed to a closure while it comes.
struct StreamedCall<Base: Endpoint, Response: Sendable>: BodyCall, StreamingCall {
    let base: Base
    let buffer: Int
    let reader: @Sendable (StreamedResponse) async throws -> Response

    var destination: ResponseDestination { .stream(buffer: self.buffer) }

    func decode(_ response: HTTPResponse) throws -> Response {
        throw ErrandError(.unsupported, "the body of this response comes as a stream")
    }

    func read(_ response: StreamedResponse) async throws -> Response {
        try await self.reader(response)
    }
}

/// A call whose body goes into a file.
struct DownloadCall<Base: Endpoint>: BodyCall {
    typealias Response = DownloadedFile

    let base: Base
    let destination: ResponseDestination
}

/// A call whose body is a file.
struct UploadCall<Base: Endpoint>: BodyCall {
    typealias Response = Base.Response

    let base: Base
    let file: URL
    let contentType: MIMEType
    let uploadResumption: UploadResumption

    var body: RequestBody { .file(self.file, contentType: self.contentType) }
    var decoder: any ResponseDecoder<Response> { self.base.decoder }
    var destination: ResponseDestination { self.base.destination }

    func customRequest() throws -> HTTPRequest? {
        var request = try self.base.customRequest()
        request?.body = .file(self.file)
        return request
    }

    func decode(_ response: HTTPResponse) throws -> Response { try self.base.decode(response) }
}
