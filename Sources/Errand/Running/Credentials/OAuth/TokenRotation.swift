internal import ErrandLocks

/// The refresh token that a server issued to replace another one, whatever the outcome of the renewal otherwise.
///
/// The server no longer accepts the previous token, so that the new one must be kept even if the rest of the response
/// is unusable, however the app handles the error.
final class TokenRotation: Sendable {
    /// The rotation of the renewal that the current task carries out.
    @TaskLocal private static var current: TokenRotation?

    private let token = Locked<String?>(nil)

    /// The new refresh token, if there is one.
    var refreshToken: String? { self.token.withLock { $0 } }

    /// Runs a renewal.
    func watch<Value>(_ renew: () async throws -> Value) async throws -> Value {
        try await Self.$current.withValue(self) { try await renew() }
    }

    /// Records a refresh token that replaces another one.
    func note(_ refreshToken: String?, after known: String?) {
        guard let refreshToken, !refreshToken.isEmpty, refreshToken != known else { return }
        self.token.withLock { $0 = refreshToken }
    }

    /// Passes the new token to the renewal that the current task carries out, if any.
    func tell() {
        Self.current?.note(self.refreshToken, after: nil)
    }
}
