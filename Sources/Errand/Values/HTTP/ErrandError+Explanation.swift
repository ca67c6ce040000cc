public import protocol Foundation.LocalizedError

/// Explanations for people who use an app, in plain English and without names of types: what happened, why, and what to do.
extension ErrandError: LocalizedError {
    /// The error in one sentence for a person who uses the app.
    public var errorDescription: String? { self.appError?.errorDescription ?? self.explanation.what }

    /// Why that may be, in one sentence for a person who uses the app.
    public var failureReason: String? { self.appError?.failureReason ?? self.explanation.why }

    /// Advice for such a person, in one sentence.
    public var recoverySuggestion: String? { self.appError?.recoverySuggestion ?? self.explanation.advice }

    /// What code of the app threw, if it has words of its own.
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
    /// Whether the network was in the way: the host was not found or not reached, or the connection broke.
    ///
    /// Usually the device is offline, or the server is down. Trying later may help.
    public var isConnectivity: Bool {
        [.hostNotFound, .cannotConnect, .connectionLost].contains(self.code)
    }

    /// Whether the server has certainly not processed the request, so that it may be sent again whatever its method is.
    ///
    /// It was not reached, or it said so (RFC 9113 §8.7), or not a byte has left this machine. False where the request may
    /// have been processed, as after most errors: then only an idempotent one may be sent again (RFC 9110 §9.2.2).
    public var isUnprocessed: Bool {
        [.hostNotFound, .cannotConnect].contains(self.code) || self.context.isUnprocessed
    }

    /// Whether a deadline passed; the message says which one.
    public var isTimeout: Bool { self.code == .timedOut }

    /// Whether somebody wanted it to end: nobody needs to be told.
    public var isCancellation: Bool { self.code == .cancelled }

    /// Whether the server refused what was asked, with a status of 400 to 499 (RFC 9110 §15.5).
    public var isClientError: Bool { self.isRefusal(400..<500) }

    /// Whether the server failed, with a status of 500 to 599 (RFC 9110 §15.6).
    public var isServerError: Bool { self.isRefusal(500..<600) }

    private func isRefusal(_ codes: Range<Int>) -> Bool {
        self.code == .unacceptableStatus && self.context.status.map { codes.contains($0.code) } == true
    }
}

// MARK: - Words

/// Words for a person who uses an app.
private struct Explanation {
    let what: String
    let why: String
    let advice: String

    init(_ what: String, _ why: String, _ advice: String) {
        (self.what, self.why, self.advice) = (what, why, advice)
    }

    private static let badRequest = Explanation(
        "The request could not be sent.", "The app made a request that is not possible.",
        "Update the app, or tell its makers.")
    static let badResponse = Explanation(
        "The server's answer could not be used.", "It is not what the app expects.",
        "Try again later, or update the app.")
    private static let notSignedIn = Explanation(
        "You are not signed in.", "The server wants to know who you are.", "Sign in, and try again.")
    private static let failed = Explanation(
        "The request could not be completed.", "The app failed while it worked on the request.",
        "Try again, or tell its makers.")
    private static let refused = Explanation(
        "The server refused the request.", "It does not do what the app asked for.",
        "Update the app, or tell its makers.")
    private static let notServed = Explanation(
        "The server could not answer.", "It has a problem, or too much to do.", "Try again later.")
    private static let misled = Explanation(
        "The server could not be reached.", "It sent the app somewhere that it does not go.", "Try again later.")

    static let byCode: [ErrandError.Code: Explanation] = [
        .cancelled: Explanation(
            "The request was cancelled.", "It was stopped before it had an answer.", "Start it again if you need it."),
        .timedOut: Explanation(
            "The request took too long.", "There was no answer in time.",
            "Check your internet connection, and try again."),
        .clientShutDown: Explanation(
            "The request could not be sent.", "The app has stopped talking to the server.", "Open the app again."),
        .invalidURL: .badRequest, .invalidRequest: .badRequest,
        .encodingFailed: Explanation(
            "The request could not be sent.", "What it was to send could not be read, or not be put into it.",
            "Check that what you want to send is still there, or tell the makers of the app."),
        .alreadyStarted: .badRequest, .emptyChain: .badRequest, .unsupported: .badRequest,
        .invalidConfiguration: .badRequest, .invalidTLSPolicy: .badRequest,
        .hostNotFound: Explanation(
            "The server was not found.", "Its name is not known, or the device is offline.",
            "Check your internet connection, and try again."),
        .cannotConnect: Explanation(
            "The server could not be reached.", "It may be down, or the device is offline.",
            "Check your internet connection, and try again."),
        .proxyAuthenticationFailed: Explanation(
            "The server could not be reached.", "The proxy on the way to it does not accept the user and the password.",
            "Check the settings of the proxy, and try again."),
        .connectionLost: Explanation(
            "The connection to the server was lost.", "It broke before the answer was complete.",
            "Check your internet connection, and try again."),
        .tlsFailed: Explanation(
            "A secure connection to the server could not be made.",
            "It could not prove who it is, or offers no secure connection there.",
            "Check the date of the device and the address of the server, or try another network."),
        .invalidResponse: .badResponse, .transportFailed: .failed, .unacceptableContentType: .badResponse,
        .unacceptableShape: .badResponse, .validationFailed: .badResponse, .decodingFailed: .badResponse,
        .digestMismatch: .badResponse,
        .bodyTooLarge: Explanation(
            "The server's answer could not be used.", "It is larger than the app allows.", "Tell the makers of the app."
        ),
        .circuitOpen: .notServed, .tooManyRedirects: .misled, .invalidRedirect: .misled,
        .fileFailed: Explanation(
            "A file could not be written.", "Its folder may be missing or closed to the app, or there is no room left.",
            "Choose another place or make room on the device, and try again."),
        .notInCache: Explanation(
            "There is nothing stored to show.", "The server was not to be asked, and no answer is kept.",
            "Connect to the internet, and try again."),
        .outboxFull: Explanation(
            "What you did could not be kept.", "Too much is waiting to be sent.",
            "Connect to the internet, and try again later."),
        .bodyAlreadyRead: .failed, .interceptorFailed: .failed, .hookFailed: .failed, .callbackFailed: .failed,
        .authenticatorFailed: .failed, .loginRequired: .notSignedIn,
    ]

    /// The words for a status that was not accepted.
    static func of(_ status: HTTPStatus?) -> Explanation {
        switch status?.code {
        case 401: .notSignedIn
        case 403: Explanation("You may not do this.", "The server does not allow it.", "Ask somebody who may.")
        case 404, 410:
            Explanation("It was not found.", "The server does not have it, or not any more.", "Look elsewhere.")
        case 402, 409, 413, 422:
            Explanation(
                "The server did not accept this.", "Something in what was sent does not fit.",
                "Check what was entered, and try again.")
        case 408, 429: Explanation("The server is busy.", "It was asked too often, or too slowly.", "Try again later.")
        case .some(500...): .notServed
        default: .refused
        }
    }
}
