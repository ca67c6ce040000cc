/// Adds query arguments and header fields to every request that passes, such as an app version or a locale.
///
/// It sees each request that is sent, to other hosts too, and comes behind the cache. What is to be a part of the URL
/// that a response is kept by, and stays with the base URL, is added by a ``PathFilter``.
///
/// Arguments are appended to the query that a URL has already. A header field that the request has already is left as
/// it is.
public struct URLFilter: Interceptor {
    private let query: Parameters
    private let headers: HTTPFields

    /// Creates a filter.
    ///
    /// - Parameters:
    ///   - query: Arguments for the query of the URL.
    ///   - headers: Header fields for requests that do not set them themselves.
    public init(query: Parameters = [:], headers: HTTPFields = [:]) {
        self.query = query
        self.headers = headers
    }

    /// Sends the request on with what this filter adds.
    ///
    /// - Throws: ``ErrandError`` when an addition cannot be encoded or is not legal in HTTP, and whatever `next`
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

    /// A digest of all that is added: answers to other arguments are other answers.
    public var cachePartition: String {
        let fields = self.headers.map { "\($0.name.asciiLowercased()):\($0.value)" }.joined(separator: "\n")
        return "URLFilter \(SHA256(of: "\((try? self.query.query()) ?? "")\n\(fields)"))"
    }
}
