public import Foundation

extension OAuthGrant {
    /// A request to sign in that the user answers in a browser: the authorization code grant with PKCE.
    ///
    /// Open its ``url`` in a browser, as native apps do (RFC 8252), not in a web view. The authorization server sends
    /// the user back to the redirect URL of the app; make a grant of the URL that arrives, and get the token:
    ///
    /// ```swift
    /// let grant = try OAuthGrant.authorizationCode(in: redirect, for: request, at: "https://login.example.com/token")
    /// let token = try await grant.token(with: login)
    /// ```
    ///
    /// Each request is for one sign-in: its `state` (RFC 6749 §10.12) and its code verifier (RFC 7636) are random. Keep
    /// the value until the redirect arrives. Its descriptions never show either of them.
    public struct AuthorizationRequest: Sendable {
        /// The URL to open in a browser (RFC 6749 §4.1.1, RFC 7636 §4.3).
        public let url: URL

        let clientID: String
        let redirectURL: String
        let issuer: String?
        let state: String
        let verifier: String

        /// Creates a request with a random state and a random code verifier, 256 bits each, from the system's
        /// generator.
        ///
        /// - Parameters:
        ///   - url: The authorization endpoint, an absolute URL; its query is kept.
        ///   - clientID: The client identifier.
        ///   - redirectURL: The URL that the user comes back with, as it is registered with the server: of a scheme of
        ///     the app, as in `com.example.app:/signed-in`, an `https` URL that the app claims, or `http://127.0.0.1`
        ///     with a port on which it listens (RFC 8252 §7).
        ///   - scope: The requested scope; `nil` leaves it to the server.
        ///   - issuer: The issuer identifier of a server that sends `iss` with each redirect (RFC 9207): a redirect
        ///     without it, or with another one, is refused. `nil` does not check it.
        ///   - parameters: More parameters for the query, such as `prompt`.
        /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/invalidURL``, or
        ///   ``ErrandError/Code/encodingFailed`` for a parameter that has no text.
        public init(
            at url: String, clientID: String, redirectURL: String, scope: String? = nil, issuer: String? = nil,
            parameters: Parameters = [:]
        ) throws(ErrandError) {
            try self.init(
                at: url, clientID: clientID, redirectURL: redirectURL, scope: scope, issuer: issuer,
                parameters: parameters, state: Self.random(), verifier: Self.random())
        }

        /// Creates a request with a state and a code verifier at hand.
        package init(
            at url: String, clientID: String, redirectURL: String, scope: String? = nil, issuer: String? = nil,
            parameters: Parameters = [:], state: String, verifier: String
        ) throws(ErrandError) {
            var query: Parameters = [
                "response_type": "code", "client_id": .string(clientID), "redirect_uri": .string(redirectURL),
                "state": .string(state), "code_challenge": .string(Self.challenge(of: verifier)),
                "code_challenge_method": "S256",
            ]
            if let scope { query.append("scope", .string(scope)) }
            query.append(parameters)
            let endpoint = try HTTPURL(url)
            let separator = endpoint.query.map { $0.isEmpty ? "" : "&" } ?? "?"
            let text = "\(endpoint.string.part(before: "#"))\(separator)\(try query.query())"
            guard let url = URL(string: text) else {
                throw ErrandError(.invalidURL, "the URL of the authorization endpoint is no URL of Foundation's")
            }
            // RFC 6749 §3.1: parameters must not be repeated, and servers differ in which one they use.
            let names = Self.items(of: text).map(\.name)
            if let name = Set(names).first(where: { name in names.count(where: { $0 == name }) > 1 }) {
                throw ErrandError(
                    .invalidURL,
                    "\(name.string) is in the authorization URL twice: leave it out of the endpoint and the parameters")
            }
            self.url = url
            self.clientID = clientID
            self.redirectURL = redirectURL
            self.issuer = issuer
            self.state = state
            self.verifier = verifier
        }

        /// The code challenge of a verifier, by S256 (RFC 7636 §4.2).
        package static func challenge(of verifier: String) -> String {
            self.base64URL(SHA256(of: verifier).bytes)
        }

