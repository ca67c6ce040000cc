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
        switch self.grant.kind {
        case .refreshToken: parameters.append("grant_type", "refresh_token")
        case .clientCredentials: parameters.append("grant_type", "client_credentials")
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
        let answer = try JSONDecoder().decodeJSON(Granted.self, from: response.data)
        guard answer.tokenType.isEqualIgnoringASCIICase(to: "Bearer") else {
            throw ErrandError(.unsupported, "the token is not a bearer token")
        }
        guard (try? HTTPCredential.bearer(answer.accessToken).fieldValue()) != nil else {
            throw ErrandError(
                .invalidResponse, "the access token cannot be sent: it is empty or not made of visible ASCII only")
        }
        return OAuthToken(
            accessToken: answer.accessToken, refreshToken: answer.refreshToken,
            expiresAt: answer.lifetime.map { self.date.addingTimeInterval($0) }, scope: answer.scope)
    }

    private func refusal(_ response: HTTPResponse) -> ErrandError? {
        let error = try? JSONDecoder().decodeJSON(Refused.self, from: response.data)
        if response.status == .ok, error?.error.isEmpty != false { return nil }
        guard let error else {
            return ErrandError(.unacceptableStatus, "the authorization server responded with \(response.status)")
        }
        let cause = OAuthGrant.Failure(code: error.error, explanation: error.explanation, page: error.page)
        let isOver = self.grant.kind == .refreshToken && error.error == "invalid_grant"
        return ErrandError(
            isOver ? .loginRequired : .unacceptableStatus, "the authorization server issued no token: \(cause)",
            cause: cause)
    }

    /// The rotated refresh token.
    private struct Rotated: Decodable {
        enum CodingKeys: String, CodingKey {
            case refreshToken = "refresh_token"
        }

        let refreshToken: String?
    }

    /// A successful response (RFC 6749 §5.1).
    private struct Granted: Decodable {
        enum CodingKeys: String, CodingKey {
            case accessToken = "access_token"
            case tokenType = "token_type"
            case lifetime = "expires_in"
            case refreshToken = "refresh_token"
            case scope
        }

        let accessToken: String
        let tokenType: String
        /// In seconds.
        let lifetime: Double?
        let refreshToken: String?
        let scope: String?

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            self.accessToken = try values.decode(String.self, forKey: .accessToken)
            // RFC 6749 requires the type, but some servers omit it.
            self.tokenType = values.contains(.tokenType) ? try values.decode(String.self, forKey: .tokenType) : "Bearer"
            self.refreshToken = try values.decodeIfPresent(String.self, forKey: .refreshToken)
            self.scope = try values.decodeIfPresent(String.self, forKey: .scope)
            // Some servers send the number as a string.
            let seconds =
                (try? values.decodeIfPresent(Double.self, forKey: .lifetime))
                ?? (try? values.decode(String.self, forKey: .lifetime)).flatMap { Double($0) }
            self.lifetime = seconds.flatMap { $0.isFinite ? min(max($0, 0), 1e10) : nil }
        }
    }

    /// An error response (RFC 6749 §5.2).
    private struct Refused: Decodable {
        enum CodingKeys: String, CodingKey {
            case error
            case explanation = "error_description"
            case page = "error_uri"
        }

        let error: String
        let explanation: String?
        let page: String?
    }
}

extension String {
    /// The form-encoded text (RFC 6749 appendix B).
    fileprivate var formEncoded: String {
        HTTPURL.percentEncode(self, for: .queryItem).replacing("%20", with: "+").replacing("/", with: "%2F")
            .replacing("?", with: "%3F").replacing("~", with: "%7E")
    }
}
