/// The chain of redirects of a request, with the checks for the next one.
///
/// A value without I/O. Its owner gets the ``redirection(of:sentAs:by:)`` of a response, applies the policy's decision,
/// gets the request from ``next(after:from:changed:)``, adds cookies and credentials, and passes the result to
/// ``arrive(with:)`` before it is sent.
package struct RedirectTrail: Sendable {
    /// The head of a sent request.
    ///
    /// A different value of any field, such as a cookie set by a redirect, makes it a different visit.
    private struct Visit: Hashable {
        let method: HTTPMethod
        let origin: String
        let target: String
        let headers: HTTPFields

        init(_ request: HTTPRequest) {
            self.method = request.method
            self.origin = request.url.origin
            self.target = request.url.requestTarget
            self.headers = request.headers
        }
    }

    private let limit: Int
    private let allowsInsecure: Bool
    private let credentials: CredentialFields
    private var visits: Set<Visit> = []
    /// The number of redirects.
    package private(set) var hops = 0

    /// Creates the trail of a request that has not been redirected yet.
    ///
    /// - Parameters:
    ///   - policy: The policy with its limit.
    ///   - secrets: Names of the app's fields that must not be sent to another origin.
    package init(_ policy: RedirectPolicy, secrets: [String] = []) {
        self.limit = policy.limit
        self.allowsInsecure = policy.allowsInsecure
        self.credentials = CredentialFields(secrets)
    }

    /// Records a redirect, or returns `nil` if the response is to be delivered.
    ///
    /// - Parameters:
    ///   - request: The request without cookies and credentials.
    ///   - sent: The request as sent in that hop.
    ///   - head: The head of the response.
    /// - Returns: The redirect, or `nil`.
    /// - Throws: ``ErrandError`` if the redirect must not be followed.
    package mutating func redirection(
        of request: HTTPRequest, sentAs sent: HTTPRequest, by head: HTTPResponse.Head
    ) throws(ErrandError) -> RedirectPolicy.Redirection? {
        guard head.status.isFollowable, let target = try Self.target(of: head, from: request.url) else { return nil }
        guard self.hops < self.limit else {
            throw ErrandError(
                .tooManyRedirects, "more than \(self.limit) redirects, the last to \(target.redacted)")
        }
        self.hops += 1
        self.visits.insert(Visit(sent))
        return RedirectPolicy.Redirection(
            source: request.url, target: target, status: head.status, hop: self.hops,
            request: request.redirected(to: target, by: head.status, without: self.credentials))
    }

    /// Returns the request to send next.
    ///
    /// - Parameters:
    ///   - redirection: The redirect.
    ///   - request: The request that was redirected.
    ///   - changed: A request that replaces the default one, if the policy returned one.
    /// - Returns: The request, without cookies of a store and credentials sent without a challenge.
    /// - Throws: ``ErrandError`` if it must not be sent.
    package func next(
        after redirection: RedirectPolicy.Redirection, from request: HTTPRequest, changed: HTTPRequest? = nil
    ) throws(ErrandError) -> HTTPRequest {
        var next = changed?.withoutSecrets(inheritedFrom: request, self.credentials) ?? redirection.request
        next.allowedNetworks = next.allowedNetworks.intersection(request.allowedNetworks)
        try next.takeUserInfo()
        try next.validate()
        guard next.url.isSecure || !request.url.isSecure || self.allowsInsecure else {
            throw ErrandError(
                .invalidRedirect,
                "a redirect from https to http is not followed, unless the RedirectPolicy allows it: \(next.url.redacted)"
            )
        }
        guard next.body.isRepeatable else {
            throw ErrandError(
                .invalidRedirect,
                "the redirect to \(next.url.redacted) needs the body again, which is a stream that is read only once")
        }
        return next
    }

    /// Checks that a request, with its cookies and credentials, does not repeat an earlier one.
    ///
    /// - Throws: ``ErrandError`` if an equal request was sent before.
    package func arrive(with request: HTTPRequest) throws(ErrandError) {
        guard self.visits.contains(Visit(request)) else { return }
        throw ErrandError(.invalidRedirect, "the redirects form a loop, back to \(request.url.redacted)")
    }
}

// MARK: - Location

extension RedirectTrail {
    private static func target(
        of head: HTTPResponse.Head, from source: HTTPURL
    ) throws(ErrandError) -> HTTPURL? {
        let locations = head.headers.values(for: HTTPField.Name.location)
        guard let location = locations.first, !location.isEmpty else { return nil }
        guard locations.allSatisfy({ $0.isExactly(location) }) else {
            throw ErrandError(.invalidRedirect, "the redirect has more than one Location")
        }
        do throws(HTTPURLProblem) {
            let target = try source.resolving(received: location)
            guard target.fragment == nil, let fragment = source.fragment else { return target }
            return try HTTPURL(parsing: "\(target.string)#\(fragment)")
        } catch {
            throw ErrandError(
                .invalidRedirect, "the redirect cannot be resolved: \(HTTPURL.refusal(of: location, error))")
        }
    }
}
