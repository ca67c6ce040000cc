/// A filter that changes the path of each endpoint before it is resolved; a client's filters run in order.
///
/// Only paths resolved against a base URL of the client are filtered, so that shared values are not sent to other
/// hosts. Not filtered are absolute URLs, references that begin with `//`, and paths below a base URL of the endpoint
/// whose origin is not one of the client's, unless its options include
/// ``RequestOptions/sendingSecretsToAllOrigins(_:)-swift.type.method``. The additions of filters are part of the URL,
/// and so of the cache key.
public struct PathFilter: Sendable {
    private enum Kind: Sendable {
        case query(Parameters, ParameterEncoding.QueryStyle)
        case function(@Sendable (_ path: EndpointPath, _ endpoint: any Endpoint) throws -> EndpointPath)
    }

    private let kind: Kind

    /// Creates a filter from a function that returns the new path; an error that it throws fails the request.
    ///
    /// The function runs each time a request starts, on the request's own actor.
    public init(_ rewrite: @escaping @Sendable (_ path: EndpointPath, _ endpoint: any Endpoint) throws -> EndpointPath)
    {
        self.kind = .function(rewrite)
    }

    private init(_ kind: Kind) {
        self.kind = kind
    }

    /// Adds parameters that all calls share to the query, after those of the path.
    ///
    /// The endpoint's own parameters follow them.
    public static func query(_ parameters: Parameters, style: ParameterEncoding.QueryStyle = .standard) -> PathFilter {
        PathFilter(.query(parameters, style))
    }

    /// Returns the filtered path.
    func filter(_ path: EndpointPath, of endpoint: some Endpoint) throws(ErrandError) -> EndpointPath {
        switch self.kind {
        case .query(let parameters, let style):
            return parameters.isEmpty ? path : path.appendingQuery(try parameters.query(style))
        case .function(let rewrite):
            do {
                return try rewrite(path, endpoint)
            } catch {
                throw ErrandError(wrapping: error, as: .callbackFailed, "a path filter failed")
            }
        }
    }
}
