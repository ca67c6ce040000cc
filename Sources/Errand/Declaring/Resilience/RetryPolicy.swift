/// Which failures a request is sent again after, how often, and when.
///
/// ```swift
/// let client = Client(baseURL: "https://api.example.com/v1/") { $0.options = .retries(.standard) }
/// ```
///
/// A request holds no slot while it waits. A retry that the total timeout leaves no time for is not begun, and one that
/// the client's ``RetryBudget`` has nothing left for neither: then the request ends with the response or the error that
/// it has. So it does if its body can be read only once, and some of it has been sent.
///
/// What a transfer that resumes does by itself is left to it: a download asks for the rest after a lost connection, and
/// an upload that resumes (``UploadResumption``) is not retried as a whole.
public struct RetryPolicy: Sendable, Hashable {
    /// The most retries of a request; 0 is none.
    public var limit: Int
    /// The methods of requests that are sent again whatever became of them.
    ///
    /// Those that are idempotent by RFC 9110 §9.2.2, unless said otherwise. A request with another method is sent again
    /// if it has an `Idempotency-Key`, or if the server has certainly not processed it
    /// (``ErrandError/isUnprocessed``): it was not reached, or it said so.
    public var methods: Set<HTTPMethod>
    /// The statuses after which a request is sent again.
    public var statuses: Set<HTTPStatus>
    /// The errors after which a request is sent again.
    public var errors: Set<ErrandError.Code>
    /// The waits before retries.
    public var backoff: Backoff
    /// The longest wait that a server may ask for.
    ///
    /// Its `Retry-After` (RFC 9110 §10.2.3) is added to the delay, in seconds or as a date, which is compared with the
    /// `Date` of the response if there is one. If it asks for longer than this the request is not sent again. A date in
    /// the past is no wait, and what cannot be read is as if it was not there.
    public var retryAfterLimit: Duration
    /// Whether requests whose method is none of ``methods`` get an `Idempotency-Key`, the same for each attempt.
    ///
    /// For servers that know the field (draft-ietf-httpapi-idempotency-key-header): with it they carry out a request
    /// once, however often it comes. It is a random UUID in quotes. A key of the endpoint's own is left as it is.
    public var addsIdempotencyKey: Bool

    /// Creates a policy; what is not given is as in ``standard``.
    public init(
        limit: Int = 2, methods: Set<HTTPMethod> = Self.idempotentMethods,
        statuses: Set<HTTPStatus> = [408, 429, 500, 502, 503, 504],
        errors: Set<ErrandError.Code> = [.connectionLost, .cannotConnect, .hostNotFound, .timedOut],
        backoff: Backoff = .standard, retryAfterLimit: Duration = .seconds(60), addsIdempotencyKey: Bool = false
    ) {
        self.limit = limit
        self.methods = methods
        self.statuses = statuses
        self.errors = errors
        self.backoff = backoff
        self.retryAfterLimit = retryAfterLimit
        self.addsIdempotencyKey = addsIdempotencyKey
    }

    /// No request is sent again.
    public static let never = RetryPolicy(limit: 0)

    /// Why it means nothing, if so.
    var problem: ErrandError? {
        ErrandError.setting("retries.limit", self.limit, isPossible: self.limit >= 0, "0 for no retry, or more")
            ?? ErrandError.setting(
                "retries.retryAfterLimit", self.retryAfterLimit, isPossible: self.retryAfterLimit >= .zero,
                "zero to wait for no server, or longer")
            ?? self.backoff.problem(of: "retries.backoff")
    }

    /// At most two retries of a request that may be sent twice: after a lost connection, a deadline of an attempt, and the
    /// statuses 408, 429, 500, 502, 503 and 504.
    public static let standard = RetryPolicy()

    /// The methods that are idempotent by RFC 9110 §9.2.2 and RFC 10008 §2.
    public static let idempotentMethods: Set<HTTPMethod> = [.get, .head, .query, .options, .trace, .put, .delete]
}
