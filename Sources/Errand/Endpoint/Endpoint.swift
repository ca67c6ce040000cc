public import struct Foundation.Data

/// One type per API call: says everything about the call, and what comes back.
///
/// Everything but ``path`` has a default. A `Response` that is `Decodable` is decoded from JSON; `Data`, `String` and
/// `Void` work as they are; for anything else give a ``decoder``.
///
/// ```swift
/// struct GetUser: Endpoint {
///     struct Response: Decodable, Sendable { let nick: String }
///     let userID: String
///     var path: String { "users" }
///     var parameters: Parameters { ["id": .string(userID)] }
/// }
/// ```
public protocol Endpoint: Sendable {
    /// What the call answers.
    associatedtype Response: Sendable = Data

    /// The path, resolved against the client's base URL as RFC 3986 §5 says; an absolute URL is taken as it is.
    var path: String { get }
    /// The method; GET unless said otherwise.
    var method: HTTPMethod { get }
    /// Arguments for the query of the URL; none unless said otherwise.
    var parameters: Parameters { get }
    /// Header fields; they replace the client's defaults of the same name.
    var headers: HTTPFields { get }
    /// The body; none unless said otherwise.
    var body: RequestBody { get }
    /// Whether an answer may come from the cache; never unless said otherwise.
    var caching: CachePolicy { get }
    /// Which responses are accepted; status 200 to 299 unless said otherwise.
    var validation: ResponseValidation { get }
    /// How an accepted response becomes a ``Response``.
    var decoder: any ResponseDecoder<Response> { get }
    /// Deadlines in place of the client's; nothing to use those.
    var timeouts: Timeouts? { get }
    /// The place among waiting requests; normal unless said otherwise.
    var priority: RequestPriority { get }
    /// Interceptors behind the client's.
    var interceptors: [any Interceptor] { get }
}

extension Endpoint {
    /// GET.
    public var method: HTTPMethod { .get }
    /// None.
    public var parameters: Parameters { [:] }
    /// None.
    public var headers: HTTPFields { [:] }
    /// None.
    public var body: RequestBody { .none }
    /// Never.
    public var caching: CachePolicy { .never }
    /// Status 200 to 299.
    public var validation: ResponseValidation { .success }
    /// The client's.
    public var timeouts: Timeouts? { nil }
    /// Normal.
    public var priority: RequestPriority { .normal }
    /// None.
    public var interceptors: [any Interceptor] { [] }
}

extension Endpoint where Response: Decodable {
    /// JSON.
    public var decoder: any ResponseDecoder<Response> { JSONResponseDecoder<Response>() }
}

extension Endpoint where Response == Data {
    /// The bytes.
    public var decoder: any ResponseDecoder<Response> { DataResponseDecoder() }
}

extension Endpoint where Response == String {
    /// The text.
    public var decoder: any ResponseDecoder<Response> { StringResponseDecoder() }
}

extension Endpoint where Response == Void {
    /// Whatever it is, it is ignored.
    public var decoder: any ResponseDecoder<Response> { EmptyResponseDecoder() }
}
