internal import ErrandLocks

public import struct Foundation.URL

extension TokenAuthenticator {
    /// Keeps the token of a ``TokenAuthenticator`` where the next start of the app finds it, such as in a keychain.
    ///
    /// It is asked to load when the first request needs the token, and again before a token is renewed and after the server
    /// has said that it cannot be: another process may have renewed it meanwhile. Calls may come from any task, and what is
    /// written by one of them may be outdated while it is written: the last call has the last word.
    ///
    /// A store that several processes use says when one of them renews the token (``whileRenewing(_:)``): many servers take a
    /// refresh token once, and log the user out when it comes a second time.
    public protocol Store: Sendable {
        /// Returns the token that was saved last, or `nil` where there is none.
        ///
        /// Its task is cancelled when all who waited for it have left; then the next one asks again.
        ///
        /// - Throws: Anything; the requests that wait for it fail, and the next one asks again.
        func load() async throws -> OAuthToken?
        /// Keeps a token in place of the one before.
        ///
        /// - Throws: Anything; for a token that was renewed, the accessories of the next request are told in an
        ///   ``RequestActivity/Event/notice(_:)``.
        func save(_ token: OAuthToken) async throws
        /// Keeps no token any more; does nothing where there is none.
        ///
        /// - Throws: Anything; after ``Client/forgetCredentials()``, or a renewal that got none, as for ``save(_:)``.
        func remove() async throws
        /// Keeps what came of a renewal, in place of the token that was renewed.
        ///
        /// Unless a store does it in one step, it is loaded, compared and saved or removed; a token that was renewed is saved
        /// also where there is none any more.
        ///
        /// - Parameters:
        ///   - known: The token that was renewed; the same is one with the same access token and refresh token.
        ///   - token: The new one; `nil` for none.
        /// - Returns: Whether it was done: not where another process has put another token there meanwhile.
        /// - Throws: As ``save(_:)``.
        func replace(_ known: OAuthToken?, with token: OAuthToken?) async throws -> Bool
        /// Renews the token while no other process does, if the store can hold others back; that is not so unless a store
        /// says otherwise.
        ///
        /// - Parameter renew: Loads the token, gets a new one and keeps it. It is called once, and may take as long as a request
        ///   to a server.
        /// - Returns: What that returns.
        /// - Throws: What that throws.
        func whileRenewing<Value: Sendable>(_ renew: () async throws -> Value) async throws -> Value
    }
}

extension TokenAuthenticator.Store {
    /// Loads, compares, and saves or removes: not in one step.
    public func replace(_ known: OAuthToken?, with token: OAuthToken?) async throws -> Bool {
        guard try await self.load().mayBecome(token, knownAs: known) else { return false }
        if let token { try await self.save(token) } else { try await self.remove() }
        return true
    }

    /// Renews the token, and holds nobody back.
    public func whileRenewing<Value: Sendable>(_ renew: () async throws -> Value) async throws -> Value {
        try await renew()
    }
}

extension OAuthToken? {
    /// Whether it is the same one, whatever a store has made of what it says besides.
    func isSame(as other: OAuthToken?) -> Bool {
        (self?.accessToken, self?.refreshToken) == (other?.accessToken, other?.refreshToken)
    }

    /// Whether another may take its place that came of renewing a known one: where nobody is held back, one that was
    /// removed because it could not be renewed twice may have been renewed all the same.
    fileprivate func mayBecome(_ token: OAuthToken?, knownAs known: OAuthToken?) -> Bool {
        self.isSame(as: known) || self == nil && token != nil
    }
}

extension TokenAuthenticator {
    /// Keeps a token for as long as the app runs.
    public final class MemoryStore: TokenAuthenticator.Store {
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

        /// Keeps a token in place of the one that is known, or forgets that one; in one step.
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
    /// Keeps the token for as long as the app runs.
    public static var memory: TokenAuthenticator.MemoryStore { TokenAuthenticator.MemoryStore() }
}

extension TokenAuthenticator.Store where Self == TokenAuthenticator.FileStore {
    /// Keeps the token in a file that nobody but its owner can read; see ``TokenAuthenticator/FileStore``.
    public static func file(_ file: URL) -> TokenAuthenticator.FileStore { TokenAuthenticator.FileStore(file: file) }
}
