/// Changes the path of each endpoint before it is resolved: one of the filters of a client, which are asked in order.
///
/// Only what is resolved against a base URL of the client is filtered, so that nothing shared is told to other hosts:
/// not an absolute URL, not one that begins with `//`, and not a path below a base URL that an endpoint brings along,
/// whose origin is none of the client's, unless its options say
/// ``RequestOptions/sendingSecretsToAllOrigins(_:)-swift.type.method``. What filters add is a part of the URL that a cache
/// knows a response by.
public struct PathFilter: Sendable {
    private enum Kind: Sendable {
        case query(Parameters, ParameterEncoding.QueryStyle)
        case function(@Sendable (_ path: EndpointPath, _ endpoint: any Endpoint) throws -> EndpointPath)
    }

    private let kind: Kind

    /// Creates a filter from a function that answers the path to use; what it throws fails the request.
    ///
    /// It runs each time that a request starts, on the request's own actor.
    public init(_ rewrite: @escaping @Sendable (_ path: EndpointPath, _ endpoint: any Endpoint) throws -> EndpointPath)
    {
        self.kind = .function(rewrite)
    }

    private init(_ kind: Kind) {
        self.kind = kind
    }

    /// Adds arguments that all calls share to the query, behind those that the path has.
    ///
    /// The arguments of the endpoint itself come behind them.
    public static func query(_ parameters: Parameters, style: ParameterEncoding.QueryStyle = .standard) -> PathFilter {
        PathFilter(.query(parameters, style))
    }

    /// Returns the path to use in place of another.
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
