public import struct Foundation.Data

/// An API call: its request, and the type of its response.
///
/// Declare one type per call. All members except ``path`` have defaults. A `Decodable` response is decoded from JSON;
/// `Data`, `String`, `Void`, ``JSONValue``, ``XMLTree`` and ``DownloadedFile`` are supported directly; for other types,
/// implement ``decode(_:)``. The ``options`` set the handling of the request, such as its retries, timeouts and
/// caching.
///
/// To change requests or responses, conform to ``ProcessingEndpoint``.
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
    /// The error type of ``decode(_:)``; inferred by the compiler, and never written.
    ///
    /// It distinguishes endpoints that implement ``decode(_:)`` from those that use their ``decoder``.
    associatedtype DecodingFailure: Error

    /// The path, resolved against the base URL (RFC 3986 §5); a literal with an absolute URL is used unchanged.
    ///
    /// Values interpolated into it are encoded: see ``EndpointPath``.
    var path: EndpointPath { get }
    /// The URL that the path is resolved against; defaults to the client's main base URL.
    var baseURL: BaseURL { get }
    /// The method; defaults to GET.
    var method: HTTPMethod { get }
    /// Parameters for the query of the URL or for the body; defaults to none.
    ///
    /// ``RequestOptions/parameterEncoding(_:)-swift.type.method`` sets their destination. An error thrown here fails
    /// the request: an ``ErrandError`` as it is, any other as the cause of an error with the code
    /// ``ErrandError/Code/encodingFailed``.
    var parameters: Parameters { get throws }
    /// Header fields.
    ///
    /// They replace the client's fields of the same name.
    var headers: HTTPFields { get }
    /// The body; defaults to none.
    var body: RequestBody { get }
    /// The validation of responses.
    ///
    /// By default, it accepts status 200 to 299 and the content types of the decoder.
    var validation: ResponseValidation { get }
    /// Options that override those of the client; see ``RequestOptions``.
    var options: RequestOptions { get }

    /// Makes the whole request, for a call that the properties cannot describe.
    ///
    /// Returns `nil` by default.
    ///
    /// The request is sent unchanged: without base URL, filters, parameters, header fields or body of this endpoint or
    /// of the client. Otherwise it is handled like all requests: its options apply, the cache is used, interceptors
    /// run, cookies and credentials are added, and redirects are followed. Called once for each request, when it
    /// starts.
    ///
    /// - Throws: Any error; one that is not an ``ErrandError`` becomes the cause of an error with the code
    ///   ``ErrandError/Code/callbackFailed``.
    func customRequest() throws -> HTTPRequest?

    /// The decoder of responses; defaults to a JSON decoder for a `Decodable` type.
    ///
    /// It also determines the `Accept` field (RFC 9110 §12.5.1) and the accepted content types.
    var decoder: ResponseDecoder<Response> { get }

    /// Makes the value from an accepted response.
    ///
    /// Uses the ``decoder`` by default.
    ///
    /// Called once for each response, on the request's own actor or, for a large body, off it, so it blocks no other
    /// request. An endpoint that implements this sets its accepted types itself, in its ``headers`` and ``validation``.
    ///
    /// - Throws: Any error; one that is not an ``ErrandError`` becomes the cause of an error with the code
    ///   ``ErrandError/Code/decodingFailed``.
    func decode(_ response: HTTPResponse) throws(DecodingFailure) -> Response
}

extension Endpoint {
    /// The client's main base URL.
    public var baseURL: BaseURL { .client }
    /// Defaults to GET.
    public var method: HTTPMethod { .get }
    /// Defaults to no parameters.
    public var parameters: Parameters { [:] }
    /// Defaults to no header fields besides the client's.
    public var headers: HTTPFields { [:] }
    /// Defaults to no body.
    public var body: RequestBody { .none }
    /// Defaults to status 200 to 299.
    public var validation: ResponseValidation { .success }
    /// Defaults to the client's options.
    public var options: RequestOptions { RequestOptions() }

    /// Returns `nil`: the request is made from the properties.
    public func customRequest() -> HTTPRequest? { nil }
}

extension Endpoint {
    /// The displayed name of the type that declares the call.
    package static var declaredName: String { CallNames.name(of: Self.self) }
}
