internal import ErrandLocks

/// The refresh token that a server gave in place of another one, whatever became of the renewal otherwise.
///
/// The server takes the one before no more: it has to be kept also where nothing else of the response can be used, and
/// whatever code of the app makes of the error.
final class TokenRotation: Sendable {
    /// That of the renewal that the current task carries out.
    @TaskLocal private static var current: TokenRotation?

    private let token = Locked<String?>(nil)

    /// The refresh token that is good from now on, if there is another one.
    var refreshToken: String? { self.token.withLock { $0 } }

    /// Carries out a renewal.
    func watch<Value>(_ renew: () async throws -> Value) async throws -> Value {
        try await Self.$current.withValue(self) { try await renew() }
    }

    /// Takes note of a refresh token that came in place of another one.
    func note(_ refreshToken: String?, after known: String?) {
        guard let refreshToken, !refreshToken.isEmpty, refreshToken != known else { return }
        self.token.withLock { $0 = refreshToken }
    }

    /// Hands it to the renewal that the current task carries out, if it does.
    func tell() {
        Self.current?.note(self.refreshToken, after: nil)
    }
}
