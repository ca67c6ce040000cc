extension OAuthGrant {
    /// Gets a token: what a ``TokenAuthenticator`` calls to renew one.
    ///
    /// It is a POST without a credential of the client's, never stored, and never redirected: its body is secret. A response
    /// without a `token_type` is one with a bearer token. If the response has a new refresh token and cannot be used
    /// otherwise, the ``TokenAuthenticator`` that this is called for keeps that all the same.
    ///
    /// - Parameters:
    ///   - token: The token to renew.
    ///   - client: What sends the request.
    /// - Returns: The token; `nil` where there is none to renew, and the grant is none without a user.
    /// - Throws: ``ErrandError``. With the code ``ErrandError/Code/loginRequired`` when the token cannot be renewed any
    ///   more: the server says `invalid_grant`, or there is no refresh token. With an ``OAuthGrant/Failure`` as its
    ///   cause when the server says why it gives none.
    public func token(renewing token: OAuthToken?, with client: Client) async throws(ErrandError) -> OAuthToken? {
        var refreshToken: String?
        if self.kind == .refreshToken {
            guard let token else { return nil }
            guard let known = token.refreshToken else {
                throw ErrandError(.loginRequired, "the token has no refresh token")
            }
            refreshToken = known
        }
        let (asked, rotation) = (client.environment.date(), TokenRotation())
        defer { rotation.tell() }
        do throws(ErrandError) {
            let call = OAuthTokenCall(grant: self, refreshToken: refreshToken, rotation: rotation, date: asked)
            return try await client.send(call).renewing(token)
        } catch {
            // What could not be understood may have a token in it.
            var error = error
            error.context.body = nil
            throw error
        }
    }
}
