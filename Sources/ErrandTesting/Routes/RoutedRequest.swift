public import Errand

/// A request as routes look at it.
public protocol RoutedRequest: Sendable {
    /// The method, exactly as sent.
    var routedMethod: String { get }
    /// The scheme, the host and the port unless it is the default, in lower case; `nil` if they are not known.
    var routedOrigin: String? { get }
    /// The path as it is on the wire, without the query.
    var routedPath: String { get }
    /// The query as it is on the wire, or `nil` without one.
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
