/// Wraps the wire call of a request: may change what is sent, look at what comes back, or call on more than once.
///
/// Interceptors are asked in order, the client's before the endpoint's; the last one's `next` waits for a slot and
/// goes to the transport. No slot is held while an interceptor itself runs or waits.
public protocol Interceptor: Sendable {
    /// Sends a request on and answers its response, or answers in its place.
    ///
    /// - Parameters:
    ///   - request: What is about to be sent; pass a changed copy to `next` to change it.
    ///   - context: Whose request it is.
    ///   - next: The rest of the way. Each call is one more attempt; it ends a body that is still on its way from an
    ///     earlier one.
    /// - Returns: The response that the request gets.
    /// - Throws: Anything; an error that is not an ``ErrandError`` becomes the cause of one with the code
    ///   ``ErrandError/Code/interceptorFailed``.
    func intercept(
        _ request: HTTPRequest, context: InterceptorContext, next: InterceptorNext
    ) async throws -> HTTPResponse

    /// What tells the responses that it lets through apart in a cache; empty when it changes nothing that is answered.
    ///
    /// It is the same in each process, and becomes a part of each ``CacheKey`` as a digest. Without an implementation
    /// it is the name of the type. One that adds something of its own, such as a language, adds that here; who asks
    /// need not be here: a response to another `Authorization`, `Cookie` or secret header than the endpoint's is not
    /// stored without a scope. Nor is one to a request whose URL it has changed, unless it has an implementation.
    var cachePartition: String { get }
}

extension Interceptor {
    /// The name of the type.
    public var cachePartition: String { String(describing: Self.self) }

    /// Whether it says more than its name.
    var hasOwnCachePartition: Bool { self.cachePartition != String(describing: Self.self) }
}

/// What an interceptor is told about the request besides the request itself.
public struct InterceptorContext: Sendable {
    /// The id of the request.
    public let requestID: RequestID
    /// The endpoint: cast it to a protocol of the app to find out what concerns the interceptor.
    ///
    /// For a stream or a download it is the one whose body goes there.
    public let endpoint: any Endpoint
    /// The name of the endpoint's type.
    public var endpointName: String { self.options.value.name ?? type(of: self.endpoint).declaredName }
    /// The tag of the request.
    public var tag: String? { self.options.value.tag }
    /// What was attached to the request, see ``RequestOptions/userInfo(_:)-swift.method``.
    public var userInfo: [String: any Sendable] { self.options.value.userInfo }
    /// Counts the attempts of the request, from 1: the one that is next when the interceptor is asked.
    ///
    /// Redirections that are followed and credentials that are tried count, too.
    public let attempt: Int

    private let options: SharedOptions

    /// Creates the context of a request that nobody sends, with an id of its own: to test an interceptor by itself.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint that the request is of.
    ///   - options: What it was sent with.
    ///   - attempt: The attempt that is next, from 1.
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

/// The rest of the way of a request, as an interceptor calls it.
public struct InterceptorNext: Sendable {
    private let run: @Sendable (HTTPRequest) async throws(ErrandError) -> HTTPResponse

    /// Creates the rest of the way from a function; useful to test an interceptor by itself.
    public init(_ run: @escaping @Sendable (HTTPRequest) async throws(ErrandError) -> HTTPResponse) {
        self.run = run
    }

    /// Sends the request on.
    ///
    /// - Throws: ``ErrandError`` when there is no complete response.
    public func callAsFunction(_ request: HTTPRequest) async throws(ErrandError) -> HTTPResponse {
        try await self.run(request)
    }
}
