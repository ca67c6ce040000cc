public import struct Foundation.Data

/// One type per API call: says everything about the call, and what comes back.
///
/// Everything but ``path`` has a default. A `Response` that is `Decodable` is decoded from JSON; `Data`, `String`,
/// `Void`, ``JSONValue``, ``XMLTree`` and ``DownloadedFile`` work as they are; for anything else write ``decode(_:)``.
///
/// One that changes what is sent, or looks at what comes, is a ``ProcessingEndpoint``.
///
/// ```swift
/// struct GetUser: Endpoint {
///     struct Response: Decodable, Sendable { let nick: String }
///     let userID: String
///     var path: Path { "users" }
///     var parameters: Parameters { ["id": .string(userID)] }
/// }
/// ```
public protocol Endpoint: Sendable {
    /// What the call answers.
    associatedtype Response: Sendable = Data

    /// The path, resolved against the base URL as RFC 3986 §5 says; a literal that is an absolute URL is taken as it is.
    ///
    /// Values that stand in it are encoded: see ``Path``.
    var path: Path { get }
    /// What the path is resolved against in place of the client's base URL; nothing to use that.
    var baseURL: BaseURL? { get }
    /// Whether the path is resolved against the client's ``Configuration/cdnURL``; never unless said otherwise.
    ///
    /// An endpoint that names a ``baseURL`` uses that.
    var usesCDN: Bool { get }
    /// The method; GET unless said otherwise.
    var method: HTTPMethod { get }
    /// Arguments for the query of the URL or for the body, as the ``parameterEncoding`` says; none unless said
    /// otherwise.
    ///
    /// What is thrown here fails the request; an error that is not an ``ErrandError`` becomes the cause of one with the
    /// code ``ErrandError/Code/encodingFailed``.
    var parameters: Parameters { get throws }
    /// Where the parameters go, and what they become, in place of the client's way; nothing to use that.
    var parameterEncoding: ParameterEncoding? { get }
    /// Header fields; they replace the client's defaults of the same name.
    var headers: HTTPFields { get }
    /// Names of header fields of the client's, defaults included, that this call goes without; none unless said
    /// otherwise.
    var omittedHeaders: [String] { get }
    /// Whether what is secret in the client's ``Configuration/headers`` goes to an origin that is none of the client's.
    ///
    /// Never unless said otherwise. ``headers`` and ``credential`` of the endpoint itself go wherever the call goes.
    /// The same is said with it of what ``Configuration/pathFilters`` add, and of what the client's ``Authenticator``
    /// answers.
    var sendsSecretsElsewhere: Bool { get }
    /// The value of `Accept` (RFC 9110 §12.5.1) for requests that have none.
    ///
    /// That of the ``decoder`` unless said otherwise: `application/json` for JSON, `*/*` for bytes and texts.
    var accept: String { get }
    /// What proves who is asking, in place of the client's credentials; nothing to use those.
    ///
    /// Sent without being asked for, wherever the call goes, unless ``headers`` have an `Authorization`. A redirection
    /// does not take it to another origin.
    var credential: Credential? { get }
    /// Whether the client's credentials and its ``Configuration/authenticator`` have a part in the call; yes unless said
    /// otherwise.
    ///
    /// One that says no is sent without an `Authorization` of the client's, and a 401 is its response. ``headers`` and
    /// ``credential`` of the endpoint itself are sent all the same.
    var usesCredentials: Bool { get }
    /// What Errand adds of itself in place of the client's ``Configuration/defaultHeaders``; nothing to use those.
    var defaultHeaders: DefaultHeaders? { get }
    /// The body; none unless said otherwise.
    var body: RequestBody { get }
    /// Whether a response may come from the cache; as the client says (``Configuration/caching``) unless said otherwise.
    var caching: CachePolicy { get }
    /// The parameters that tell answers in the cache apart, in place of ``parameters``; nothing to use those.
    ///
    /// For calls with parameters that change each time and make no difference, such as a timestamp. What
    /// ``ProcessingEndpoint/prepare(_:)`` makes of the request does not count either then.
    var cacheParameters: Parameters? { get throws }
    /// Which responses are accepted; status 200 to 299, and the content types of the decoder, unless said otherwise.
    var validation: ResponseValidation { get }
    /// What becomes of redirections, in place of the client's policy; nothing to use that.
    var redirects: RedirectPolicy? { get }
    /// Its deadlines; the client's unless said otherwise.
    var timeouts: EndpointTimeouts { get }
    /// The place among waiting requests; normal unless said otherwise.
    var priority: RequestPriority { get }
    /// Which networks may be used, in place of the client's; nothing to use those.
    var allowedNetworks: AllowedNetworks? { get }
    /// Whether the call waits where there is no network; `nil` leaves it to the client.
    var connectivity: ConnectivityPolicy? { get }
    /// After which failures the call is sent again, in place of the client's policy; `nil` to use that.
    var retries: RetryPolicy? { get }
    /// When the call is sent once more while it waits for the response, in place of the client's policy; `nil` to use that.
    var hedging: HedgePolicy? { get }
    /// Whether the client's ``Configuration/circuitBreaker`` counts the call and may refuse it; yes unless said otherwise.
    var usesCircuitBreaker: Bool { get }
    /// Whether equal calls that are under way at once share one exchange, in place of what the client says; `nil` to use that.
    ///
    /// For calls with the method `GET` or another safe one (RFC 9110 §9.2.1) but `HEAD`, whose body is in memory, sent and
    /// received. What makes them equal is what a ``CacheKey`` is made of, with the credentials and cookies that they would
    /// carry, and ``retries`` of their own. Interceptors, of the client and the endpoint, see one request for all of them:
    /// they have to have a ``Interceptor/cachePartition`` of their own, which says that what they add is the same for
    /// equal requests, or the call is sent by itself. So is a call with ``caching`` where the client has interceptors,
    /// cookies or an authenticator: what they add decides who may have the stored response.
    ///
    /// The exchange goes on while any of them waits, suspended or not.
    var isCoalesced: Bool? { get }
    /// Whether an upload goes on where it was interrupted; never unless said otherwise.
    var uploadResumption: UploadResumption { get }
    /// Interceptors behind the client's.
    var interceptors: [any Interceptor] { get }

