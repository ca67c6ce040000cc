public import struct Foundation.Date

/// An OAuth access token with its expiration and refresh token (RFC 6749 §1.4, §1.5).
///
/// It decodes from the response of a token endpoint (RFC 6749 §5.1), so it can be the ``Endpoint/Response`` of a call
/// that signs a user in, and from its own encoded form. Its descriptions never show what is secret; what encodes it
/// writes the secrets out.
public struct OAuthToken: Sendable, Hashable, Codable {
    /// The bearer token, a nonempty string of visible ASCII characters.
    public var accessToken: String
    /// The refresh token, if any.
    ///
    /// A renewed token with no refresh token, or an empty one, keeps that of the previous token.
    public var refreshToken: String?
    /// The expiration by the wall clock; `nil` if unknown.
    public var expiresAt: Date?
    /// The granted scope, a list separated by spaces; `nil` if unknown.
    public var scope: String?
    /// An identifier of the user chosen by the app, such as an account ID.
    ///
    /// A renewed token keeps it. Caches separate responses by it, so that the responses of a user remain usable after a
    /// renewal. Two users must never have the same identifier. With `nil`, responses are separated by the token itself,
    /// and a renewed token starts with an empty cache.
    public var user: String?

    /// Creates a token.
    public init(
        accessToken: String, refreshToken: String? = nil, expiresAt: Date? = nil, scope: String? = nil,
        user: String? = nil
    ) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.expiresAt = expiresAt
        self.scope = scope
        self.user = user
    }

    /// The user for comparison by bytes: names that only look alike differ.
    var userKey: ExactText? { self.user.map { ExactText($0) } }

    /// Returns the token, with missing values taken from the token it renews.
    func renewing(_ token: OAuthToken?) -> OAuthToken {
        var renewed = self
        if renewed.refreshToken?.isEmpty != false { renewed.refreshToken = token?.refreshToken }
        renewed.user = self.user ?? token?.user
        renewed.scope = self.scope ?? token?.scope
        return renewed
    }
}

extension OAuthToken {
    private enum CodingKeys: String, CodingKey {
        case accessToken, refreshToken, expiresAt, scope, user
    }

    /// Decodes the encoded form of a token, or the response of a token endpoint.
    ///
    /// In a response `expires_in` is a number of seconds, or a text with one, counted from now; one that cannot be read
    /// is left out. A response without a `token_type` is one with a bearer token. A response has no ``user``.
    ///
    /// - Throws: `DecodingError`; ``ErrandError`` with the code ``ErrandError/Code/unsupported`` for a `token_type`
    ///   other than `Bearer`. An ``OAuthGrant/Failure`` if there is an `error` in place of a token.
    public init(from decoder: any Decoder) throws {
        let response = try OAuthTokenResponse(from: decoder)
        self = try response.token(askedAt: Date())
        guard response.isEncodedToken else { return }
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.expiresAt = try values.decodeIfPresent(Date.self, forKey: .expiresAt)
        self.user = try values.decodeIfPresent(String.self, forKey: .user)
    }
}

extension OAuthToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A description with the expiration only.
    public var description: String {
        self.expiresAt.map { "OAuthToken(expires at \($0))" } ?? "OAuthToken"
    }

    /// The same as ``description``.
    public var debugDescription: String { self.description }

    /// A mirror without children, so that reflection does not reveal secrets.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
