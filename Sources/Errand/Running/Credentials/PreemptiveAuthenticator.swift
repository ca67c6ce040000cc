internal import struct Foundation.Date

/// An authenticator that itself knows the credentials of requests, before any server challenges them.
///
/// A ``CredentialRefresher`` asks it like any other authenticator, but does not cache its credentials, because the
/// authenticator keeps them. All clients with the same authenticator share its refreshes.
protocol PreemptiveAuthenticator: Authenticator {
    /// The refreshes in progress, and the generation of the credentials.
    var refreshes: CredentialRefreshes { get }
    /// Indicates whether each origin has a credential of its own.
    var isPerOrigin: Bool { get }
    /// The delay before asking again after a failed refresh; `nil` to ask again at once.
    var backoff: Backoff? { get }

    /// Loads the initial state, which may suspend.
    func load() async throws(ErrandError)
    /// Returns the credential of requests to a URL at the given time; `nil` before everything is loaded.
    func kept(for url: HTTPURL, at date: Date) -> KeptCredential?
    /// Gets a new credential to replace one that was refused or is about to expire.
    ///
    /// It does not create a credential for the one request in the context: request-specific values are created when the
    /// request is sent.
    ///
    /// - Returns: True if there is a credential.
    func renew(_ context: AuthenticationContext) async throws -> Bool
    /// Records the refusal of a request that cannot be sent again.
    func noteRefusal(_ context: AuthenticationContext)
    /// Returns a pending notice for the developer, or `nil` if there is none.
    func takeNotice() -> String?
    /// Forgets the current user.
    ///
    /// The state of the refreshes has been discarded already.
    func forget()
}

extension PreemptiveAuthenticator {
    func takeNotice() -> String? { nil }
}

/// The credential of a request, as held by a keeper.
struct KeptCredential: Sendable {
    /// The form in which the credential is sent.
    enum Form: Sendable {
        /// There is no credential to send.
        case none
        /// The same value for all requests.
        case value(String)
        /// A different value for each request.
        case digest(DigestSession)
    }

    /// The need for another credential before the request is sent.
    enum Need: Sendable {
        case no
        /// The credential can still be sent, but expires soon.
        case soon
        case now
    }

    /// An identifier that distinguishes this credential from its successor; `nil` if there is none.
    var key: String?
    /// The identity of the user for separating cached responses; `nil` for anonymous requests.
    var identity: String?
    var form = Form.none
    var need = Need.no

    /// Returns the value of `Authorization` for a request; `nil` if there is none.
    func fieldValue(for request: HTTPRequest) -> String? {
        switch self.form {
        case .none: nil
        case .value(let value): value
        case .digest(let session): session.fieldValue(for: request.method, request.url)
        }
    }
}
