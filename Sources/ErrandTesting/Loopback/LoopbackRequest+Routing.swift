internal import Errand

extension LoopbackRequest: RoutedRequest {
    /// The method.
    public var routedMethod: String { self.method }
    /// The origin of an absolute target, as proxies get them, or otherwise `http` with the `Host` field.
    public var routedOrigin: String? {
        if let url = try? HTTPURL(parsing: self.target) { return url.origin }
        return self.header("Host").flatMap { try? HTTPURL(parsing: "http://\($0)/") }?.origin
    }
    /// The path of the target.
    public var routedPath: String { self.path }
    /// The query of the target.
    public var routedQuery: String? { self.query }
}
