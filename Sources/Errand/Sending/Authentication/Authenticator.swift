internal import struct Foundation.Date

/// Answers authentication challenges; see ``TokenAuthenticator`` and ``DigestAuthenticator``.
///
/// It is called for a response with the status 401, while no slot is held. The credential that it returns is sent as
/// the `Authorization` of one more attempt, and of redirects of that on the same origin. It is called at most twice for
/// one request, and not for a request whose body cannot be sent twice.
///
/// Only the client's own servers can use it: those of its base URL, CDN and named base URLs, and those that it has a
/// credential for. The 401 of any other server is the response, also after a redirect, unless the endpoint sets
/// ``RequestOptions/sendingSecretsToAllOrigins(_:)-swift.type.method``.
///
/// Requests for which the same credential was rejected share one call; its context names one of them. The returned
/// credential replaces the rejected one in later requests to the same origin, until it is rejected too, or until
/// ``Client/forgetCredentials()``. An error or `nil` goes to all requests that share the call and is not remembered. A
/// cancelled request leaves at once, without affecting the others; the task of the call is cancelled when all of them
/// are.
///
/// Send the request for a token with a client without the authenticator. If the authenticator sends it with the same
/// client, its 401 is its response. If the authenticator only waits for it, for example for a task that the app has
/// started before, a 401 of that request calls the authenticator again, and both wait for each other until one is
/// cancelled or exceeds its timeout ``RequestOptions/Timeout/authentication``.
public protocol Authenticator: Sendable {
    /// Returns the credential to try, or `nil` to deliver the 401 as the response.
    ///
    /// - Throws: Any error; one that is not an ``ErrandError`` becomes the cause of an error with the code
    ///   ``ErrandError/Code/authenticatorFailed``.
    func credential(for context: AuthenticationContext) async throws -> HTTPCredential?
}

/// Information for an authenticator about a response that asks for a credential.
public struct AuthenticationContext: Sendable {
    /// The id of the request.
    public let requestID: RequestID
    /// The method of the rejected request.
    public let method: HTTPMethod
    /// The URL of the rejected request, after all redirects so far.
    public let url: HTTPURL
    /// The server's challenges.
    public let challenges: [AuthenticationContext.Challenge]
    /// The number of this call for the request, from 1.
    ///
    /// From 2 on, the credential returned before was rejected, or another server asks.
    public let attempt: Int
    /// The rejected or discarded credential, identified as in ``PreemptiveAuthenticator``.
    var refused: String?
    /// True if that credential was not rejected and can still be sent.
    var isAhead = false
    /// The time of the call, by the client's wall clock.
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
    /// A mirror of the public properties, since the rejected credential may be secret.
    public var customMirror: Mirror {
        let children: KeyValuePairs<String, Any> = [
            "requestID": self.requestID, "method": self.method, "url": self.url, "challenges": self.challenges,
            "attempt": self.attempt,
        ]
        return Mirror(self, children: children, displayStyle: .struct)
    }
}
