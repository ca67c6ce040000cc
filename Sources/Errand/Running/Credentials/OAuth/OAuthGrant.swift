/// How an app gets tokens from an authorization server, beside asking the user (RFC 6749).
///
/// ```swift
/// let grant = OAuthGrant.refreshToken(at: "https://login.example.com/token", clientID: "app")
/// let tokens = TokenAuthenticator(store: store) { try await grant.token(renewing: $0, with: login) }
/// ```
///
/// Its descriptions never show what is secret.
public struct OAuthGrant: Sendable, Hashable {
    /// How the client proves which one it is (RFC 6749 §2.3.1).
    public enum ClientAuthentication: Sendable, Hashable {
        /// With `Authorization: Basic`, id and secret encoded as forms are.
        case basic
        /// With `client_id` and `client_secret` in the body, for servers that know nothing else.
        case body
    }

    enum Kind: Sendable, Hashable {
        case refreshToken
        case clientCredentials
    }

    let kind: Kind
    let url: String
    let clientID: String
    let clientSecret: String?
    let authentication: ClientAuthentication
    let scope: String?
    let parameters: Parameters

    /// With the refresh token that came with the token before (RFC 6749 §6).
    ///
    /// - Parameters:
    ///   - url: The token endpoint, an absolute URL.
    ///   - clientID: The id of the client.
    ///   - clientSecret: Its secret; `nil` for a public client, such as an app: then the id is in the body.
    ///   - authentication: Where id and secret go.
    ///   - scope: What the token shall allow; `nil` for what the last one did.
    ///   - parameters: More parameters for the body.
    /// - Returns: The grant.
    public static func refreshToken(
        at url: String, clientID: String, clientSecret: String? = nil, authentication: ClientAuthentication = .basic,
        scope: String? = nil, parameters: Parameters = [:]
    ) -> OAuthGrant {
        OAuthGrant(
            kind: .refreshToken, url: url, clientID: clientID, clientSecret: clientSecret,
            authentication: authentication, scope: scope, parameters: parameters)
    }

    /// With the credentials of the client itself, which stands for no user (RFC 6749 §4.4).
    ///
    /// - Parameters:
    ///   - url: The token endpoint, an absolute URL.
    ///   - clientID: The id of the client.
    ///   - clientSecret: Its secret.
    ///   - authentication: Where id and secret go.
    ///   - scope: What the token shall allow; `nil` to leave that to the server.
    ///   - parameters: More parameters for the body, such as an `audience`.
    /// - Returns: The grant.
    public static func clientCredentials(
        at url: String, clientID: String, clientSecret: String, authentication: ClientAuthentication = .basic,
        scope: String? = nil, parameters: Parameters = [:]
    ) -> OAuthGrant {
        OAuthGrant(
            kind: .clientCredentials, url: url, clientID: clientID, clientSecret: clientSecret,
            authentication: authentication, scope: scope, parameters: parameters)
    }
}

extension OAuthGrant: CustomReflectable {
    /// A mirror without secrets.
    public var customMirror: Mirror {
        let children: KeyValuePairs<String, Any> = [
            "kind": self.kind, "url": Redaction().reference(self.url), "clientID": self.clientID,
            "scope": self.scope as Any,
        ]
        return Mirror(self, children: children, displayStyle: .struct)
    }
}
