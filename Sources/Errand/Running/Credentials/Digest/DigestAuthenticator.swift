internal import ErrandLocks
internal import Foundation

/// Answers challenges of the scheme Digest (RFC 7616) with a user and a password, without sending the password.
///
/// What a server has asked for is remembered for its origin and shared: later requests are signed before they are sent,
/// with a count that goes up, until the server says that its nonce is too old. Of several challenges the first one that
/// can be met is, with SHA-256, MD5 or their `-sess` forms, and for requests without regard to their bodies
/// (`qop=auth`). A `nextnonce` is passed over.
///
/// One may be shared by several clients. Its descriptions never show what is secret.
public final class DigestAuthenticator: Authenticator {
    private let user: String
    private let password: String
    private let makeNonce: @Sendable () -> String
    private let sessions = Locked<[String: DigestSession]>([:])
    let questions = CredentialQuestions()

    /// Creates one.
    ///
    /// - Parameters:
    ///   - user: The user; may not contain a control character, nor a colon.
    ///   - password: The password; may not contain a control character.
    public convenience init(user: String, password: String) {
        self.init(user: user, password: password) { RandomSource(SystemRandomNumberGenerator()).makeUUID() }
    }

    init(user: String, password: String, makeNonce: @escaping @Sendable () -> String) {
        // As RFC 7616 §4 wants texts that are sent in UTF-8.
        self.user = user.precomposedStringWithCanonicalMapping
        self.password = password.precomposedStringWithCanonicalMapping
        self.makeNonce = makeNonce
    }

    /// Returns what answers a challenge for this one request, or `nil` where none can be met or the password is wrong.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/invalidRequest`` when user or password contain what
    ///   they may not.
    public func credential(for context: AuthenticationContext) async throws(ErrandError) -> HTTPCredential? {
        try self.session(for: context).map { .digest($0.parameters(for: context.method, context.url)) }
    }

    /// Returns what requests are signed with from now on, or `nil` where no challenge can be met or the password is wrong.
    private func session(for context: AuthenticationContext) throws(ErrandError) -> DigestSession? {
        // What may not be in one of RFC 7617 may not be here.
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
            // Another request may have brought a newer one.
            if let known = sessions[origin], known.challenge.nonce != refused { return known }
            sessions[origin] = session
            return session
        }
    }
}

extension AuthenticationContext {
    /// The first challenge that can be met.
    fileprivate var digestChallenge: DigestChallenge? {
        self.challenges.lazy.compactMap { DigestChallenge($0) }.first
    }
}

// MARK: - What is kept

extension DigestAuthenticator: CredentialKeeper {
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
    /// A mirror without children: what looks into values must not find the secret.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .class) }
}