        /// Returns 32 random bytes as 43 characters, which RFC 7636 §4.1 allows in a verifier.
        private static func random() -> String {
            var generator = SystemRandomNumberGenerator()
            return self.base64URL((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
        }

        /// Encodes bytes as RFC 4648 §5 says, without padding.
        private static func base64URL(_ bytes: [UInt8]) -> String {
            Data(bytes).base64EncodedString().replacingExactly("+", with: "-").replacingExactly("/", with: "_")
                .replacingExactly("=", with: "")
        }

        // MARK: - The redirect

        /// Returns the code in a redirect.
        ///
        /// - Throws: What `authorizationCode(in:for:at:clientSecret:authentication:parameters:)` does.
        func code(in redirect: URL) throws(ErrandError) -> String {
            let items = Self.items(of: redirect.absoluteString)
            func value(_ name: String) throws(ErrandError) -> String? {
                let values = items.filter { $0.name == ExactText(name) }.map(\.value)
                guard values.count < 2 else { throw Self.refusal("has more than one \(name)") }
                return values.first
            }
            guard let state = try value("state"), ExactText(state) == ExactText(self.state) else {
                throw Self.refusal("has another state than this request, and may be forged")
            }
            if let issuer, try value("iss").map({ ExactText($0) }) != ExactText(issuer) {
                throw Self.refusal("is not from the issuer \(issuer)")
            }
            if let error = try value("error") {
                let failure = OAuthGrant.Failure(
                    code: error, explanation: try value("error_description"), page: try value("error_uri"))
                throw ErrandError(
                    .loginRequired, "the authorization server refuses the sign-in: \(failure)", cause: failure)
            }
            guard let code = try value("code"), !code.isEmpty else { throw Self.refusal("has no code") }
            return code
        }

        private static func refusal(_ problem: String) -> ErrandError {
            ErrandError(.invalidRedirect, "the redirect \(problem); start a new authorization request")
        }

        /// The items of the query, decoded as those of a form (RFC 6749 §4.1.2, appendix B).
        private static func items(of url: String) -> [(name: ExactText, value: String)] {
            func decoded(_ text: String) -> String {
                HTTPURL.percentDecodeLoosely(text.replacingExactly("+", with: " "))
            }
            let parts = url.part(before: "#").parts(at: "?", maxSplits: 1, omittingEmpty: false)
            guard parts.count > 1 else { return [] }
            return parts[1].parts(at: "&").map { item in
                let pair = item.parts(at: "=", maxSplits: 1, omittingEmpty: false).map(decoded)
                return (ExactText(pair[0]), pair.count > 1 ? pair[1] : "")
            }
        }
    }

    /// The authorization code that a user came back with from the browser (RFC 6749 §4.1.3), and the code verifier.
    ///
    /// The token comes from ``token(with:)``. A code can be used once, and soon: ten minutes at most is what RFC 6749
    /// recommends.
    ///
    /// - Parameters:
    ///   - redirect: The URL that arrived.
    ///   - request: The request that the user was sent to the browser with.
    ///   - url: The token endpoint, an absolute URL.
    ///   - clientSecret: The client secret; `nil` for a public client, such as an app.
    ///   - authentication: The place of the client identifier and the secret in the request.
    ///   - parameters: More parameters for the body.
    /// - Returns: The grant.
    /// - Throws: ``ErrandError``. With the code ``ErrandError/Code/invalidRedirect`` if the redirect does not have the
    ///   `state` or the issuer of the request, or has no code. With the code ``ErrandError/Code/loginRequired`` and a
    ///   ``Failure`` as its cause if the server or the user refuses (RFC 6749 §4.1.2.1): the ``Failure/code`` of a user
    ///   who declines is `access_denied`.
    public static func authorizationCode(
        in redirect: URL, for request: AuthorizationRequest, at url: String, clientSecret: String? = nil,
        authentication: ClientAuthentication = .basic, parameters: Parameters = [:]
    ) throws(ErrandError) -> OAuthGrant {
        let code = try request.code(in: redirect)
        return OAuthGrant(
            kind: .authorizationCode(code, redirectURL: request.redirectURL, verifier: request.verifier), url: url,
            clientID: request.clientID, clientSecret: clientSecret, authentication: authentication, scope: nil,
            parameters: parameters)
    }
}

extension OAuthGrant.AuthorizationRequest: CustomReflectable {
    /// A mirror without secrets.
    public var customMirror: Mirror {
        let children: KeyValuePairs<String, Any> = ["clientID": self.clientID, "redirectURL": self.redirectURL]
        return Mirror(self, children: children, displayStyle: .struct)
    }
}
