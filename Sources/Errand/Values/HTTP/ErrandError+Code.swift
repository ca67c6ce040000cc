extension ErrandError {
    /// The kind of an error.
    ///
    /// New codes may be added; so always handle a default case.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        private init(_ name: String) {
            self.description = name
        }

        // MARK: - Ended by someone

        /// The request, batch or chain was cancelled, or the task that waited for it was.
        public static let cancelled = Code("cancelled")
        /// A timeout expired: of one attempt, or of the whole request.
        public static let timedOut = Code("timedOut")
        /// The client was shut down.
        public static let clientShutDown = Code("clientShutDown")

        // MARK: - Not sendable

        /// A URL cannot be parsed, or is neither http nor https; or a value in an ``EndpointPath`` would change the
        /// path's structure.
        public static let invalidURL = Code("invalidURL")
        /// A method, a header name or a header value has a character that HTTP does not allow there.
        public static let invalidRequest = Code("invalidRequest")
        /// Parameters or a body could not be encoded.
        public static let encodingFailed = Code("encodingFailed")
        /// A batch or chain was started a second time.
        public static let alreadyStarted = Code("alreadyStarted")
        /// A chain without a step was started.
        public static let emptyChain = Code("emptyChain")
        /// A body that can be read only once was needed a second time.
        public static let bodyAlreadyRead = Code("bodyAlreadyRead")
        /// The transport does not support the request.
        public static let unsupported = Code("unsupported")
        /// A setting of the client or its transport is invalid, or conflicts with another one.
        public static let invalidConfiguration = Code("invalidConfiguration")
        /// A TLS rule cannot be applied: a pin, a certificate or a key is invalid, or cannot be read.
        public static let invalidTLSPolicy = Code("invalidTLSPolicy")

        // MARK: - On the wire

        /// The host's name has no address.
        public static let hostNotFound = Code("hostNotFound")
        /// No connection could be made.
        public static let cannotConnect = Code("cannotConnect")
        /// A proxy rejects the user and password, or requires them; the request went no further.
        ///
        /// ``ErrandError/Context/status`` is 407 for an HTTP proxy. Not retried, because it would fail again without a
        /// change of the settings.
        public static let proxyAuthenticationFailed = Code("proxyAuthenticationFailed")
        /// The connection was lost before the response was complete.
        public static let connectionLost = Code("connectionLost")
        /// The TLS handshake failed, or the server's certificate is not trusted.
        public static let tlsFailed = Code("tlsFailed")
        /// The response is not HTTP.
        public static let invalidResponse = Code("invalidResponse")
        /// The response body is larger than the limit.
        public static let bodyTooLarge = Code("bodyTooLarge")
        /// The transport failed for another reason; see the cause.
        public static let transportFailed = Code("transportFailed")
        /// The server sent more redirects than the ``RedirectPolicy`` allows.
        public static let tooManyRedirects = Code("tooManyRedirects")
        /// The server sent a redirect that must not be followed; the message says why.
        public static let invalidRedirect = Code("invalidRedirect")

        /// The file of a response or request body cannot be written or read; or it has changed while it was uploaded.
        public static let fileFailed = Code("fileFailed")

        /// Only the cache was to be used, and has no usable response; see ``ErrandError/cacheMiss``.
        public static let notInCache = Code("notInCache")

        /// An outbox has reached a limit and accepts no more requests.
        public static let outboxFull = Code("outboxFull")
        /// Too many requests to the server have failed, and none are sent for a while; see ``CircuitBreaker``.
        ///
        /// ``ErrandError/Context/retryAt`` is the time of the next one.
        public static let circuitOpen = Code("circuitOpen")

        // MARK: - Not what was expected

        /// The endpoint does not accept the status code.
        public static let unacceptableStatus = Code("unacceptableStatus")
        /// The endpoint does not accept the content type.
        public static let unacceptableContentType = Code("unacceptableContentType")
        /// The JSON body does not have the shape that the endpoint requires; the message names the first path.
        public static let unacceptableShape = Code("unacceptableShape")
        /// The body does not have the declared digest; the message contains the actual one.
        public static let digestMismatch = Code("digestMismatch")
        /// A check of the endpoint's ``ResponseValidation`` threw.
        public static let validationFailed = Code("validationFailed")
        /// The body cannot be decoded as the endpoint's response type.
        public static let decodingFailed = Code("decodingFailed")

        // MARK: - From code of the app

        /// An interceptor threw.
        public static let interceptorFailed = Code("interceptorFailed")
        /// A hook of a ``ProcessingEndpoint`` threw.
        public static let hookFailed = Code("hookFailed")
        /// A closure of the caller threw: of a chain, for a streamed body, a path filter or a custom request.
        public static let callbackFailed = Code("callbackFailed")
        /// An ``Authenticator`` threw.
        public static let authenticatorFailed = Code("authenticatorFailed")
        /// The user's login has ended and cannot be renewed: the user has to log in again.
        public static let loginRequired = Code("loginRequired")
    }
}
