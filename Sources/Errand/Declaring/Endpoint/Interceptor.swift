/// Wraps the exchange of a request: it can change the request, inspect the response, or send more than once.
///
/// Interceptors run in order, the client's before the endpoint's; the last one's `next` waits for a slot and goes to
/// the transport. No slot is held while the interceptor itself runs or waits.
public protocol Interceptor: Sendable {
    /// Forwards a request and returns its response, or responds in its place.
    ///
    /// - Parameters:
    ///   - request: The request; pass a changed copy to `next` to change it.
    ///   - context: Information about the request.
    ///   - next: The rest of the pipeline. Each call is a new attempt, and ends a body that is still arriving from an
    ///     earlier one.
    /// - Returns: The response that the request gets.
    /// - Throws: Any error; one that is not an ``ErrandError`` becomes the cause of an error with the code
    ///   ``ErrandError/Code/interceptorFailed``.
    func intercept(
        _ request: HTTPRequest, context: InterceptorContext, next: InterceptorNext
    ) async throws -> HTTPResponse

    /// A value that separates responses in a cache by the interceptor's effect; empty if it does not affect responses.
    ///
    /// It must be the same in each process; its digest is part of each ``CacheKey``. Defaults to the name of the type.
    /// An interceptor that adds a field such as a language includes it here. The user's identity need not be included:
    /// a response to another `Authorization`, `Cookie` or secret header than the endpoint's is not stored without a
    /// scope. Nor is the response to a request whose URL the interceptor has changed, unless it implements this
    /// property.
    var cachePartition: String { get }
}

extension Interceptor {
    /// The name of the type.
    public var cachePartition: String { String(describing: Self.self) }

    /// True if it is not the default.
    var hasOwnCachePartition: Bool { self.cachePartition != String(describing: Self.self) }
}

/// Information about the request that an interceptor handles.
public struct InterceptorContext: Sendable {
    /// The id of the request.
    public let requestID: RequestID
    /// The endpoint: cast it to a protocol of the app to get what the interceptor needs.
    ///
    /// For a stream or a download, it is the endpoint whose body is streamed or written.
    public let endpoint: any Endpoint
    /// The name of the endpoint's type.
    public var endpointName: String { self.options.value.name ?? type(of: self.endpoint).declaredName }
    /// The tag of the request.
    public var tag: String? { self.options.value.tag }
    /// Values attached to the request, see ``RequestOptions/userInfo(_:)-swift.method``.
    public var userInfo: [String: any Sendable] { self.options.value.userInfo }
    /// The number of the next attempt, from 1, when the interceptor is called.
    ///
    /// Followed redirects and tried credentials count as attempts.
    public let attempt: Int

    private let options: SharedOptions

    /// Creates the context of a request that is not sent, with a new id: to test an interceptor in isolation.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint of the request.
    ///   - options: The options of the call.
    ///   - attempt: The number of the next attempt, from 1.
    public init(endpoint: any Endpoint, options: RequestOptions = RequestOptions(), attempt: Int = 1) {
        let shared = SharedOptions(EffectiveOptions()).merging(endpoint.options.merging(options))
        self.init(requestID: .next(), endpoint: endpoint, options: shared, attempt: attempt)
    }

    package init(requestID: RequestID, endpoint: any Endpoint, options: SharedOptions, attempt: Int) {
        self.requestID = requestID
        self.endpoint = endpoint
        self.options = options
        self.attempt = attempt
    }
}

/// The rest of the pipeline, as an interceptor calls it.
public struct InterceptorNext: Sendable {
    private let run: @Sendable (HTTPRequest) async throws(ErrandError) -> HTTPResponse

    /// Creates the rest of the pipeline from a function; useful to test an interceptor in isolation.
    public init(_ run: @escaping @Sendable (HTTPRequest) async throws(ErrandError) -> HTTPResponse) {
        self.run = run
    }

    /// Forwards the request.
    ///
    /// - Throws: ``ErrandError`` if there is no complete response.
    public func callAsFunction(_ request: HTTPRequest) async throws(ErrandError) -> HTTPResponse {
        try await self.run(request)
    }
}
