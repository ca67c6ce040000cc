/// Makes requests part of distributed traces: each attempt carries `traceparent`, and `tracestate` where there is one.
///
/// A request continues the trace that its own `traceparent` names, else that of whoever sends it
/// (``TraceContext/current``), else it begins one. Every attempt, those that follow redirections and answer challenges
/// too, is a piece of work of its own there: it has an id of its own, which accessories are told as
/// ``RequestActivity/Event/traced(_:)``.
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

    /// Creates the interceptor; place it first, so that what others send once more stays in the same trace.
    ///
    /// - Parameters:
    ///   - parent: Answers the context that a request continues when it has none itself; called in its task.
    ///   - isSampled: Tells whether a trace that begins with a request is to be recorded.
    ///   - reaches: Tells whether a trace may be told to the server of a URL; elsewhere nothing is added, and what a
    ///     request said itself is taken away. Asked for the targets of redirections, too.
    ///   - random: Where ids come from; tests give numbers that they know.
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

    /// Sends the request on as a part of its trace.
    ///
    /// - Throws: Whatever `next` throws.
    public func intercept(
        _ request: HTTPRequest, context: InterceptorContext, next: InterceptorNext
    ) async throws -> HTTPResponse {
        var request = request
        let parent = self.takeParent(of: &request) ?? self.parent() ?? self.begin(request)
        request.trace = RequestTrace(parent, reaches: self.reaches, random: self.random)
        return try await next(request)
    }

    /// Empty: a trace changes no answer.
    public var cachePartition: String { "" }

    /// Takes what a request says itself: each attempt says it anew.
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
