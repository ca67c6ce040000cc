public import Foundation

extension ClientConfiguration {
    /// The credentials of a client.
    public struct Credentials: Sendable {
        /// The credential that requests to the origin of the main base URL carry without being asked.
        ///
        /// A request that has an `Authorization` of its own keeps that. One that cannot be sent, or that has no base URL
        /// to belong to, fails each request. It stays with the origin that the base URL has here: a base URL that is set
        /// later does not take it along. It can be changed later, see ``Client/updateDefaults(_:)``.
        public var origin: HTTPCredential?
        /// Credentials for other origins, by origin such as `https://files.example.com`; carried like ``origin``.
        public var otherOrigins: [String: HTTPCredential]
        /// Answers authentication challenges.
        ///
        /// If `nil`, a 401 is returned as the response.
        public var authenticator: (any Authenticator)?
        /// Names of header fields that are secret, besides those that carry credentials everywhere.
        ///
        /// A redirection to another origin does not take them there, and ``ClientConfiguration/headers`` of these names
        /// go to the client's own origins only. So it is with `Authorization`, `Proxy-Authorization`, `Cookie` and those
        /// that services commonly take credentials in (see ``RedirectPolicy``) anyway; name all others that are secret,
        /// such as `X-Tenant-Secret`. Nor do fields of these names get into logs, an error (``ErrandError/Context``) or
        /// a command (``Client/curlCommand(for:options:showingSecrets:)``), and each value has stored responses of its own.
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

        /// A user and a password for the origin of the main base URL (RFC 7617).
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
        /// How many requests may be with the transport at once.
        public var concurrency = RequestScheduler.Limits()
        /// How it is found out how many requests a host takes at once, within ``concurrency``; `nil` goes by that alone.
        public var adaptive: AdaptiveConcurrency?
        /// How many requests may be sent in a time; without a limit unless said otherwise.
        public var rates = RateLimits()
        /// How many retries all requests to one host may make together, and how many may be hedged.
        public var retryBudget = RetryBudget.standard
        /// The most bytes that a response body may have in memory, decompressed.
        public var responseBody = 64 << 20

        /// Creates the standard limits.
        public init() {}

        /// Which number or time means nothing, if one does.
        var problem: ErrandError? {
            self.concurrency.problem ?? self.rates.problem ?? self.retryBudget.problem ?? self.adaptive?.problem
                ?? ErrandError.setting(
                    "limits.responseBody", self.responseBody, isPossible: self.responseBody >= 0, "0 or more bytes")
        }
    }

    /// The clock, random numbers, date, network monitor and app version of a client; tests give it their own.
    public struct Environment: Sendable {
        /// The clock of all timeouts and timings.
        public var clock: any Clock<Duration> = ContinuousClock()
        /// The source of random numbers, for delays that differ from those of others.
        public var random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
        /// The wall clock, for the age of cached responses and for moments that servers name.
        public var date: @Sendable () -> Date = { Date() }
        /// Knows whether there is a network.
        public var pathMonitor: any NetworkPath.Monitor = NetworkPath.SystemMonitor.shared
        /// The version of the app: responses that another version stored are not used.
        ///
        /// That of the bundle, where there is one. `nil` matches only entries that were stored without a version.
        public var appVersion = Self.bundleVersion

        private static let bundleVersion =
            Bundle.main.object(forInfoDictionaryKey: "CFBundleShortVersionString") as? String

        /// Creates the environment of the machine.
        public init() {}
    }
}

extension ClientConfiguration {
    /// Creates the standard configuration with a base URL of Foundation's.
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
    /// A mirror of the version of the app.
    public var customMirror: Mirror {
        Mirror(self, children: ["appVersion": self.appVersion as Any], displayStyle: .struct)
    }
}