    /// Makes the whole request, if this call is one that the properties cannot describe; `nil` unless said otherwise.
    ///
    /// It is sent as it is: no base URL, no filter, no parameters, no header fields and no body of this endpoint or of
    /// the client are added. The rest is as for all requests: the cache is asked, interceptors are passed, the client's
    /// cookies and credentials are added, redirections followed. Called once for each request, when it starts.
    ///
    /// - Throws: Anything; an error that is not an ``ErrandError`` becomes the cause of one with the code
    ///   ``ErrandError/Code/callbackFailed``.
    func customRequest() throws -> HTTPRequest?

    /// Where the body of the response goes; into memory unless said otherwise.
    ///
    /// What does not go into memory is not cached, but for small files by the rules of HTTP; see ``CachePolicy/http``.
    var destination: ResponseDestination { get }

    /// What makes the value from a response: of JSON for a `Decodable` type, unless said otherwise.
    ///
    /// It says what is sent as ``accept`` and which content types are accepted, too.
    var decoder: any ResponseDecoder<Response> { get }

    /// Makes the value from a response that has been accepted; asks the ``decoder`` unless said otherwise.
    ///
    /// Called once for each response, on the request's own actor or, for a large body, apart from it: it blocks nobody
    /// else. An endpoint that does this itself says itself what it accepts, in its ``accept`` and ``validation``.
    ///
    /// - Throws: Anything; an error that is not an ``ErrandError`` becomes the cause of one with the code
    ///   ``ErrandError/Code/decodingFailed``.
    func decode(_ response: HTTPResponse) throws -> Response

    /// The hooks; nothing, but for a ``ProcessingEndpoint``.
    var processing: (any ProcessingEndpoint)? { get }
}

extension Endpoint {
    /// GET.
    public var method: HTTPMethod { .get }
    /// The client's.
    public var baseURL: BaseURL? { nil }
    /// Not used.
    public var usesCDN: Bool { false }
    /// None.
    public var parameters: Parameters { [:] }
    /// The client's.
    public var parameterEncoding: ParameterEncoding? { nil }
    /// None.
    public var headers: HTTPFields { [:] }
    /// None.
    public var omittedHeaders: [String] { [] }
    /// Never.
    public var sendsSecretsElsewhere: Bool { false }
    /// That of the decoder.
    public var accept: String { self.decoder.accept }
    /// The client's.
    public var credential: Credential? { nil }
    /// Yes.
    public var usesCredentials: Bool { true }
    /// The client's.
    public var defaultHeaders: DefaultHeaders? { nil }
    /// None.
    public var body: RequestBody { .none }
    /// The client's.
    public var caching: CachePolicy { .clients }
    /// Those that are sent.
    public var cacheParameters: Parameters? { nil }
    /// Status 200 to 299.
    public var validation: ResponseValidation { .success }
    /// The client's.
    public var redirects: RedirectPolicy? { nil }
    /// The client's.
    public var timeouts: EndpointTimeouts { .clients }
    /// Into memory.
    public var destination: ResponseDestination { .memory }
    /// Normal.
    public var priority: RequestPriority { .normal }
    /// The client's.
    public var allowedNetworks: AllowedNetworks? { nil }
    /// The client's.
    public var connectivity: ConnectivityPolicy? { nil }
    /// The client's.
    public var retries: RetryPolicy? { nil }
    /// The client's.
    public var hedging: HedgePolicy? { nil }
    /// Yes.
    public var usesCircuitBreaker: Bool { true }
    /// As the client says.
    public var isCoalesced: Bool? { nil }
    /// Never.
    public var uploadResumption: UploadResumption { .never }
    /// None.
    public var interceptors: [any Interceptor] { [] }
    /// One for `Void`, ``XMLTree`` and ``DownloadedFile``; for all else it reads nothing, and accepts every content
    /// type.
    public var decoder: any ResponseDecoder<Response> { DefaultResponseDecoder() }
    /// Nothing.
    public var processing: (any ProcessingEndpoint)? { nil }

    /// Nothing: the request is made from the properties.
    public func customRequest() -> HTTPRequest? { nil }
}

extension Endpoint {
    /// The name of the type that declares the call, as people know it.
    package static var declaredName: String { CallNames.name(of: Self.self) }
}
