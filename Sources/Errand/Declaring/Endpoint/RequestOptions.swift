/// How a request is treated: its deadlines, retries, caching, credentials and everything else that is not its content.
///
/// Options are said in three places: for all requests of a client (``ClientConfiguration/options``), for an endpoint
/// (``Endpoint/options``), and for one call (``Client/send(_:options:)``). The narrowest place that says something
/// decides, part by part: an endpoint with a total timeout keeps the idle timeout of its client. Interceptors,
/// accessories, bandwidth limits, user info and omitted header fields add up. What is not said is inherited.
///
/// ```swift
/// var options: RequestOptions { .caching(.fresh(for: .seconds(180))).retries(.standard) }
/// ```
///
/// Those of an endpoint and a call are read when a request is made. Those of its client are read when it starts, but for
/// accessories, tag and user info, which stay as they were when it was made.
public struct RequestOptions: Sendable {
    /// One thing that is said.
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
        /// Until there is a connection.
        case connect
        /// Until the head of the response.
        case firstByte
        /// Without anything sent or received.
        case idle
        /// For one attempt.
        case attempt
        /// For the answer of an authenticator.
        case authentication
        /// For the whole request.
        case total
    }

    /// The parts that are said, those of the narrowest place last.
    private(set) var parts: [Part]

    /// Creates options that say nothing: everything is inherited.
    public init() {
        self.parts = []
    }

    init(_ part: Part) {
        self.parts = [part]
    }

    /// Returns `true` if everything is inherited.
    var isEmpty: Bool { self.parts.isEmpty }

    /// Returns the same options with one thing more.
    func adding(_ part: Part) -> RequestOptions {
        var options = self
        options.parts.append(part)
        return options
    }

    /// Returns these options with those of a narrower place, which decide where both say something.
    public func merging(_ narrower: RequestOptions) -> RequestOptions {
        if narrower.isEmpty { return self }
        var options = self
        options.parts += narrower.parts
        return options
    }

    /// The timeouts that are said, the narrowest last.
    package var timeouts: [(timeout: Timeout, limit: Duration?)] {
        self.parts.compactMap { if case .timeout(let timeout, let limit) = $0 { (timeout, limit) } else { nil } }
    }

    /// The options that a batch or chain passes on to its requests: all but its accessories, user info and name.
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

    /// The same options for many requests: what only one of them can have fails each, and a credential goes to the
    /// client's own origins, for who names all of these need not know where each goes.
    func forAll(of owner: Owner) -> RequestOptions {
        var options = self
        options.parts = options.parts.map { part in
            if case .credentials(let use) = part { return .credentials(use.forMany) }
            return part.refusal(for: owner).map { .refused($0) } ?? part
        }
        return options
    }

    /// The options of an endpoint whose pages are asked for: its cache parameters and its credential are its own, one file
    /// for all pages is not.
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
    /// Why many requests cannot have this together; `nil` if they can.
    fileprivate func refusal(for owner: RequestOptions.Owner) -> String? {
        switch self {
        case .destination(let destination) where destination.isOneFile:
            "the options of \(owner.rawValue) name one file for all of its responses: name a folder"
                + (owner == .pages ? "" : ", or say it in the options of the endpoint")
        case .cacheParameters(.some):
            "the options of \(owner.rawValue) have cacheParameters, with which its requests would be one to the cache: "
                + "say them in the options of the endpoint"
        default: nil
        }
    }
}

extension RequestOptions: CustomStringConvertible, CustomReflectable {
    /// The names of what is said, without values, in which there may be secrets.
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

/// The credentials of a request, in place of those of its client.
public struct CredentialUse: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case none
        case own(HTTPCredential, staysHome: Bool)
    }

    let kind: Kind

    /// The same for many requests.
    fileprivate var forMany: CredentialUse {
        guard case .own(let credential, _) = self.kind else { return self }
        return CredentialUse(kind: .own(credential, staysHome: true))
    }

    /// No `Authorization` of the client's is sent, and a 401 is the response.
    ///
    /// One among the header fields of the endpoint is sent all the same, and so are the client's cookies and its other
    /// secret fields, which ``RequestOptions/omittingHeaders(_:)-swift.type.method`` leaves out.
    public static let none = CredentialUse(kind: .none)

    /// A credential of the request's own, sent unasked; a 401 is the response, and no other credential is tried.
    ///
    /// In the options of an endpoint or of one call it goes wherever that goes, unless the endpoint has an
    /// `Authorization` field; a redirection does not take it to another origin. In the options of a client, a batch, a
    /// chain or a list of pages it goes to the client's own origins, those of its ``ClientConfiguration/baseURLs``, and to
    /// no others unless ``RequestOptions/sendingSecretsToAllOrigins(_:)-swift.type.method`` says so.
    public static func own(_ credential: HTTPCredential) -> CredentialUse {
        CredentialUse(kind: .own(credential, staysHome: false))
    }
}
