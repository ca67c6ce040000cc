public import Errand

/// Options of an outbox.
public struct OutboxOptions: Sendable {
    /// The maximum number of requests in the folder, over all queues; a request beyond it is refused.
    public var countLimit = 10_000
    /// The maximum number of bytes in the folder, over all queues; a request that would exceed it is refused.
    public var byteLimit: Int64 = 256 << 20
    /// The maximum age of a request; an older one ends as ``OutboxEnd/expired``.
    public var maximumAge = Duration.seconds(7 * 24 * 60 * 60)
    /// The backoff between attempts: about a second at first, and up to five minutes.
    ///
    /// A longer delay that the server asks for in `Retry-After` (RFC 9110 §10.2.3) is honored, up to an hour.
    public var backoff = Backoff(base: .seconds(1), cap: .seconds(5 * 60), jitter: .decorrelated)
    /// A Boolean value that indicates whether requests with a secret in their own header fields or URL may be added.
    ///
    /// If it is `true`, such a secret is stored in the clear, for everybody who can read the folder. Leave it at
    /// `false` and let the client add credentials: its credential, authenticator, header fields and cookies are added
    /// when a request is sent, and are never written to disk.
    public var writesSecretsInTheClear = false
    /// Returns whether an error is permanent: the request ends with it and is removed.
    public var isPermanent: @Sendable (ErrandError) -> Bool = Self.standardIsPermanent

    /// Creates the default options.
    public init() {}

    /// Returns whether sending a request again cannot help.
    ///
    /// This is `true` for requests that cannot be sent at all, and for each status from 300 to 499 but 302, 401, 407,
    /// 408, 409, 421, 423, 425 and 429, which may succeed after a login or some time. Many servers, and networks with a
    /// login page, use 302 to send users who are not logged in to that page. A redirect that keeps the method is
    /// followed, and its response decides.
    public static func standardIsPermanent(_ error: ErrandError) -> Bool {
        switch error.code {
        case .unacceptableStatus:
            guard let status = error.context.status?.rawValue else { return false }
            return 300..<500 ~= status && ![302, 401, 407, 408, 409, 421, 423, 425, 429].contains(status)
        case .invalidURL, .invalidRequest, .encodingFailed, .unsupported, .fileFailed, .invalidRedirect,
            .tooManyRedirects, .bodyTooLarge:
            return true
        default: return false
        }
    }

    /// The error for options that are invalid, if any.
    var problem: ErrandError? {
        func refuse(_ what: String) -> ErrandError { ErrandError(.invalidConfiguration, "outbox: \(what)") }
        if self.countLimit <= 0 { return refuse("countLimit is \(self.countLimit), and has to be at least 1") }
        if self.byteLimit <= 0 { return refuse("byteLimit is \(self.byteLimit), and has to be at least 1") }
        if self.maximumAge <= .zero {
            return refuse("maximumAge is \(self.maximumAge), and has to be positive")
        }
        return self.backoff.problem(of: "outbox: backoff")
    }
}
