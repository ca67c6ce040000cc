internal import struct Foundation.Date

/// The response of a token endpoint (RFC 6749 §5.1), or the encoded form of a token as far as the two are the same.
struct OAuthTokenResponse: Decodable {
    private let accessToken: String
    private let tokenType: String
    private let refreshToken: String?
    private let scope: String?
    /// In seconds, from 0 to 10¹⁰.
    private let lifetime: Double?
    /// True if it has only members of an encoded token.
    let isEncodedToken: Bool

    /// - Throws: `DecodingError`, or ``OAuthGrant/Failure`` for an error response.
    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Name.self)
        // A decoder that converts from snake case has other names.
        func name(_ name: String, or converted: String) -> Name {
            values.contains(Name(stringValue: converted)) ? Name(stringValue: converted) : Name(stringValue: name)
        }
        let (token, type) = (name("access_token", or: "accessToken"), name("token_type", or: "tokenType"))
        let lifetime = name("expires_in", or: "expiresIn")
        if !values.contains(token), let failure = try? OAuthGrant.Failure(from: decoder) { throw failure }
        self.accessToken = try values.decode(String.self, forKey: token)
        // RFC 6749 wants it, and some servers leave it out.
        self.tokenType = values.contains(type) ? try values.decode(String.self, forKey: type) : "Bearer"
        self.refreshToken = try values.decodeIfPresent(String.self, forKey: name("refresh_token", or: "refreshToken"))
        self.scope = try values.decodeIfPresent(String.self, forKey: Name(stringValue: "scope"))
        // Some servers write the number as a text.
        let seconds =
            (try? values.decodeIfPresent(Double.self, forKey: lifetime))
            ?? (try? values.decode(String.self, forKey: lifetime)).flatMap { Double($0) }
        self.lifetime = seconds.flatMap { $0.isFinite ? min(max($0, 0), 1e10) : nil }
        self.isEncodedToken =
            token.stringValue == "accessToken" && !values.contains(type) && !values.contains(lifetime)
    }

    /// Returns the token; its lifetime begins when it was asked for.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/unsupported`` for one that is no bearer token.
    func token(askedAt date: Date) throws(ErrandError) -> OAuthToken {
        guard self.tokenType.isEqualIgnoringASCIICase(to: "Bearer") else {
            throw ErrandError(.unsupported, "the token is not one to be sent as a bearer token")
        }
        return OAuthToken(
            accessToken: self.accessToken, refreshToken: self.refreshToken,
            expiresAt: self.lifetime.map { date.addingTimeInterval($0) }, scope: self.scope)
    }

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
