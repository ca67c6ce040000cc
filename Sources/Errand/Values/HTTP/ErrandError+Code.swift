extension ErrandError {
    /// The kind of an error.
    ///
    /// New codes may be added; always handle a default.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        private init(_ name: String) {
            self.description = name
        }

        // MARK: - Ended by someone

        /// The request, batch or chain was cancelled, or the task that waited for it was.
        public static let cancelled = Code("cancelled")
        /// A deadline passed: of one attempt, or of the whole request.
        public static let timedOut = Code("timedOut")
        /// The client was shut down.
        public static let clientShutDown = Code("clientShutDown")

        // MARK: - Not sendable

        /// A URL cannot be parsed, or is neither http nor https; or a value in a ``EndpointPath`` would lead elsewhere.
        public static let invalidURL = Code("invalidURL")
        /// A method, a header name or a header value has a character that HTTP does not allow there.
        public static let invalidRequest = Code("invalidRequest")
        /// Parameters or a body could not be encoded.
        public static let encodingFailed = Code("encodingFailed")
        /// A coordinator was started a second time.
        public static let alreadyStarted = Code("alreadyStarted")
        /// A chain without a step was started.
        public static let emptyChain = Code("emptyChain")
        /// A body that can be read only once was to be read, or sent, a second time.
        public static let bodyAlreadyRead = Code("bodyAlreadyRead")
        /// The transport cannot do what was asked of it.
        public static let unsupported = Code("unsupported")
        /// A setting of the client or its transport is not possible, or does not go with another one.
        public static let invalidConfiguration = Code("invalidConfiguration")
        /// A rule for TLS cannot be kept: a pin, a certificate or a key is not what it should be, or cannot be read.
        public static let invalidTLSPolicy = Code("invalidTLSPolicy")

        // MARK: - On the wire

        /// The host's name has no address.
        public static let hostNotFound = Code("hostNotFound")
        /// No connection could be made.
        public static let cannotConnect = Code("cannotConnect")
        /// A proxy does not accept the user and the password that it is sent, or asks for some; nothing got further.
        ///
        /// ``ErrandError/Context/status`` is 407 where it speaks HTTP. Without a change of the settings it will not accept
        /// them the next time either, so this is not retried.
        public static let proxyAuthenticationFailed = Code("proxyAuthenticationFailed")
        /// The connection broke before the response was complete.
        public static let connectionLost = Code("connectionLost")
        /// TLS could not be agreed on, or the server's certificate is not trusted.
        public static let tlsFailed = Code("tlsFailed")
        /// The response is not HTTP.
        public static let invalidResponse = Code("invalidResponse")
        /// The response body is larger than the limit.
        public static let bodyTooLarge = Code("bodyTooLarge")
        /// The transport failed for another reason; see the cause.
        public static let transportFailed = Code("transportFailed")
        /// The server redirected more often than the ``RedirectPolicy`` allows.
        public static let tooManyRedirects = Code("tooManyRedirects")
        /// The server redirected in a way that is not followed; the message says which.
        public static let invalidRedirect = Code("invalidRedirect")

        /// The file for a body, which a response goes to or a request is sent from, cannot be written; or it has changed
        /// while it was uploaded.
        public static let fileFailed = Code("fileFailed")

        /// Only the cache was to answer, and could not; ``ErrandError/cacheMiss`` says why.
        public static let notInCache = Code("notInCache")

        /// An outbox has reached a limit: there is no room for one more request.
        public static let outboxFull = Code("outboxFull")
        /// Too many requests to the server have failed, and none is sent for a while; see ``CircuitBreaker``.
        ///
        /// ``ErrandError/Context/retryAt`` says when the next one is.
        public static let circuitOpen = Code("circuitOpen")

        // MARK: - Not what was expected

        /// The status code is not one that the endpoint accepts.
        public static let unacceptableStatus = Code("unacceptableStatus")
        /// The content type is not one that the endpoint accepts.
        public static let unacceptableContentType = Code("unacceptableContentType")
        /// The JSON of the body does not have the shape that the endpoint asks for; the message names the first path.
        public static let unacceptableShape = Code("unacceptableShape")
        /// The body does not have the digest that was declared for it; the message says which one it has.
        public static let digestMismatch = Code("digestMismatch")
        /// A check of the endpoint's ``ResponseValidation`` threw.
        public static let validationFailed = Code("validationFailed")
        /// The body is not what the endpoint's response type needs.
        public static let decodingFailed = Code("decodingFailed")

        // MARK: - From code of the app

        /// An interceptor threw.
        public static let interceptorFailed = Code("interceptorFailed")
        /// A hook of a ``ProcessingEndpoint`` threw.
        public static let hookFailed = Code("hookFailed")
        /// A callback of a chain, what reads a streamed body, a path filter or an endpoint's own request threw.
        public static let callbackFailed = Code("callbackFailed")
        /// An ``Authenticator`` threw.
        public static let authenticatorFailed = Code("authenticatorFailed")
        /// The login of the user is over, and cannot be renewed: they have to log in again.
        public static let loginRequired = Code("loginRequired")
    }
}
