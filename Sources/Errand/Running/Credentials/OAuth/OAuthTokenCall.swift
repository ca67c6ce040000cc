internal import Foundation

/// The token request of an ``OAuthGrant``.
struct OAuthTokenCall: Endpoint {
    typealias Response = OAuthToken

    let grant: OAuthGrant
    let refreshToken: String?
    /// Records the rotated refresh token.
    let rotation: TokenRotation
    /// The time of the request.
    ///
    /// The lifetime of the token is counted from it.
    let date: Date

    var path: EndpointPath { .url(self.grant.url) }
    var method: HTTPMethod { .post }
    /// Accept all statuses: the body describes errors.
    var validation: ResponseValidation { .any }

    var options: RequestOptions {
        .caching(.never).redirects(.never).coalescing(false).accept("application/json")
            .credentials(self.credential.map { .own($0) } ?? .none)
    }

    private var credential: HTTPCredential? {
        guard self.grant.authentication == .basic, let secret = self.grant.clientSecret else { return nil }
        return .basic(user: self.grant.clientID.formEncoded, password: secret.formEncoded)
    }

    var body: RequestBody {
        var parameters = self.grant.parameters
        parameters.append("grant_type", .string(self.grant.kind.name))
        switch self.grant.kind {
        case .refreshToken, .clientCredentials: break
        case .password(let user, let password):
            parameters.append("username", .string(user))
            parameters.append("password", .string(password))
        case .authorizationCode(let code, let redirectURL, let verifier):
            parameters.append("code", .string(code))
            parameters.append("redirect_uri", .string(redirectURL))
            parameters.append("code_verifier", .string(verifier))
        }
        if let refreshToken { parameters.append("refresh_token", .string(refreshToken)) }
        if let scope = self.grant.scope { parameters.append("scope", .string(scope)) }
        if self.credential == nil {
            parameters.append("client_id", .string(self.grant.clientID))
            if let secret = self.grant.clientSecret { parameters.append("client_secret", .string(secret)) }
        }
        return .form(parameters, style: .init(spaces: .plus))
    }

    func decode(_ response: HTTPResponse) throws -> OAuthToken {
        // Record the rotation first: whatever is wrong with the rest, the server no longer accepts the previous token.
        if let rotated = try? JSONDecoder().decodeJSON(Rotated.self, from: response.data), response.status == .ok {
            self.rotation.note(rotated.refreshToken, after: self.refreshToken)
        }
        // Some servers send errors with the status 200.
        if let refusal = self.refusal(response) { throw refusal }
        let token = try JSONDecoder().decodeJSON(OAuthTokenResponse.self, from: response.data)
            .token(askedAt: self.date)
        guard (try? HTTPCredential.bearer(token.accessToken).fieldValue()) != nil else {
            throw ErrandError(
                .invalidResponse, "the access token cannot be sent: it is empty or not made of visible ASCII only")
        }
        return token
    }

    private func refusal(_ response: HTTPResponse) -> ErrandError? {
        let failure = try? JSONDecoder().decodeJSON(OAuthGrant.Failure.self, from: response.data)
        if response.status == .ok, failure?.code.isEmpty != false { return nil }
        guard let failure else {
            return ErrandError(.unacceptableStatus, "the authorization server responded with \(response.status)")
        }
        // A user cannot sign in again for the client itself.
        let isOver = self.grant.kind != .clientCredentials && failure.code == "invalid_grant"
        return ErrandError(
            isOver ? .loginRequired : .unacceptableStatus, "the authorization server gives no token: \(failure)",
            cause: failure)
    }

    /// The rotated refresh token.
    private struct Rotated: Decodable {
        enum CodingKeys: String, CodingKey {
            case refreshToken = "refresh_token"
        }

        let refreshToken: String?
    }
}

extension String {
    /// The form-encoded text (RFC 6749 appendix B).
    fileprivate var formEncoded: String {
        HTTPURL.percentEncode(self, for: .queryItem).replacing("%20", with: "+").replacing("/", with: "%2F")
            .replacing("?", with: "%3F").replacing("~", with: "%7E")
    }
}
