public import struct Foundation.Data
public import struct Foundation.Date

/// The one error type that leaves Errand: what went wrong, in words, why, and where.
public struct ErrandError: Error, Sendable {
    /// The kind of the error; switch over it.
    public var code: Code {
        get { self.storage.code }
        set { self.storage = Storage(newValue, self.message, self.cause, self.context) }
    }

    /// One line for a person.
    public var message: String {
        self.storage.message
    }

    /// The error behind this one: of another library, or what else is wrong with a response, as an `ErrandError`.
    public var cause: (any Error)? {
        self.storage.cause
    }

    /// Which request it was, and how far it had come.
    public var context: Context {
        get { self.storage.context }
        set { self.storage = Storage(self.code, self.message, self.cause, newValue) }
    }

    /// Errors travel through every layer inside results: one pointer keeps those small.
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
    /// Holds no secrets. From the URL credentials are removed, and the values of query items that have a name of
    /// secrets (``HTTPURL/redacted``); in the same way from `Location` and `Content-Location`. Of the other header
    /// fields those are left out that set cookies or carry credentials, that
    /// ``ClientConfiguration/Credentials/secretHeaders`` names, or that have such a name themselves, such as
    /// `X-Auth-Token`, but for challenges (`WWW-Authenticate`) and codes (`X-Error-Code`). The body is as the server sent it.
    public struct Context: Sendable {
        /// The most bytes of a response body that an error keeps.
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
        /// The status code, where there was a response.
        public var status: HTTPStatus?
        /// The header fields of the response, where there was one, without secrets.
        public var headers: HTTPFields?
        /// The first ``bodyLimit`` bytes of the response body, where there was one.
        public var body: Data?
        /// The position of the child or step in its batch or chain.
        public var index: Int?
        /// The part of an interrupted download to go on from, where it was resumable and something has come.
        public var resumeData: ResumeData?
        /// The retries of the request (``RetryPolicy``), in order: why, and when.
        public var retries: [ErrandError.Retry] = []
        /// When it may be worth to try again, where that is known, by the wall clock: a ``CircuitBreaker`` lets requests
        /// through then.
        public var retryAt: Date?

        /// The decoder of the client's JSON.
        package var jsonDecoder: BodyDecoderOfJSON?

        /// Whether the transport knows that the server did not process the request; see ``ErrandError/isUnprocessed``.
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
    /// For a response with a status from 400 on also the beginning of its body, if that is JSON or plain text: without
    /// the values of members that have a name of secrets (``HTTPURL/redacted``), and without what looks like a secret.
    public var description: String {
        var line = "\(self.code): \(self.fullMessage)"
        if let method = self.context.method, let url = self.context.url { line += " [\(method) \(url)]" }
        if let index = self.context.index { line += " [position \(index)]" }
        return line
    }
}

// MARK: - Making errors from other errors

extension ErrandError {
    /// Keeps an `ErrandError`, turns a `CancellationError` into ``Code/cancelled``, wraps everything else.
    package init(wrapping error: any Error, as code: Code, _ message: @autoclosure () -> String) {
        switch error {
        case let error as ErrandError: self = error
        case is CancellationError: self = .cancelled()
        default: self.init(code, "\(message()): \(error)", cause: error)
        }
    }

    /// Tells whether it says what became of a request, and not of another one whose error was passed on.
    func isAbout(_ request: RequestID) -> Bool { self.context.requestID.map { $0 == request } ?? true }

    /// What kept a request from being sent: behind the failure of an authenticator that of the request for a token.
    var obstacle: ErrandError {
        self.code == .authenticatorFailed ? self.cause as? ErrandError ?? self : self
    }

    /// The same error with another one behind it; the same alone for nothing, or if there is one already.
    package func caused(by cause: ErrandError?) -> ErrandError {
        guard let cause, self.cause == nil else { return self }
        return ErrandError(self.code, self.message, cause: cause, context: self.context)
    }

    package static func cancelled(_ message: String = "the request was cancelled") -> ErrandError {
        ErrandError(.cancelled, message)
    }
}

extension String {
    /// The text with a space for each control character and line break: what others wrote must not make up lines, nor turn
    /// them round.
    fileprivate var onOneLine: String {
        guard self.unicodeScalars.contains(where: \.breaksLines) else { return self }
        return String(String.UnicodeScalarView(self.unicodeScalars.map { $0.breaksLines ? " " : $0 }))
    }
}

extension Unicode.Scalar {
    /// Whether it controls lines, or the direction of what follows.
    var breaksLines: Bool {
        switch self.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
