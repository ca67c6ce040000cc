internal import ErrandLocks

public import struct Foundation.URL

extension TokenAuthenticator {
    /// Persistent storage for the token of a ``TokenAuthenticator``, such as a keychain.
    ///
    /// The store is loaded when the first request needs the token. It is loaded again before a token is renewed, and
    /// after the server has rejected a renewal, because another process may have renewed the token. Methods may be
    /// called from any task. A token may be outdated while it is written: the last call wins.
    ///
    /// A store that is shared by several processes announces renewals (``whileRenewing(_:)``): many servers accept a
    /// refresh token only once, and log the user out when it is used again.
    public protocol Store: Sendable {
        /// Returns the token that was saved last, or `nil` if there is none.
        ///
        /// The task is cancelled when all waiters have left. The next request loads again.
        ///
        /// - Throws: Any error. The waiting requests fail, and the next one loads again.
        func load() async throws -> OAuthToken?
        /// Saves a token, replacing the previous one.
        ///
        /// - Throws: Any error. If a renewed token could not be saved, the accessories of the next request receive a
        ///   ``RequestActivity/Event/notice(_:)``.
        func save(_ token: OAuthToken) async throws
        /// Removes the stored token, if there is one.
        ///
        /// - Throws: Any error. After ``Client/forgetCredentials()``, or a renewal without a token, it is reported as
        ///   for ``save(_:)``.
        func remove() async throws
        /// Saves the result of a renewal, replacing the token that was renewed.
        ///
        /// By default the store is loaded, compared, and then saved or removed, which is not atomic. A renewed token is
        /// then saved even if there is no stored token any more.
        ///
        /// - Parameters:
        ///   - known: The token that was renewed, compared by access token and refresh token.
        ///   - token: The new token; `nil` removes the stored one.
        /// - Returns: `false` if another process has stored a different token in the meantime.
        /// - Throws: As ``save(_:)``.
        func replace(_ known: OAuthToken?, with token: OAuthToken?) async throws -> Bool
        /// Renews the token while no other process does, if the store supports that.
        ///
        /// By default other processes are not held back.
        ///
        /// - Parameter renew: Loads the token, obtains a new one, and saves it. It is called once, and may take as long
        ///   as a request to a server.
        /// - Returns: The result of `renew`.
        /// - Throws: The error of `renew`.
        func whileRenewing<Value: Sendable>(_ renew: () async throws -> Value) async throws -> Value
    }
}

extension TokenAuthenticator.Store {
    /// Loads, compares, and then saves or removes.
    ///
    /// Not atomic.
    public func replace(_ known: OAuthToken?, with token: OAuthToken?) async throws -> Bool {
        guard try await self.load().mayBecome(token, knownAs: known) else { return false }
        if let token { try await self.save(token) } else { try await self.remove() }
        return true
    }

    /// Renews the token without holding other processes back.
    public func whileRenewing<Value: Sendable>(_ renew: () async throws -> Value) async throws -> Value {
        try await renew()
    }
}

extension OAuthToken? {
    /// True if both tokens have the same access token and refresh token, whatever else a store has changed.
    func isSame(as other: OAuthToken?) -> Bool {
        (self?.accessToken, self?.refreshToken) == (other?.accessToken, other?.refreshToken)
    }

    /// True if the stored token may be replaced by the renewal of a known one.
    ///
    /// Without a lock, a token that one process removed after a failed renewal may have been renewed by another one.
    fileprivate func mayBecome(_ token: OAuthToken?, knownAs known: OAuthToken?) -> Bool {
        self.isSame(as: known) || self == nil && token != nil
    }
}

extension TokenAuthenticator {
    /// Stores a token in memory.
    public final class MemoryStore: TokenAuthenticator.Store {
        private let token: Locked<OAuthToken?>

        /// Creates a store with an initial token.
        public init(_ token: OAuthToken? = nil) {
            self.token = Locked(token)
        }

        /// Returns the token.
        public func load() -> OAuthToken? { self.token.withLock { $0 } }

        /// Saves a token, replacing the previous one.
        public func save(_ token: OAuthToken) { self.token.withLock { $0 = token } }

        /// Removes the token.
        public func remove() { self.token.withLock { $0 = nil } }

        /// Replaces or removes the known token atomically.
        public func replace(_ known: OAuthToken?, with token: OAuthToken?) -> Bool {
            self.token.withLock { stored in
                guard stored.mayBecome(token, knownAs: known) else { return false }
                stored = token
                return true
            }
        }
    }
}

extension TokenAuthenticator.Store where Self == TokenAuthenticator.MemoryStore {
    /// A store that keeps the token in memory.
    public static var memory: TokenAuthenticator.MemoryStore { TokenAuthenticator.MemoryStore() }
}

extension TokenAuthenticator.Store where Self == TokenAuthenticator.FileStore {
    /// A store that keeps the token in a file that only its owner can read; see ``TokenAuthenticator/FileStore``.
    public static func file(_ file: URL) -> TokenAuthenticator.FileStore { TokenAuthenticator.FileStore(file: file) }
}
