public import struct Foundation.Data
public import struct Foundation.Date

/// The error type of Errand, with a code, a message, a cause and a context.
public struct ErrandError: Error, Sendable {
    /// The kind of the error; switch over it.
    public var code: Code {
        get { self.storage.code }
        set { self.storage = Storage(newValue, self.message, self.cause, self.context) }
    }

    /// A one-line message for developers.
    public var message: String {
        self.storage.message
    }

    /// The underlying error: of another library, or another problem with the response as an `ErrandError`.
    public var cause: (any Error)? {
        self.storage.cause
    }

    /// The request that failed, and its progress.
    public var context: Context {
        get { self.storage.context }
        set { self.storage = Storage(self.code, self.message, self.cause, newValue) }
    }

    /// One reference, because errors pass through every layer in results.
    private var storage: Storage

    /// Creates an error.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil, context: Context = Context()) {
        self.storage = Storage(code, message.onOneLine, cause, context)
    }

    private final class Storage: Sendable {
        let code: Code
        let message: String
        let cause: (any Error)?
        let context: Context

        init(_ code: Code, _ message: String, _ cause: (any Error)?, _ context: Context) {
            self.code = code
            self.message = message
            self.cause = cause
            self.context = context
        }
    }
}

// MARK: - Context

extension ErrandError {
    /// The circumstances of an error.
    ///
    /// It contains no secrets. Credentials are removed from the URL, and so are the values of query items with names of
    /// secrets (``HTTPURL/redacted``); the same applies to `Location` and `Content-Location`. Of the other header
    /// fields, those are removed that set cookies or carry credentials, that
    /// ``ClientConfiguration/Credentials/secretHeaders`` names, or that have a name of a secret, such as
    /// `X-Auth-Token`, except challenges (`WWW-Authenticate`) and codes (`X-Error-Code`). The body is unchanged.
    public struct Context: Sendable {
        /// The maximum number of bytes of a response body in an error.
        public static let bodyLimit = 16 << 10

        /// The id of the request, batch or chain.
        public var requestID: RequestID?
        /// The name of the endpoint's type.
        public var endpointName: String?
        /// The request method.
        public var method: String?
        /// The URL, with credentials and secret-looking query items removed.
        public var url: String?
        /// The number of times the request went to the transport.
        public var attempts: Int
        /// The status code, if there was a response.
        public var status: HTTPStatus?
        /// The header fields of the response, if there was one, without secrets.
        public var headers: HTTPFields?
        /// The first ``bodyLimit`` bytes of the response body, if there was one.
        public var body: Data?
        /// The position of the child or step in its batch or chain.
        public var index: Int?
        /// The data to resume an interrupted download, if it was resumable and bytes were received.
        public var resumeData: ResumeData?
        /// The retries of the request (``RetryPolicy``) in order, with reason and delay.
        public var retries: [ErrandError.Retry] = []
        /// The time from which trying again may help, if known, by the wall clock: a ``CircuitBreaker`` admits requests
        /// then.
        public var retryAt: Date?

        /// The decoder of the client's JSON.
        package var jsonDecoder: BodyDecoderOfJSON?

        /// A Boolean value that indicates whether the transport knows that the server did not process the request; see
        /// ``ErrandError/isUnprocessed``.
        public var isUnprocessed = false

        /// Creates an empty context.
        public init() {
            self.attempts = 0
        }
    }
}

// MARK: - Words

extension ErrandError: CustomStringConvertible {
    /// The code, the message and the request, on one line.
    ///
    /// For a response with a status from 400 on, also the beginning of its body, if that is JSON or plain text: without
    /// the values of members with names of secrets (``HTTPURL/redacted``), and without text that looks like a secret.
    public var description: String {
        var line = "\(self.code): \(self.fullMessage)"
        if let method = self.context.method, let url = self.context.url { line += " [\(method) \(url)]" }
        if let index = self.context.index { line += " [position \(index)]" }
        return line
    }
}

// MARK: - Making errors from other errors

extension ErrandError {
    /// Keeps an `ErrandError`, turns a `CancellationError` into ``Code/cancelled``, and wraps any other error.
    package init(wrapping error: any Error, as code: Code, _ message: @autoclosure () -> String) {
        switch error {
        case let error as ErrandError: self = error
        case is CancellationError: self = .cancelled()
        default: self.init(code, "\(message()): \(error)", cause: error)
        }
    }

    /// Returns true if it is about this request, and not the error of another request passed on.
    func isAbout(_ request: RequestID) -> Bool { self.context.requestID.map { $0 == request } ?? true }

    /// The error that kept a request from being sent: for a failed authenticator, that of the token request.
    var obstacle: ErrandError {
        self.code == .authenticatorFailed ? self.cause as? ErrandError ?? self : self
    }

    /// Returns the error with another one as its cause, unless it has one or the other is `nil`.
    package func caused(by cause: ErrandError?) -> ErrandError {
        guard let cause, self.cause == nil else { return self }
        return ErrandError(self.code, self.message, cause: cause, context: self.context)
    }

    package static func cancelled(_ message: String = "the request was cancelled") -> ErrandError {
        ErrandError(.cancelled, message)
    }
}

extension String {
    /// The text with a space for each control character and line break: external text must not add lines or change
    /// their direction.
    fileprivate var onOneLine: String {
        guard self.unicodeScalars.contains(where: \.breaksLines) else { return self }
        return String(String.UnicodeScalarView(self.unicodeScalars.map { $0.breaksLines ? " " : $0 }))
    }
}

extension Unicode.Scalar {
    /// True if it breaks lines, or controls the direction of text.
    var breaksLines: Bool {
        switch self.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
