/// Adds query parameters and header fields to every request, such as an app version or a locale.
///
/// It applies to each request that is sent, also to other hosts, and runs after the cache lookup. To add parameters
/// that are part of the cache key, and only below the base URL, use a ``PathFilter``.
///
/// Parameters are appended to the existing query of the URL. Existing header fields are not replaced.
public struct URLFilter: Interceptor {
    private let query: Parameters
    private let headers: HTTPFields

    /// Creates a filter.
    ///
    /// - Parameters:
    ///   - query: Parameters for the query of the URL.
    ///   - headers: Header fields for requests that do not set them themselves.
    public init(query: Parameters = [:], headers: HTTPFields = [:]) {
        self.query = query
        self.headers = headers
    }

    /// Forwards the request with the additions of this filter.
    ///
    /// - Throws: ``ErrandError`` if an addition cannot be encoded or is invalid in HTTP, and any error that `next`
    ///   throws.
    public func intercept(
        _ request: HTTPRequest, context: InterceptorContext, next: InterceptorNext
    ) async throws -> HTTPResponse {
        var request = request
        request.url = request.url.appendingQuery(try self.query.query())
        for field in self.headers where !request.headers.contains(field.name) {
            request.headers.append(name: field.name, value: field.value)
        }
        return try await next(request)
    }

    /// A digest of all additions, since responses depend on them.
    public var cachePartition: String {
        let fields = self.headers.map { "\($0.name.asciiLowercased()):\($0.value)" }.joined(separator: "\n")
        return "URLFilter \(SHA256(of: "\((try? self.query.query()) ?? "")\n\(fields)"))"
    }
}
