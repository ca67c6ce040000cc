/// A policy for redirects: responses with status 301, 302, 303, 307 or 308 and a `Location`.
///
/// Redirects are followed as RFC 9110 §15.4 says:
///
/// - 303 is followed with `GET` and without content; `HEAD` stays `HEAD`. So are 301 and 302 after a `POST`, as in
///   browsers. After any other method, and for 307 and 308, method and content are sent again.
/// - `Authorization`, `Proxy-Authorization`, `Cookie`, `Host`, ``ClientConfiguration/Credentials/secretHeaders`` and
///   fields that services commonly use for credentials, such as `X-Api-Key`, `X-Auth-Token` and `DPoP`, are not sent to
///   another origin (scheme, host or port). All other fields are, including `Idempotency-Key`.
/// - A `Location` is read as browsers and curl do: characters that are invalid in a URL are percent-encoded, and its
///   host may be an internationalized one. Its user and password are not used.
/// - A redirect without a `Location` is delivered as the response.
///
/// If a redirect must not be followed, the request fails without a further exchange: with
/// ``ErrandError/Code/tooManyRedirects`` beyond the limit, and with ``ErrandError/Code/invalidRedirect`` for a
/// `Location` that is not an http or https URL, a redirect from https to http, a loop, or content that cannot be sent
/// twice.
public struct RedirectPolicy: Sendable {
    /// A function that decides about a redirect.
    public typealias Decide = @Sendable (RedirectPolicy.Redirection) async -> RedirectPolicy.Decision

    /// The maximum number of redirects for one request.
    package let limit: Int
    /// True if redirects from https to http are allowed.
    package let allowsInsecure: Bool
    package let kind: Kind
    private let decide: Decide?

    package enum Kind: Sendable, Hashable {
        /// Redirects are delivered.
        case never
        /// Redirects are followed.
        case follow
        /// A function decides about each.
        case decide
    }

    private init(_ kind: Kind, limit: Int, allowsInsecure: Bool, decide: Decide? = nil) {
        self.limit = max(0, limit)
        self.allowsInsecure = allowsInsecure
        self.kind = kind
        self.decide = decide
    }

    /// Delivers a redirect as the response.
    public static let never = RedirectPolicy(.never, limit: 0, allowsInsecure: false)

    /// Follows redirects.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of redirects for one request.
    ///   - allowsInsecure: Pass true to allow redirects from https to http.
    /// - Returns: The policy.
    public static func follow(limit: Int = 20, allowsInsecure: Bool = false) -> RedirectPolicy {
        RedirectPolicy(.follow, limit: limit, allowsInsecure: allowsInsecure)
    }

    /// Decides about each redirect with a function.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of redirects for one request.
    ///   - allowsInsecure: Pass true to allow redirects from https to http.
    ///   - decide: Decides about a redirect; no slot is held while it runs.
    /// - Returns: The policy.
    public static func decide(
        limit: Int = 20, allowsInsecure: Bool = false, _ decide: @escaping Decide
    ) -> RedirectPolicy {
        RedirectPolicy(.decide, limit: limit, allowsInsecure: allowsInsecure, decide: decide)
    }

    /// Returns the policy, changed to deliver a redirect that would change the method, since its response would not be
    /// that of this request.
    package func keeping(_ method: HTTPMethod) -> RedirectPolicy {
        guard self.kind != .never else { return self }
        return RedirectPolicy(.decide, limit: self.limit, allowsInsecure: self.allowsInsecure) { redirection in
            let decision = await self.decision(about: redirection)
            var next = redirection.request.method
            if case .send(let request) = decision { next = request.method }
            return next == method ? decision : .stop
        }
    }

    /// Returns the decision about a redirect.
    package func decision(about redirection: RedirectPolicy.Redirection) async -> RedirectPolicy.Decision {
        switch self.kind {
        case .never: .stop
        case .follow: .follow
        case .decide: await self.decide?(redirection) ?? .follow
        }
    }
}

extension RedirectPolicy {
    /// A decision about a redirect.
    public enum Decision: Sendable {
        /// Follow it.
        case follow
        /// Deliver it as the response.
        case stop
        /// Send this request in place of the one in ``RedirectPolicy/Redirection/request``.
        ///
        /// The limit and the checks for https to http, loops and content that cannot be sent twice still apply. Secret
        /// fields are removed for another origin than that of the redirected request, unless they have new values.
        case send(HTTPRequest)
    }
}
