public import struct Foundation.Date

/// A token that proves who asks, how long it does so, and what a newer one is got with (RFC 6749 §1.4, §1.5).
///
/// Its descriptions never show what is secret; what encodes it writes the secrets out.
public struct OAuthToken: Sendable, Hashable, Codable {
    /// The bearer token: not empty, and made of visible ASCII characters.
    public var accessToken: String
    /// The token that a newer one is got with; `nil` for none.
    ///
    /// A token that is renewed without one, or with an empty one, keeps that of the token before.
    public var refreshToken: String?
    /// When it is over, by the wall clock; `nil` if nobody says so.
    public var expiresAt: Date?
    /// The rights that it gives, in words with spaces between them; `nil` if nobody says so.
    public var scope: String?
    /// Whom it is for, in the app's own words such as the id of an account; one that is renewed keeps it.
    ///
    /// Caches tell responses apart by it: those of one user stay at hand when the token is renewed. Two users must never
    /// have the same. With `nil` the token itself tells them apart, and a renewed one starts with nothing stored.
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

    /// The user as what is compared: two who only look alike are two.
    var userKey: ExactText? { self.user.map { ExactText($0) } }

    /// The same with what it did not bring along itself.
    func renewing(_ token: OAuthToken?) -> OAuthToken {
        var renewed = self
        if renewed.refreshToken?.isEmpty != false { renewed.refreshToken = token?.refreshToken }
        renewed.user = self.user ?? token?.user
        renewed.scope = self.scope ?? token?.scope
        return renewed
    }
}

extension OAuthToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Says when it is over, and nothing else.
    public var description: String {
        self.expiresAt.map { "OAuthToken(expires at \($0))" } ?? "OAuthToken"
    }

    /// The same as ``description``.
    public var debugDescription: String { self.description }

    /// A mirror without children: what looks into values must not find the secrets either.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
