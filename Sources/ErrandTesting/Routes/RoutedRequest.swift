public import Errand

/// The view of a request that routes match.
public protocol RoutedRequest: Sendable {
    /// The method, exactly as sent.
    var routedMethod: String { get }
    /// The scheme, the host and the port unless it is the default, in lowercase; `nil` if they are not known.
    var routedOrigin: String? { get }
    /// The encoded path, without the query.
    var routedPath: String { get }
    /// The encoded query, or `nil` if there is none.
    var routedQuery: String? { get }
}

extension HTTPRequest: RoutedRequest {
    /// The name of the method.
    public var routedMethod: String { self.method.rawValue }
    /// The origin of the URL.
    public var routedOrigin: String? { self.url.origin }
    /// The path of the URL.
    public var routedPath: String { self.url.path }
    /// The query of the URL.
    public var routedQuery: String? { self.url.query }
}
