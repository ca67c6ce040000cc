/// A policy for responses that send a request elsewhere: status 301, 302, 303, 307 or 308 with a `Location`.
///
/// Following keeps to RFC 9110 §15.4:
///
/// - 303 is followed with `GET` and without the content; `HEAD` stays `HEAD`. So are 301 and 302 after a `POST`, as
///   browsers do; after any other method, and for 307 and 308, method and content are sent again.
/// - On the way to another origin (scheme, host or port) `Authorization`, `Proxy-Authorization`, `Cookie`, `Host`,
///   ``ClientConfiguration/Credentials/secretHeaders`` and fields that services commonly take credentials in, such as
///   `X-Api-Key`, `X-Auth-Token` and `DPoP`, stay behind. All others go along, an `Idempotency-Key` among them.
/// - A `Location` is taken as browsers and curl take it: what no URL has is percent-encoded, and its host may be an
///   internationalized one. User and password in it are not used.
/// - A redirection without a `Location` is delivered as it is.
///
/// A request whose redirection must not be followed fails, and nothing more is sent for it: with
/// ``ErrandError/Code/tooManyRedirects`` past the limit, and with ``ErrandError/Code/invalidRedirect`` for a `Location`
/// that is not an http or https URL, from https to http, in a circle, or with content that cannot be sent twice.
public struct RedirectPolicy: Sendable {
    /// Looks at a redirection and says what becomes of it.
    public typealias Decide = @Sendable (RedirectPolicy.Redirection) async -> RedirectPolicy.Decision

    /// The most redirections that are followed for one request.
    package let limit: Int
    /// Whether a redirection may lead from https to http.
    package let allowsInsecure: Bool
    package let kind: Kind
    private let decide: Decide?

    package enum Kind: Sendable, Hashable {
        /// Redirections are delivered.
        case never
        /// They are followed.
        case follow
        /// Someone decides about each.
        case decide
    }

    private init(_ kind: Kind, limit: Int, allowsInsecure: Bool, decide: Decide? = nil) {
        self.limit = max(0, limit)
        self.allowsInsecure = allowsInsecure
        self.kind = kind
        self.decide = decide
    }

    /// Delivers a redirection as the response.
    public static let never = RedirectPolicy(.never, limit: 0, allowsInsecure: false)

    /// Follows redirections.
    ///
    /// - Parameters:
    ///   - limit: The most redirections that are followed for one request.
    ///   - allowsInsecure: Whether one may lead from https to http.
    /// - Returns: The policy.
    public static func follow(limit: Int = 20, allowsInsecure: Bool = false) -> RedirectPolicy {
        RedirectPolicy(.follow, limit: limit, allowsInsecure: allowsInsecure)
    }

    /// Asks about each redirection.
    ///
    /// - Parameters:
    ///   - limit: The most redirections that are followed for one request.
    ///   - allowsInsecure: Whether one may lead from https to http, once it has been decided on.
    ///   - decide: Looks at a redirection and says what becomes of it; no slot is held meanwhile.
    /// - Returns: The policy.
    public static func decide(
        limit: Int = 20, allowsInsecure: Bool = false, _ decide: @escaping Decide
    ) -> RedirectPolicy {
        RedirectPolicy(.decide, limit: limit, allowsInsecure: allowsInsecure, decide: decide)
    }

    /// Returns the same policy, which delivers a redirection to a request of another method: what comes of that is no
    /// success of this one.
    package func keeping(_ method: HTTPMethod) -> RedirectPolicy {
        guard self.kind != .never else { return self }
        return RedirectPolicy(.decide, limit: self.limit, allowsInsecure: self.allowsInsecure) { redirection in
            let decision = await self.decision(about: redirection)
            var next = redirection.request.method
            if case .send(let request) = decision { next = request.method }
            return next == method ? decision : .stop
        }
    }

    /// Decides what becomes of a redirection.
    package func decision(about redirection: RedirectPolicy.Redirection) async -> RedirectPolicy.Decision {
        switch self.kind {
        case .never: .stop
        case .follow: .follow
        case .decide: await self.decide?(redirection) ?? .follow
        }
    }
}

extension RedirectPolicy {
    /// A decision about a redirection.
    public enum Decision: Sendable {
        /// Follow it.
        case follow
        /// Deliver it as the response.
        case stop
        /// Send this request in place of the one in ``RedirectPolicy/Redirection/request``.
        ///
        /// The limit, the way from https to http, circles and content that cannot be sent twice are looked at as always.
        /// On another origin than the one that redirected, secret fields stay behind unless they have new values.
        case send(HTTPRequest)
    }
}
