internal import ErrandLocks
internal import Foundation

/// Answers challenges of the Digest scheme (RFC 7616) with a user name and a password, without sending the password.
///
/// Challenges are cached by origin and shared: later requests are signed before they are sent, with an increasing nonce
/// count, until the server reports the nonce as stale. Among several challenges, the first supported one is used.
/// Supported are SHA-256, MD5, and their `-sess` variants, with the quality of protection `auth`. A `nextnonce` is
/// ignored.
///
/// One authenticator may be shared by several clients. Descriptions of it never contain secrets.
public final class DigestAuthenticator: Authenticator {
    private let user: String
    private let password: String
    private let makeNonce: @Sendable () -> String
    private let sessions = Locked<[String: DigestSession]>([:])
    let refreshes = CredentialRefreshes()

    /// Creates an authenticator.
    ///
    /// - Parameters:
    ///   - user: The user name, without control characters and colons.
    ///   - password: The password, without control characters.
    public convenience init(user: String, password: String) {
        self.init(user: user, password: password) { RandomSource(SystemRandomNumberGenerator()).makeUUID() }
    }

    init(user: String, password: String, makeNonce: @escaping @Sendable () -> String) {
        // RFC 7616 §4 requires this normalization for UTF-8.
        self.user = user.precomposedStringWithCanonicalMapping
        self.password = password.precomposedStringWithCanonicalMapping
        self.makeNonce = makeNonce
    }

    /// Returns the answer to a challenge for this request, or `nil` if no challenge is supported or the password is
    /// wrong.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/invalidRequest`` if the user name or the password
    ///   contains invalid characters.
    public func credential(for context: AuthenticationContext) async throws(ErrandError) -> HTTPCredential? {
        try self.session(for: context).map { .digest($0.parameters(for: context.method, context.url)) }
    }

    /// Returns the session for signing requests, or `nil` if no challenge is supported or the password is wrong.
    private func session(for context: AuthenticationContext) throws(ErrandError) -> DigestSession? {
        // The restrictions of RFC 7617 apply here, too.
        _ = try HTTPCredential.basic(user: self.user, password: self.password).fieldValue()
        let origin = context.url.origin
        guard let challenge = context.digestChallenge, context.attempt < 2 || challenge.isStale else {
            self.sessions.withLock { sessions in
                if sessions[origin]?.challenge.nonce == context.refused { sessions[origin] = nil }
            }
            return nil
        }
        return self.session(for: challenge, insteadOf: context.refused, at: origin)
    }

    private func session(
        for challenge: DigestChallenge, insteadOf refused: String?, at origin: String
    ) -> DigestSession {
        let session = DigestSession(
            challenge, user: self.user, password: self.password, clientNonce: self.makeNonce())
        return self.sessions.withLock { sessions in
            // Another request may have obtained a newer session.
            if let known = sessions[origin], known.challenge.nonce != refused { return known }
            sessions[origin] = session
            return session
        }
    }
}

extension AuthenticationContext {
    /// The first supported challenge.
    fileprivate var digestChallenge: DigestChallenge? {
        self.challenges.lazy.compactMap { DigestChallenge($0) }.first
    }
}

// MARK: - Kept state

extension DigestAuthenticator: PreemptiveAuthenticator {
    var isPerOrigin: Bool { true }
    var backoff: Backoff? { nil }

    func load() {}

    func kept(for url: HTTPURL, at date: Date) -> KeptCredential? {
        let session = self.sessions.withLock { $0[url.origin] }
        return KeptCredential(
            key: session?.challenge.nonce, identity: "digest \(self.user):\(self.password)",
            form: session.map { .digest($0) } ?? .none)
    }

    func renew(_ context: AuthenticationContext) throws(ErrandError) -> Bool {
        try self.session(for: context) != nil
    }

    func noteRefusal(_ context: AuthenticationContext) {
        guard let challenge = context.digestChallenge else { return }
        _ = self.session(for: challenge, insteadOf: context.refused, at: context.url.origin)
    }

    func forget() {
        self.sessions.withLock { $0 = [:] }
    }
}

extension DigestAuthenticator: CustomReflectable {
    /// A mirror without children, so that reflection does not reveal secrets.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .class) }
}
