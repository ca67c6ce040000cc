public import struct Foundation.Data

/// One type per API call: says what is sent, and what comes back.
///
/// Everything but ``path`` has a default. A `Response` that is `Decodable` is decoded from JSON; `Data`, `String`,
/// `Void`, ``JSONValue``, ``XMLTree`` and ``DownloadedFile`` work as they are; for anything else write ``decode(_:)``.
/// How the request is treated, such as its retries, timeouts and caching, is said in ``options``.
///
/// One that changes what is sent, or looks at what comes, is a ``ProcessingEndpoint``.
///
/// ```swift
/// struct GetUser: Endpoint {
///     struct Response: Decodable, Sendable { let nick: String }
///     let userID: String
///     var path: EndpointPath { "users/\(self.userID)" }
///     var options: RequestOptions { .caching(.fresh(for: .seconds(180))).retries(.standard) }
/// }
/// ```
public protocol Endpoint: Sendable {
    /// The value of a response.
    associatedtype Response: Sendable = Data
    /// What ``decode(_:)`` throws; the compiler finds it, and it is never written.
    ///
    /// It tells an endpoint that decodes by itself from one whose ``decoder`` does.
    associatedtype DecodingFailure: Error

    /// The path, resolved against the base URL as RFC 3986 §5 says; a literal that is an absolute URL is taken as it is.
    ///
    /// Values that stand in it are encoded: see ``EndpointPath``.
    var path: EndpointPath { get }
    /// The URL that the path is resolved against; the client's main one unless said otherwise.
    var baseURL: BaseURL { get }
    /// The method; GET unless said otherwise.
    var method: HTTPMethod { get }
    /// Arguments for the query of the URL or for the body; none unless said otherwise.
    ///
    /// ``RequestOptions/parameterEncoding(_:)-swift.type.method`` says where they go. What is thrown here fails the
    /// request; an error that is not an ``ErrandError`` becomes the cause of one with the code
    /// ``ErrandError/Code/encodingFailed``.
    var parameters: Parameters { get throws }
    /// Header fields; they replace the client's of the same name.
    var headers: HTTPFields { get }
    /// The body; none unless said otherwise.
    var body: RequestBody { get }
    /// Which responses are accepted; status 200 to 299, and the content types of the decoder, unless said otherwise.
    var validation: ResponseValidation { get }
    /// How the request is treated, in place of what its client says; see ``RequestOptions``.
    var options: RequestOptions { get }

    /// Makes the whole request, if this call is one that the properties cannot describe; `nil` unless said otherwise.
    ///
    /// It is sent as it is: no base URL, no filter, no parameters, no header fields and no body of this endpoint or of
    /// the client are added. The rest is as for all requests: its options hold, the cache is asked, interceptors are
    /// passed, cookies and credentials are added, redirections followed. Called once for each request, when it starts.
    ///
    /// - Throws: Anything; an error that is not an ``ErrandError`` becomes the cause of one with the code
    ///   ``ErrandError/Code/callbackFailed``.
    func customRequest() throws -> HTTPRequest?

    /// The decoder of responses; for a `Decodable` type one of JSON unless said otherwise.
    ///
    /// It says what is sent as `Accept` (RFC 9110 §12.5.1) and which content types are accepted, too.
    var decoder: ResponseDecoder<Response> { get }

    /// Makes the value from a response that has been accepted; asks the ``decoder`` unless said otherwise.
    ///
    /// Called once for each response, on the request's own actor or, for a large body, apart from it: it blocks nobody
    /// else. An endpoint that does this itself says itself what it accepts, in its ``headers`` and ``validation``.
    ///
    /// - Throws: Anything; an error that is not an ``ErrandError`` becomes the cause of one with the code
    ///   ``ErrandError/Code/decodingFailed``.
    func decode(_ response: HTTPResponse) throws(DecodingFailure) -> Response
}

extension Endpoint {
    /// The client's main base URL.
    public var baseURL: BaseURL { .client }
    /// GET.
    public var method: HTTPMethod { .get }
    /// No parameters.
    public var parameters: Parameters { [:] }
    /// No header fields but the client's.
    public var headers: HTTPFields { [:] }
    /// No body.
    public var body: RequestBody { .none }
    /// Status 200 to 299.
    public var validation: ResponseValidation { .success }
    /// Those of the client.
    public var options: RequestOptions { RequestOptions() }

    /// Returns `nil`: the request is made from the properties.
    public func customRequest() -> HTTPRequest? { nil }
}

extension Endpoint {
    /// The name of the type that declares the call, as people know it.
    package static var declaredName: String { CallNames.name(of: Self.self) }
}
