/// The failures after which a request is retried, the number of retries, and their delays.
///
/// ```swift
/// let client = Client(baseURL: "https://api.example.com/v1/") { $0.options = .retries(.standard) }
/// ```
///
/// A request holds no slot during the delay. It is not retried if its total timeout would expire first, if the client's
/// ``RetryBudget`` is exhausted, or if its body can be read only once and has been partly sent. Then it ends with the
/// response or the error of its last attempt.
///
/// Resumable transfers handle lost connections themselves: a download requests the rest of the body, and a resumable
/// upload (``UploadResumption``) is not retried as a whole.
public struct RetryPolicy: Sendable, Hashable {
    /// The maximum number of retries; 0 disables them.
    public var limit: Int
    /// The methods of requests that are retried even if the server may have processed them.
    ///
    /// Defaults to the methods that are idempotent by RFC 9110 §9.2.2. A request with another method is retried if it
    /// has an `Idempotency-Key`, or if the server has certainly not processed it (``ErrandError/isUnprocessed``): it
    /// was not reached, or it said so.
    public var methods: Set<HTTPMethod>
    /// The statuses after which a request is retried.
    public var statuses: Set<HTTPStatus>
    /// The errors after which a request is retried.
    public var errors: Set<ErrandError.Code>
    /// The delays before retries.
    public var backoff: Backoff
    /// The longest delay that a server may ask for.
    ///
    /// The server's `Retry-After` (RFC 9110 §10.2.3), in seconds or as a date, is added to the delay. A date is
    /// compared with the `Date` of the response, if there is one. If the server asks for more than this limit, the
    /// request is not retried. A date in the past means no delay, and an invalid value is ignored.
    public var retryAfterLimit: Duration
    /// A Boolean value that indicates whether requests with a method not in ``methods`` get an `Idempotency-Key`, the
    /// same for each attempt.
    ///
    /// For servers that support the field (draft-ietf-httpapi-idempotency-key-header): they process such a request
    /// once, however often it arrives. The key is a random UUID in quotes. A key set by the endpoint is kept.
    public var addsIdempotencyKey: Bool

    /// Creates a policy.
    ///
    /// Values that are not given are those of ``standard``.
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

    /// No retries.
    public static let never = RetryPolicy(limit: 0)

    /// The error for an invalid setting, if any.
    var problem: ErrandError? {
        ErrandError.setting("retries.limit", self.limit, isPossible: self.limit >= 0, "0 for no retry, or more")
            ?? ErrandError.setting(
                "retries.retryAfterLimit", self.retryAfterLimit, isPossible: self.retryAfterLimit >= .zero,
                "zero to ignore Retry-After, or longer")
            ?? self.backoff.problem(of: "retries.backoff")
    }

    /// At most two retries of a request that may be sent twice, after a lost connection, an attempt timeout, or one of
    /// the statuses 408, 429, 500, 502, 503 and 504.
    public static let standard = RetryPolicy()

    /// The methods that are idempotent by RFC 9110 §9.2.2 and RFC 10008 §2.
    public static let idempotentMethods: Set<HTTPMethod> = [.get, .head, .query, .options, .trace, .put, .delete]
}
