public import Foundation

extension ClientConfiguration {
    /// The credentials of a client.
    public struct Credentials: Sendable {
        /// The credential sent with requests to the origin of the main base URL, without waiting for a challenge.
        ///
        /// A request with an `Authorization` field of its own keeps that. A credential that cannot be sent, or for
        /// which there is no base URL, fails every request. The credential stays with the origin of the base URL in
        /// this configuration; it does not follow a base URL that is set later. To change it later, see
        /// ``Client/updateDefaults(_:)``.
        public var origin: HTTPCredential?
        /// Credentials for other origins, keyed by origin such as `https://files.example.com`, and sent like
        /// ``origin``.
        public var otherOrigins: [String: HTTPCredential]
        /// Answers authentication challenges.
        ///
        /// If `nil`, a 401 is returned as the response.
        public var authenticator: (any Authenticator)?
        /// The names of secret header fields, besides the standard fields for credentials.
        ///
        /// Redirections to another origin do not carry these fields, and ``ClientConfiguration/headers`` of these names
        /// are sent to the client's own origins only. The same applies to `Authorization`, `Proxy-Authorization`,
        /// `Cookie`, and common fields for credentials (see ``RedirectPolicy``) in any case; name all others that are
        /// secret, such as `X-Tenant-Secret`. The fields are also omitted from logs, errors (``ErrandError/Context``),
        /// and commands (``Client/curlCommand(for:options:showingSecrets:)``), and responses are cached separately for
        /// each value.
        public var secretHeaders: [String]

        /// Creates credentials.
        public init(
            origin: HTTPCredential? = nil, otherOrigins: [String: HTTPCredential] = [:],
            authenticator: (any Authenticator)? = nil, secretHeaders: [String] = []
        ) {
            self.origin = origin
            self.otherOrigins = otherOrigins
            self.authenticator = authenticator
            self.secretHeaders = secretHeaders
        }

        /// A bearer token for the origin of the main base URL (RFC 6750).
        public static func bearer(_ token: String) -> Credentials { Credentials(origin: .bearer(token)) }

        /// A user name and a password for the origin of the main base URL (RFC 7617).
        public static func basic(user: String, password: String) -> Credentials {
            Credentials(origin: .basic(user: user, password: password))
        }

        /// An authenticator, such as a ``TokenAuthenticator``.
        public static func authenticator(_ authenticator: any Authenticator) -> Credentials {
            Credentials(authenticator: authenticator)
        }
    }

    /// The limits of a client.
    public struct Limits: Sendable {
        /// The maximum number of concurrent requests.
        public var concurrency = RequestScheduler.Limits()
        /// The rules for measuring the concurrency limit of each host, within ``concurrency``.
        ///
        /// `nil` uses only the fixed limits.
        public var adaptive: AdaptiveConcurrency?
        /// The maximum number of requests sent per unit of time.
        ///
        /// Unlimited by default.
        public var rates = RateLimits()
        /// The limits for retries and hedged requests of all requests to one host together.
        public var retryBudget = RetryBudget.standard
        /// The maximum size in bytes of a decompressed response body in memory.
        public var responseBody = 64 << 20

        /// Creates the standard limits.
        public init() {}

        /// The error for the first invalid limit, if any.
        var problem: ErrandError? {
            self.concurrency.problem ?? self.rates.problem ?? self.retryBudget.problem ?? self.adaptive?.problem
                ?? ErrandError.setting(
                    "limits.responseBody", self.responseBody, isPossible: self.responseBody >= 0, "0 or more bytes")
        }
    }

    /// The environment of a client: clock, random numbers, date, network monitor, and app version.
    ///
    /// Tests can replace them.
    public struct Environment: Sendable {
        /// The clock for all timeouts and timings.
        public var clock: any Clock<Duration> = ContinuousClock()
        /// The source of random numbers, for example for jitter in delays.
        public var random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
        /// The wall clock, for the age of cached responses and for dates sent by servers.
        public var date: @Sendable () -> Date = { Date() }
        /// The network monitor.
        public var pathMonitor: any NetworkPath.Monitor = NetworkPath.SystemMonitor.shared
        /// The version of the app.
        ///
        /// Responses stored by another version are not used. Defaults to the version of the bundle, if there is one.
        /// `nil` matches only entries that were stored without a version.
        public var appVersion = Self.bundleVersion

        private static let bundleVersion =
            Bundle.main.object(forInfoDictionaryKey: "CFBundleShortVersionString") as? String

        /// Creates the environment of the system.
        public init() {}
    }
}

extension ClientConfiguration {
    /// Creates the standard configuration with a Foundation URL as base URL.
    public init(baseURL: URL) {
        self.init(baseURL: baseURL.absoluteString)
    }
}

extension ClientConfiguration.Credentials: CustomReflectable {
    /// A mirror of the credentials without their secrets.
    public var customMirror: Mirror {
        let children: KeyValuePairs<String, Any> = [
            "origin": self.origin as Any, "otherOrigins": self.otherOrigins,
            "authenticator": self.authenticator.map { type(of: $0) } as Any, "secretHeaders": self.secretHeaders,
        ]
        return Mirror(self, children: children, displayStyle: .struct)
    }
}

extension ClientConfiguration.Environment: CustomReflectable {
    /// A mirror of the app version.
    public var customMirror: Mirror {
        Mirror(self, children: ["appVersion": self.appVersion as Any], displayStyle: .struct)
    }
}
