/// The settings of a request besides its content: deadlines, retries, caching, credentials and more.
///
/// Options are set in three scopes: for all requests of a client (``ClientConfiguration/options``), for an endpoint
/// (``Endpoint/options``), and for one call (``Client/send(_:options:)``). For each option, the narrowest scope that
/// sets it wins: an endpoint with a total timeout keeps the idle timeout of its client. Interceptors, accessories,
/// bandwidth limits, user info and omitted header fields accumulate. Other options are inherited.
///
/// ```swift
/// var options: RequestOptions { .caching(.fresh(for: .seconds(180))).retries(.standard) }
/// ```
///
/// The options of the endpoint and the call are read when a request is made. Those of the client are read when it
/// starts, except accessories, tag and user info, which are also read when it is made.
public struct RequestOptions: Sendable {
    /// One option with its value.
    enum Part: Sendable {
        case caching(CachePolicy)
        case cacheParameters(Parameters?)
        case cacheUse(CacheUse)
        case timeout(Timeout, Duration?)
        case retries(RetryPolicy)
        case hedging(HedgePolicy)
        case redirects(RedirectPolicy)
        case coalescing(Bool)
        case circuitBreaker(CircuitBreaker?)
        case connectivity(ConnectivityPolicy)
        case networks(AllowedNetworks)
        case priority(RequestPriority)
        case bandwidth(BandwidthLimit)
        case credentials(CredentialUse)
        case sendsSecretsToAllOrigins(Bool)
        case interceptors([any Interceptor])
        case accessories([any Accessory])
        case uploadResumption(UploadResumption)
        case destination(ResponseDestination)
        case parameterEncoding(ParameterEncoding)
        case defaultHeaders(DefaultHeaders)
        case omittedHeaders([String])
        case deadlineHeader(DeadlineHeader?)
        case tag(String?)
        case userInfo([String: any Sendable])
        case name(String)
        case accept(String)
        case refused(String)
    }

    /// The timeouts of a request; see
    /// ``timeout(connect:firstByte:idle:attempt:authentication:total:)-swift.type.method``.
    public enum Timeout: Sendable, Hashable, CaseIterable {
        /// From the slot to a connection.
        case connect
        /// From the slot to the head of the response.
        case firstByte
        /// The time without bytes sent or received.
        case idle
        /// For one attempt.
        case attempt
        /// For an authenticator to return.
        case authentication
        /// For the whole request.
        case total
    }

    /// The options that are set, those of the narrowest scope last.
    private(set) var parts: [Part]

    /// Creates options that inherit everything.
    public init() {
        self.parts = []
    }

    init(_ part: Part) {
        self.parts = [part]
    }

    /// `true` if everything is inherited.
    var isEmpty: Bool { self.parts.isEmpty }

    /// Returns the options with one more option set.
    func adding(_ part: Part) -> RequestOptions {
        var options = self
        options.parts.append(part)
        return options
    }

    /// Returns these options merged with those of a narrower scope, which win.
    public func merging(_ narrower: RequestOptions) -> RequestOptions {
        if narrower.isEmpty { return self }
        var options = self
        options.parts += narrower.parts
        return options
    }

    /// The timeouts that are set, those of the narrowest scope last.
    package var timeouts: [(timeout: Timeout, limit: Duration?)] {
        self.parts.compactMap { if case .timeout(let timeout, let limit) = $0 { (timeout, limit) } else { nil } }
    }

    /// The options that a batch or chain passes on to its requests: all except accessories, user info and name.
    var forChildren: RequestOptions {
        var options = self.forAll(of: .group)
        options.parts.removeAll {
            switch $0 {
            case .accessories, .userInfo, .name: true
            default: false
            }
        }
        return options
    }

    /// Returns the options for many requests: options for a single request fail each of them, and a credential goes to
    /// the client's own origins only, because the requests' origins may be unknown where the options are set.
    func forAll(of owner: Owner) -> RequestOptions {
        var options = self
        options.parts = options.parts.map { part in
            if case .credentials(let use) = part { return .credentials(use.forMany) }
            return part.refusal(for: owner).map { .refused($0) } ?? part
        }
        return options
    }

    /// The options of an endpoint that is requested page by page: cache parameters and the credential stay, one file
    /// for all pages fails.
    var forEachPage: RequestOptions {
        var options = self
        options.parts = options.parts.map { part in
            guard case .destination = part else { return part }
            return part.refusal(for: .pages).map { .refused($0) } ?? part
        }
        return options
    }

    /// An owner of many requests.
    enum Owner: String {
        case client = "a client"
        case group = "a batch or chain"
        case pages = "a list of pages"
    }
}

extension RequestOptions.Part {
    /// The reason for which many requests cannot share the option; `nil` if they can.
    fileprivate func refusal(for owner: RequestOptions.Owner) -> String? {
        switch self {
        case .destination(let destination) where destination.isOneFile:
            "the options of \(owner.rawValue) have one file for all of its responses: use a folder"
                + (owner == .pages ? "" : ", or set the file in the options of the endpoint")
        case .cacheParameters(.some):
            "the options of \(owner.rawValue) have cacheParameters, which would give all its requests one cache key: "
                + "set them in the options of the endpoint"
        default: nil
        }
    }
}

extension RequestOptions: CustomStringConvertible, CustomReflectable {
    /// The names of the options that are set, without values, which may contain secrets.
    public var description: String {
        let names = self.parts.map { part -> String in
            if case .timeout(let timeout, _) = part { return "timeout.\(timeout)" }
            return Mirror(reflecting: part).children.first?.label ?? "\(part)"
        }
        return "RequestOptions(\(names.joined(separator: ", ")))"
    }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The credentials of a request, which replace those of its client.
public struct CredentialUse: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case none
        case own(HTTPCredential, staysHome: Bool)
    }

    let kind: Kind

    /// The credentials as an option for many requests.
    fileprivate var forMany: CredentialUse {
        guard case .own(let credential, _) = self.kind else { return self }
        return CredentialUse(kind: .own(credential, staysHome: true))
    }

    /// Sends no `Authorization` from the client; a 401 is the response.
    ///
    /// An `Authorization` in the header fields of the endpoint is still sent, and so are the client's cookies and its
    /// other secret fields, which ``RequestOptions/omittingHeaders(_:)-swift.type.method`` omits.
    public static let none = CredentialUse(kind: .none)

    /// Sends a credential without a challenge; a 401 is the response, and no other credential is tried.
    ///
    /// In the options of an endpoint or a call, the credential goes to any origin of the endpoint, unless the endpoint
    /// has an `Authorization` field; it does not follow redirects to other origins. In the options of a client, a
    /// batch, a chain or a list of pages, it goes only to the client's own origins, those of its
    /// ``ClientConfiguration/baseURLs``, unless ``RequestOptions/sendingSecretsToAllOrigins(_:)-swift.type.method`` is
    /// set.
    public static func own(_ credential: HTTPCredential) -> CredentialUse {
        CredentialUse(kind: .own(credential, staysHome: false))
    }
}
