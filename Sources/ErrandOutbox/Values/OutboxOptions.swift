public import Errand

/// Options of an outbox.
public struct OutboxOptions: Sendable {
    /// The most requests in the folder, of all queues; one more is refused.
    public var countLimit = 10_000
    /// The most bytes in the folder, of all queues; what would be more is refused.
    public var byteLimit: Int64 = 256 << 20
    /// The greatest age of a request, before it ends as ``OutboxEnd/expired``.
    public var maximumAge = Duration.seconds(7 * 24 * 60 * 60)
    /// The wait before a failed request is sent again: about a second first, and up to five minutes.
    ///
    /// A server that asks for more in `Retry-After` (RFC 9110 §10.2.3) is left alone for that long, up to an hour.
    public var backoff = Backoff(base: .seconds(1), cap: .seconds(5 * 60), jitter: .decorrelated)
    /// Whether a request may be added that has a secret in its own header fields or URL.
    ///
    /// It stands on disk then as it is, for everybody who can read the folder. Leave it at `false`, and let the client
    /// add what proves who asks: its credential, its authenticator, its header fields and its cookies are added when a
    /// request is sent, and are never written.
    public var writesSecretsInTheClear = false
    /// Tells whether a request that failed will never succeed: its end is reported, and it is removed.
    public var isPermanent: @Sendable (ErrandError) -> Bool = Self.standardIsPermanent

    /// Creates the standard options.
    public init() {}

    /// Returns whether sending again cannot help.
    ///
    /// So it is for what cannot be sent at all, and for each status from 300 to 499 but 302, 401, 407, 408, 409, 421, 423,
    /// 425 and 429: a user who logs in again, or some time, may make those succeed. With 302 many servers send whoever is not
    /// logged in to a page for that, as networks do with a page of their own; a redirection that keeps the method is
    /// followed, and what comes of that counts.
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

    /// Returns why nothing can be done like this, if so.
    var problem: ErrandError? {
        func refuse(_ what: String) -> ErrandError { ErrandError(.invalidConfiguration, "outbox: \(what)") }
        if self.countLimit <= 0 { return refuse("countLimit is \(self.countLimit), and has to be at least 1") }
        if self.byteLimit <= 0 { return refuse("byteLimit is \(self.byteLimit), and has to be at least 1") }
        if self.maximumAge <= .zero {
            return refuse("maximumAge is \(self.maximumAge), and has to be longer than nothing")
        }
        return self.backoff.problem(of: "outbox: backoff")
    }
}
