internal import struct Foundation.Date

/// An authenticator that itself knows what requests carry, before any server asks.
///
/// A ``CredentialRefresher`` asks it as it asks others, and remembers none of its answers: what is kept counts. All
/// clients that have the same keeper share its questions.
protocol CredentialKeeper: Authenticator {
    /// What is being asked for now, and how often everything was forgotten.
    var questions: CredentialQuestions { get }
    /// Whether each origin has a credential of its own.
    var isPerOrigin: Bool { get }
    /// How long to ask no more after questions that failed; `nil` to ask again at once.
    var backoff: Backoff? { get }

    /// Gets what has to be waited for before anything is known.
    func load() async throws(ErrandError)
    /// Returns what requests to a URL carry at a moment; `nil` before everything is loaded.
    func kept(for url: HTTPURL, at date: Date) -> KeptCredential?
    /// Gets what requests carry from now on, in place of what was refused or should not be sent any more.
    ///
    /// It makes nothing for the one request of the context: what is sent with that is made when it is sent.
    ///
    /// - Returns: Whether there is something.
    func renew(_ context: AuthenticationContext) async throws -> Bool
    /// Takes note that a request was refused that cannot be sent again.
    func noteRefusal(_ context: AuthenticationContext)
    /// Returns what whoever runs the app should know and was not told yet, in words.
    func takeNotice() -> String?
    /// Forgets whom it worked for: that of the questions was forgotten.
    func forget()
}

extension CredentialKeeper {
    func takeNotice() -> String? { nil }
}

/// What a request carries of a keeper's.
struct KeptCredential: Sendable {
    /// How it becomes the value of a field.
    enum Form: Sendable {
        /// There is nothing to send.
        case none
        /// The same for all requests.
        case value(String)
        /// Another one for each request.
        case digest(DigestSession)
    }

    /// Whether another one is needed before it is sent.
    enum Need: Sendable {
        case no
        /// It can still be sent, but not for long.
        case soon
        case now
    }

    /// Which one it is, to tell it from the next; `nil` where there is none.
    var key: String?
    /// Whom it is for, as a cache tells responses apart; `nil` for nobody.
    var identity: String?
    var form = Form.none
    var need = Need.no

    /// Returns the value of `Authorization` for a request; `nil` where there is none.
    func fieldValue(for request: HTTPRequest) -> String? {
        switch self.form {
        case .none: nil
        case .value(let value): value
        case .digest(let session): session.fieldValue(for: request.method, request.url)
        }
    }
}
