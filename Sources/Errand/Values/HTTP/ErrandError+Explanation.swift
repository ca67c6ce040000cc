public import protocol Foundation.LocalizedError

/// Explanations for users of an app, in plain English and without names of types: what happened, why, and what to do.
extension ErrandError: LocalizedError {
    /// A description of the error for users of the app, in one sentence.
    public var errorDescription: String? { self.appError?.errorDescription ?? self.explanation.what }

    /// A possible reason, for users of the app, in one sentence.
    public var failureReason: String? { self.appError?.failureReason ?? self.explanation.why }

    /// Advice for users of the app, in one sentence.
    public var recoverySuggestion: String? { self.appError?.recoverySuggestion ?? self.explanation.advice }

    /// The app's own error, if it has localized texts.
    private var appError: (any LocalizedError)? {
        switch self.code {
        case .interceptorFailed, .hookFailed, .callbackFailed, .authenticatorFailed, .validationFailed:
            self.cause as? any LocalizedError
        default: nil
        }
    }

    private var explanation: Explanation {
        if self.code == .unacceptableStatus { return .of(self.context.status) }
        return Explanation.byCode[self.code] ?? .badResponse
    }
}

// MARK: - Questions

extension ErrandError {
    /// A Boolean value that indicates whether the network failed: the host was not found or not reached, or the
    /// connection was lost.
    ///
    /// Usually the device is offline, or the server is down. Trying later may help.
    public var isConnectivity: Bool {
        [.hostNotFound, .cannotConnect, .connectionLost].contains(self.code)
    }

    /// A Boolean value that indicates whether the server has certainly not processed the request, so that it may be
    /// sent again whatever its method is.
    ///
    /// It was not reached, or it said so (RFC 9113 §8.7), or no byte was sent. After most errors, this is false because
    /// the request may have been processed: then only an idempotent one may be sent again (RFC 9110 §9.2.2).
    public var isUnprocessed: Bool {
        [.hostNotFound, .cannotConnect].contains(self.code) || self.context.isUnprocessed
    }

    /// A Boolean value that indicates whether a timeout expired; the message names it.
    public var isTimeout: Bool { self.code == .timedOut }

    /// A Boolean value that indicates whether the request was cancelled, so that the user need not be informed.
    public var isCancellation: Bool { self.code == .cancelled }

    /// A Boolean value that indicates whether the server rejected the request with a status of 400 to 499 (RFC 9110
    /// §15.5).
    public var isClientError: Bool { self.isRefusal(400..<500) }

    /// A Boolean value that indicates whether the server failed with a status of 500 to 599 (RFC 9110 §15.6).
    public var isServerError: Bool { self.isRefusal(500..<600) }

    private func isRefusal(_ codes: Range<Int>) -> Bool {
        self.code == .unacceptableStatus && self.context.status.map { codes.contains($0.code) } == true
    }
}

// MARK: - Words

/// The texts for users of an app.
private struct Explanation {
    let what: String
    let why: String
    let advice: String

    init(_ what: String, _ why: String, _ advice: String) {
        (self.what, self.why, self.advice) = (what, why, advice)
    }

    private static let badRequest = Explanation(
        "The request could not be sent.", "The app made an invalid request.",
        "Update the app, or contact its developer.")
    static let badResponse = Explanation(
        "The server's response could not be used.", "It is not what the app expects.",
        "Try again later, or update the app.")
    private static let notSignedIn = Explanation(
        "You are not signed in.", "The server requires you to sign in.", "Sign in, and try again.")
    private static let failed = Explanation(
        "The request could not be completed.", "The app failed while it was processing the request.",
        "Try again, or contact its developer.")
    private static let refused = Explanation(
        "The server rejected the request.", "It does not support what the app asked for.",
        "Update the app, or contact its developer.")
    private static let notServed = Explanation(
        "The server could not respond.", "It has a problem or is overloaded.", "Try again later.")
    private static let misled = Explanation(
        "The server could not be reached.", "It redirected the app to an unusable address.", "Try again later.")

    static let byCode: [ErrandError.Code: Explanation] = [
        .cancelled: Explanation(
            "The request was cancelled.", "It was stopped before it had finished.", "Start it again if you need it."),
        .timedOut: Explanation(
            "The request took too long.", "The server did not respond in time.",
            "Check your internet connection, and try again."),
        .clientShutDown: Explanation(
            "The request could not be sent.", "The app has stopped talking to the server.", "Open the app again."),
        .invalidURL: .badRequest, .invalidRequest: .badRequest,
        .encodingFailed: Explanation(
            "The request could not be sent.", "Its content could not be read or encoded.",
            "Check that what you want to send is still there, or contact the app's developer."),
        .alreadyStarted: .badRequest, .emptyChain: .badRequest, .unsupported: .badRequest,
        .invalidConfiguration: .badRequest, .invalidTLSPolicy: .badRequest,
        .hostNotFound: Explanation(
            "The server was not found.", "Its name is unknown, or the device is offline.",
            "Check your internet connection, and try again."),
        .cannotConnect: Explanation(
            "The server could not be reached.", "It may be down, or the device is offline.",
            "Check your internet connection, and try again."),
        .proxyAuthenticationFailed: Explanation(
            "The server could not be reached.", "The proxy rejects the user name and password.",
            "Check the settings of the proxy, and try again."),
        .connectionLost: Explanation(
            "The connection to the server was lost.", "It was interrupted before the response was complete.",
            "Check your internet connection, and try again."),
        .tlsFailed: Explanation(
            "A secure connection to the server could not be made.",
            "Its identity could not be verified, or it offers no secure connection.",
            "Check the date of the device and the address of the server, or try another network."),
        .invalidResponse: .badResponse, .transportFailed: .failed, .unacceptableContentType: .badResponse,
        .unacceptableShape: .badResponse, .validationFailed: .badResponse, .decodingFailed: .badResponse,
        .digestMismatch: .badResponse,
        .bodyTooLarge: Explanation(
            "The server's response could not be used.", "It is larger than the app allows.", "Contact the developer."
        ),
        .circuitOpen: .notServed, .tooManyRedirects: .misled, .invalidRedirect: .misled,
        .fileFailed: Explanation(
            "A file could not be written.", "Its folder may be missing or protected, or the disk may be full.",
            "Choose another folder or free up space, and try again."),
        .notInCache: Explanation(
            "There is no saved content.", "The app did not contact the server, and has no copy.",
            "Connect to the internet, and try again."),
        .outboxFull: Explanation(
            "Your change could not be saved.", "Too many changes are waiting to be sent.",
            "Connect to the internet, and try again later."),
        .bodyAlreadyRead: .failed, .interceptorFailed: .failed, .hookFailed: .failed, .callbackFailed: .failed,
        .authenticatorFailed: .failed, .loginRequired: .notSignedIn,
    ]

    /// Returns the texts for a rejected status.
    static func of(_ status: HTTPStatus?) -> Explanation {
        switch status?.code {
        case 401: .notSignedIn
        case 403: Explanation("You do not have permission.", "The server does not allow this.", "Ask for permission.")
        case 404, 410:
            Explanation("It was not found.", "The server does not have it, or no longer has it.", "Check the address.")
        case 402, 409, 413, 422:
            Explanation(
                "The server did not accept this.", "Some of the data is not valid.",
                "Check what was entered, and try again.")
        case 408, 429: Explanation("The server is busy.", "It got too many or slow requests.", "Try again later.")
        case .some(500...): .notServed
        default: .refused
        }
    }
}
