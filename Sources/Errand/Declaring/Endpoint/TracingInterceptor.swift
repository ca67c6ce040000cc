/// Makes requests part of distributed traces: each attempt carries `traceparent`, and `tracestate` if the trace has
/// one.
///
/// A request continues the trace of its own `traceparent`, or else that of the calling task (``TraceContext/current``),
/// or else starts a new one. Every attempt, including those after redirects and challenges, is a separate span with its
/// own id, which accessories receive as ``RequestActivity/Event/traced(_:)``.
///
/// ```swift
/// let client = Client(baseURL: "https://api.example.com/") {
///     $0.interceptors = [TracingInterceptor()]
/// }
/// ```
///
/// See [W3C Trace Context](https://www.w3.org/TR/trace-context/).
public struct TracingInterceptor: Interceptor {
    private let parent: @Sendable () -> TraceContext?
    private let isSampled: @Sendable (HTTPRequest) -> Bool
    private let reaches: @Sendable (HTTPURL) -> Bool
    private let random: @Sendable () -> UInt64

    /// Creates the interceptor.
    ///
    /// Place it first, so that further attempts of other interceptors stay in the same trace.
    ///
    /// - Parameters:
    ///   - parent: Returns the context that a request without its own continues; called in its task.
    ///   - isSampled: Returns true if a trace that starts with a request is to be recorded.
    ///   - reaches: Returns true if the trace may be sent to the server of a URL. Otherwise no fields are added, and
    ///     the request's own trace fields are removed. Called for redirect targets too.
    ///   - random: The source of random ids; tests can supply known numbers.
    public init(
        parent: @escaping @Sendable () -> TraceContext? = { TraceContext.current },
        isSampled: @escaping @Sendable (HTTPRequest) -> Bool = { _ in true },
        reaches: @escaping @Sendable (HTTPURL) -> Bool = { _ in true },
        random: @escaping @Sendable () -> UInt64 = { .random(in: .min ... .max) }
    ) {
        self.parent = parent
        self.isSampled = isSampled
        self.reaches = reaches
        self.random = random
    }

    /// Forwards the request as part of its trace.
    ///
    /// - Throws: The error that `next` throws.
    public func intercept(
        _ request: HTTPRequest, context: InterceptorContext, next: InterceptorNext
    ) async throws -> HTTPResponse {
        var request = request
        let parent = self.takeParent(of: &request) ?? self.parent() ?? self.begin(request)
        request.trace = RequestTrace(parent, reaches: self.reaches, random: self.random)
        return try await next(request)
    }

    /// Empty: a trace does not affect responses.
    public var cachePartition: String { "" }

    /// Removes and returns the request's own trace context: each attempt sends its own.
    private func takeParent(of request: inout HTTPRequest) -> TraceContext? {
        let traceparent = request.headers[HTTPField.Name.traceparent]
        let states = request.headers.values(for: HTTPField.Name.tracestate)
        request.headers.removeAll(named: HTTPField.Name.traceparent)
        request.headers.removeAll(named: HTTPField.Name.tracestate)
        guard let traceparent else { return nil }
        return TraceContext(
            traceparent: traceparent, tracestate: states.isEmpty ? nil : states.joined(separator: ","))
    }

    private func begin(_ request: HTTPRequest) -> TraceContext {
        TraceContext(
            trace: (self.random(), self.random()), span: self.random(), isSampled: self.isSampled(request), state: nil)
    }
}
