/// What a client makes requests from besides their endpoints; see ``Client/updateDefaults(_:)``.
public struct RequestDefaults: Sendable {
    /// The URL that paths of endpoints are resolved against; see ``Configuration/baseURL``.
    public var baseURL: String?
    /// The URL for endpoints that use the content delivery network; see ``Configuration/cdnURL``.
    public var cdnURL: String?
    /// Base URLs that endpoints pick by name; see ``Configuration/baseURLs``.
    public var baseURLs: [String: String]
    /// What paths pass before they are resolved, in this order; see ``Configuration/pathFilters``.
    public var pathFilters: [PathFilter]
    /// Header fields of requests that do not set them themselves; see ``Configuration/headers``.
    public var headers: HTTPFields
    /// Header fields of requests that have them from nobody else; see ``Configuration/defaultHeaders``.
    public var defaultHeaders: DefaultHeaders
    /// Where parameters go, and what they become; see ``Configuration/parameterEncoding``.
    public var parameterEncoding: ParameterEncoding
    /// Which networks may be used; see ``Configuration/allowedNetworks``.
    public var allowedNetworks: AllowedNetworks
}
