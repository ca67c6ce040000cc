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

    /// Gets a token: what a ``TokenAuthenticator`` calls to renew one.
    ///
    /// It is a POST without a credential of the client's, never stored, and never redirected: its body is secret.
    ///
    /// - Parameters:
    ///   - token: The token to renew.
    ///   - client: What sends the request.
    /// - Returns: The token; `nil` where there is none to renew, and the grant is none without a user.
    /// - Throws: ``ErrandError``. With the code ``ErrandError/Code/loginRequired`` when the token cannot be renewed any
    ///   more: the server says `invalid_grant`, or there is no refresh token. With an ``OAuthError`` as its cause when
    ///   the server says why it gives none.
    public func token(renewing token: OAuthToken?, with client: Client) async throws(ErrandError) -> OAuthToken? {
        var refreshToken: String?
        if self.kind == .refreshToken {
            guard let token else { return nil }
            guard let known = token.refreshToken else {
                throw ErrandError(.loginRequired, "the token has no refresh token")
            }
            refreshToken = known
        }
        let asked = client.environment.date()
        do throws(ErrandError) {
            let call = OAuthTokenCall(grant: self, refreshToken: refreshToken, date: asked)
            return try await client.send(call).renewing(token)
        } catch {
            // What could not be understood may have a token in it.
            var error = error
            error.context.body = nil
            throw error
        }
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
