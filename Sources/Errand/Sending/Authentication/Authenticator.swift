internal import struct Foundation.Date

/// Answers the challenges of servers; ``TokenAuthenticator`` and ``DigestAuthenticator`` do so.
///
/// It is asked when a response has the status 401, without a slot being held; what it answers is sent as the
/// `Authorization` of one more attempt, and of what that is redirected to on the same origin. It is asked at most
/// twice for one request. A request with a body that cannot be sent twice is not sent again, so nobody is asked.
///
/// Only servers of the client may ask: those of its base URL, CDN and named base URLs, and those that it has a
/// credential for. From any other the 401 is the response, also after a redirection, unless the endpoint says
/// ``RequestOptions/sendingSecretsToAllOrigins(_:)-swift.type.method``.
///
/// Requests that were refused the same credential share one question, of which the context names one of them. Its
/// answer is remembered: from then on requests that would carry the same to the same origin carry that at once, until
/// it is refused too, or until ``Client/forgetCredentials()``. An error, or nothing for an answer, goes to all who
/// share the question and is not remembered. A request that is cancelled leaves alone, and at once; the task that asks
/// is cancelled when all of them are.
///
/// The request that gets a token belongs on a client without the authenticator. If it is sent through the same client
/// by the authenticator itself, its 401 is the response. But if the authenticator only waits for it, as for a task that
/// the app has begun before, it asks in turn when it is refused, and both wait until one is cancelled or fails after
/// its timeout ``RequestOptions/Timeout/authentication``.
public protocol Authenticator: Sendable {
    /// Returns the credential to try, or `nil` to have the 401 delivered as the response.
    ///
    /// - Throws: Anything; an error that is not an ``ErrandError`` becomes the cause of one with the code
    ///   ``ErrandError/Code/authenticatorFailed``.
    func credential(for context: AuthenticationContext) async throws -> HTTPCredential?
}

/// What an authenticator is told about a response that asks for a credential.
public struct AuthenticationContext: Sendable {
    /// The id of the request.
    public let requestID: RequestID
    /// The method of what was sent.
    public let method: HTTPMethod
    /// The URL that was asked for, after all redirections so far.
    public let url: HTTPURL
    /// What the server wants to be shown.
    public let challenges: [AuthenticationContext.Challenge]
    /// Counts how often the authenticator has been asked for this request, from 1.
    ///
    /// From 2 on the credential it answered before was refused, or another server asks.
    public let attempt: Int
    /// What was refused, or should not be sent any more, as a ``CredentialKeeper`` tells it from others.
    var refused: String?
    /// Whether that can still be sent, and was not refused.
    var isAhead = false
    /// When that was, by the client's wall clock.
    let date: Date

    init(
        requestID: RequestID, method: HTTPMethod, url: HTTPURL, challenges: [AuthenticationContext.Challenge],
        attempt: Int,
        refused: String?, date: Date
    ) {
        self.requestID = requestID
        self.method = method
        self.url = url
        self.challenges = challenges
        self.attempt = attempt
        self.refused = refused
        self.date = date
    }
}

extension AuthenticationContext: CustomReflectable {
    /// A mirror of what is public: what was refused may be a secret.
    public var customMirror: Mirror {
        let children: KeyValuePairs<String, Any> = [
            "requestID": self.requestID, "method": self.method, "url": self.url, "challenges": self.challenges,
            "attempt": self.attempt,
        ]
        return Mirror(self, children: children, displayStyle: .struct)
    }
}
