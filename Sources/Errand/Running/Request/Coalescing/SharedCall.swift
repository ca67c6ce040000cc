/// The call that equal requests share: sends the request of one of them, and returns its response as it came.
///
/// What becomes of that response is each one's own: hooks, validation, storing, decoding, and the deadline of the whole
/// request.
struct SharedCall: SharingCall {
    typealias Response = HTTPResponse

    let base: any Endpoint
    let request: HTTPRequest
    let deadlines: Timeouts
    /// When whoever made the request gives up: what cannot be done by then is not begun, but others may wait for longer.
    let due: Duration?
    /// What the request was made with: it goes out as the one who made it.
    let plan: RequestPlan
    let generation: Int

    var path: Path { self.base.path }
    var method: HTTPMethod { self.request.method }
    var sendsSecretsElsewhere: Bool { self.base.sendsSecretsElsewhere }
    var usesCredentials: Bool { self.base.usesCredentials }
    var validation: ResponseValidation { .any }
    /// Whoever waits has asked the cache, and stores the response.
    var caching: CachePolicy { .never }
    var redirects: RedirectPolicy? { self.base.redirects }
    var timeouts: EndpointTimeouts { .own(self.deadlines) }
    var priority: RequestPriority { self.base.priority }
    var allowedNetworks: AllowedNetworks? { self.base.allowedNetworks }
    var connectivity: ConnectivityPolicy? { self.base.connectivity }
    var retries: RetryPolicy? { self.base.retries }
    var hedging: HedgePolicy? { self.base.hedging }
    var usesCircuitBreaker: Bool { self.base.usesCircuitBreaker }
    var isCoalesced: Bool? { false }
    var interceptors: [any Interceptor] { self.base.interceptors }

    func customRequest() -> HTTPRequest? { self.request }

    func decode(_ response: HTTPResponse) -> HTTPResponse { response }
}
