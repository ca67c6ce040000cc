extension OAuthGrant {
    /// Gets the first token of a user who signs in, or a token of the client itself.
    ///
    /// The request is that of ``token(renewing:with:)``, and cancelling the task cancels it. A code can be used once:
    /// after an error, start a new ``AuthorizationRequest``.
    ///
    /// - Parameter client: The client that sends the request.
    /// - Returns: The token, without an ``OAuthToken/user``.
    /// - Throws: ``ErrandError``. With the code ``ErrandError/Code/loginRequired`` if the server says `invalid_grant`:
    ///   the code has expired or was used, or the user name or password is wrong; and for a grant that renews tokens.
    ///   With an ``OAuthGrant/Failure`` as its cause if the server says why it gives no token.
    public func token(with client: Client) async throws(ErrandError) -> OAuthToken {
        guard let token = try await self.token(renewing: nil, with: client) else {
            throw ErrandError(.loginRequired, "there is no token to renew: get the first one by another grant")
        }
        return token
    }

    /// Gets a token: what a ``TokenAuthenticator`` calls to renew one.
    ///
    /// The request is a POST without the client's credential. It is never stored and never redirected, since its body
    /// is secret. A response without a `token_type` holds a bearer token. If the response contains a new refresh token
    /// but is otherwise unusable, the calling ``TokenAuthenticator`` keeps that refresh token.
    ///
    /// - Parameters:
    ///   - token: The token to renew.
    ///   - client: The client that sends the request.
    /// - Returns: The token; `nil` if there is none to renew and the grant needs a user.
    /// - Throws: ``ErrandError``; with the code ``ErrandError/Code/loginRequired`` if the token can no longer be
    ///   renewed, because the server responds with `invalid_grant` or there is no refresh token. If the server gives a
    ///   reason, the cause is an ``OAuthGrant/Failure``.
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
            // A body that could not be decoded may contain a token.
            var error = error
            error.context.body = nil
            throw error
        }
    }
}
