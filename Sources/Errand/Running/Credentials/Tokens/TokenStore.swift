internal import ErrandLocks

/// Keeps the token of a ``TokenAuthenticator`` where the next start of the app finds it, such as in a keychain.
///
/// It is asked to load once for all, when the first request needs the token; from then on it is only written to. Calls may
/// come from any task, and what is written by one of them may be outdated while it is written: the last call has the last
/// word.
public protocol TokenStore: Sendable {
    /// Returns the token that was saved last, or `nil` where there is none.
    ///
    /// Its task is cancelled when all who waited for it have left; then the next one asks again.
    ///
    /// - Throws: Anything; the requests that wait for it fail, and the next one asks again.
    func load() async throws -> OAuthToken?
    /// Keeps a token in place of the one before.
    ///
    /// - Throws: Anything; for a token that was renewed, the accessories of the next request are told in an
    ///   ``Activity/Event/notice(_:)``.
    func save(_ token: OAuthToken) async throws
    /// Keeps no token any more; does nothing where there is none.
    ///
    /// - Throws: Anything; after ``Client/forgetCredentials()``, or a renewal that got none, as for ``save(_:)``.
    func remove() async throws
}

/// Keeps a token for as long as the app runs.
public final class MemoryTokenStore: TokenStore {
    private let token: Locked<OAuthToken?>

    /// Creates one that has a token, or none.
    public init(_ token: OAuthToken? = nil) {
        self.token = Locked(token)
    }

    /// Returns the token.
    public func load() -> OAuthToken? { self.token.withLock { $0 } }

    /// Keeps a token in place of the one before.
    public func save(_ token: OAuthToken) { self.token.withLock { $0 = token } }

    /// Forgets the token.
    public func remove() { self.token.withLock { $0 = nil } }
}
