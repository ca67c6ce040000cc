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
    /// The credential for the origin of the base URL; see ``Configuration/credential``.
    ///
    /// It belongs to the origin that the base URL has when it is set: a base URL that is changed later does not take it
    /// along.
    public var credential: Credential? {
        didSet { self.credentialOrigin = nil }
    }
    /// Credentials for other origins; see ``Configuration/credentials``.
    public var credentials: [String: Credential]
    /// Where parameters go, and what they become; see ``Configuration/parameterEncoding``.
    public var parameterEncoding: ParameterEncoding
    /// Which networks may be used; see ``Configuration/allowedNetworks``.
    public var allowedNetworks: AllowedNetworks
    /// Names of fields that are secret; see ``Configuration/secretHeaders``.
    package let secretHeaders: [String]
    /// The origin that ``credential`` belongs to, once it is known.
    package var credentialOrigin: String?
}

extension RequestDefaults: CustomReflectable {
    /// A mirror of the defaults without secrets.
    public var customMirror: Mirror {
        let redaction = Redaction(secretHeaders: self.secretHeaders)
        let children: KeyValuePairs<String, Any> = [
            "baseURL": self.baseURL.map(redaction.reference) as Any,
            "cdnURL": self.cdnURL.map(redaction.reference) as Any,
            "baseURLs": self.baseURLs.mapValues(redaction.reference), "pathFilters": self.pathFilters,
            "headers": self.headers.description(redactedBy: redaction), "defaultHeaders": self.defaultHeaders,
            "credential": self.credential as Any, "credentials": self.credentials,
            "parameterEncoding": self.parameterEncoding, "allowedNetworks": self.allowedNetworks,
        ]
        return Mirror(self, children: children, displayStyle: .struct)
    }
}
