/// An OAuth grant, with which an app gets tokens from an authorization server (RFC 6749).
///
/// ```swift
/// let grant = OAuthGrant.refreshToken(at: "https://login.example.com/token", clientID: "app")
/// let tokens = TokenAuthenticator(store: store) { try await grant.token(renewing: $0, with: login) }
/// ```
///
/// Descriptions of it never contain secrets.
public struct OAuthGrant: Sendable, Hashable {
    /// The method of client authentication (RFC 6749 §2.3.1).
    public enum ClientAuthentication: Sendable, Hashable {
        /// `Authorization: Basic`, with the client ID and secret form-encoded.
        case basic
        /// `client_id` and `client_secret` in the body, for servers that support no other method.
        case body
    }

    enum Kind: Sendable, Hashable {
        case refreshToken
        case clientCredentials
        case password(user: String, password: String)
        case authorizationCode(String, redirectURL: String, verifier: String)

        /// The value of `grant_type`.
        var name: String {
            switch self {
            case .refreshToken: "refresh_token"
            case .clientCredentials: "client_credentials"
            case .password: "password"
            case .authorizationCode: "authorization_code"
            }
        }
    }

    let kind: Kind
    let url: String
    let clientID: String
    let clientSecret: String?
    let authentication: ClientAuthentication
    let scope: String?
    let parameters: Parameters

    /// Uses the refresh token of the previous token (RFC 6749 §6).
    ///
    /// - Parameters:
    ///   - url: The token endpoint, an absolute URL.
    ///   - clientID: The client ID.
    ///   - clientSecret: The client secret. `nil` for a public client such as an app, whose ID is sent in the body.
    ///   - authentication: The method of client authentication.
    ///   - scope: The requested scope. `nil` requests that of the previous token.
    ///   - parameters: Additional parameters for the body.
    /// - Returns: The grant.
    public static func refreshToken(
        at url: String, clientID: String, clientSecret: String? = nil, authentication: ClientAuthentication = .basic,
        scope: String? = nil, parameters: Parameters = [:]
    ) -> OAuthGrant {
        OAuthGrant(
            kind: .refreshToken, url: url, clientID: clientID, clientSecret: clientSecret,
            authentication: authentication, scope: scope, parameters: parameters)
    }

    /// Uses the credentials of the client itself, without a user (RFC 6749 §4.4).
    ///
    /// - Parameters:
    ///   - url: The token endpoint, an absolute URL.
    ///   - clientID: The client ID.
    ///   - clientSecret: The client secret.
    ///   - authentication: The method of client authentication.
    ///   - scope: The requested scope. `nil` leaves it to the server.
    ///   - parameters: Additional parameters for the body, such as an `audience`.
    /// - Returns: The grant.
    public static func clientCredentials(
        at url: String, clientID: String, clientSecret: String, authentication: ClientAuthentication = .basic,
        scope: String? = nil, parameters: Parameters = [:]
    ) -> OAuthGrant {
        OAuthGrant(
            kind: .clientCredentials, url: url, clientID: clientID, clientSecret: clientSecret,
            authentication: authentication, scope: scope, parameters: parameters)
    }

    /// The user name and password of a user (RFC 6749 §4.3), for servers that offer no other way to sign in.
    ///
    /// The app sees the password, and a second factor is not possible: prefer
    /// ``authorizationCode(in:for:at:clientSecret:authentication:parameters:)``. The token comes from ``token(with:)``.
    ///
    /// - Parameters:
    ///   - url: The token endpoint, an absolute URL.
    ///   - user: The user name.
    ///   - password: The password of the user.
    ///   - clientID: The client identifier.
    ///   - clientSecret: The client secret; `nil` for a public client, such as an app.
    ///   - authentication: The place of the client identifier and the secret in the request.
    ///   - scope: The requested scope; `nil` leaves it to the server.
    ///   - parameters: More parameters for the body.
    /// - Returns: The grant.
    public static func password(
        at url: String, user: String, password: String, clientID: String, clientSecret: String? = nil,
        authentication: ClientAuthentication = .basic, scope: String? = nil, parameters: Parameters = [:]
    ) -> OAuthGrant {
        OAuthGrant(
            kind: .password(user: user, password: password), url: url, clientID: clientID, clientSecret: clientSecret,
            authentication: authentication, scope: scope, parameters: parameters)
    }
}

extension OAuthGrant: CustomReflectable {
    /// A mirror without secrets.
    public var customMirror: Mirror {
        let children: KeyValuePairs<String, Any> = [
            "kind": self.kind.name, "url": Redaction().reference(self.url), "clientID": self.clientID,
            "scope": self.scope as Any,
        ]
        return Mirror(self, children: children, displayStyle: .struct)
    }
}
