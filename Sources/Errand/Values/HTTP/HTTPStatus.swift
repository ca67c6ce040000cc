/// The status code of a response (RFC 9110 §15).
public struct HTTPStatus: Sendable, Hashable, RawRepresentable {
    /// The code; any number is possible, and those outside of 100…599 are invalid.
    public let code: Int

    /// The code.
    public var rawValue: Int { self.code }

    /// Creates a status with any code.
    public init(_ code: Int) {
        self.code = code
    }

    /// Creates a status with any code.
    public init(rawValue: Int) {
        self.init(rawValue)
    }

    /// The class of a status, determined by its first digit (RFC 9110 §15).
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// 1xx: the final response follows.
        case informational
        /// 2xx: the request was received, understood and accepted.
        case successful
        /// 3xx: further action is needed.
        case redirection
        /// 4xx: the request is at fault.
        case clientError
        /// 5xx: the server is at fault.
        case serverError
        /// Not a valid status code.
        case invalid
    }

    /// The class of the code.
    public var kind: Kind {
        switch self.code {
        case 100...199: .informational
        case 200...299: .successful
        case 300...399: .redirection
        case 400...499: .clientError
        case 500...599: .serverError
        default: .invalid
        }
    }

    /// The registered reason phrase of the code; empty if there is none.
    public var reasonPhrase: String { Self.reasonPhrases[self.code] ?? "" }
}

extension HTTPStatus {
    /// 100 Continue.
    public static let `continue` = HTTPStatus(rawValue: 100)
    /// 200 OK.
    public static let ok = HTTPStatus(rawValue: 200)
    /// 201 Created.
    public static let created = HTTPStatus(rawValue: 201)
    /// 202 Accepted.
    public static let accepted = HTTPStatus(rawValue: 202)
    /// 204 No Content.
    public static let noContent = HTTPStatus(rawValue: 204)
    /// 206 Partial Content.
    public static let partialContent = HTTPStatus(rawValue: 206)
    /// 301 Moved Permanently.
    public static let movedPermanently = HTTPStatus(rawValue: 301)
    /// 302 Found.
    public static let found = HTTPStatus(rawValue: 302)
    /// 303 See Other.
    public static let seeOther = HTTPStatus(rawValue: 303)
    /// 304 Not Modified.
    public static let notModified = HTTPStatus(rawValue: 304)
    /// 307 Temporary Redirect.
    public static let temporaryRedirect = HTTPStatus(rawValue: 307)
    /// 308 Permanent Redirect.
    public static let permanentRedirect = HTTPStatus(rawValue: 308)
    /// 400 Bad Request.
    public static let badRequest = HTTPStatus(rawValue: 400)
    /// 401 Unauthorized.
    public static let unauthorized = HTTPStatus(rawValue: 401)
    /// 403 Forbidden.
    public static let forbidden = HTTPStatus(rawValue: 403)
    /// 404 Not Found.
    public static let notFound = HTTPStatus(rawValue: 404)
    /// 405 Method Not Allowed.
    public static let methodNotAllowed = HTTPStatus(rawValue: 405)
    /// 408 Request Timeout.
    public static let requestTimeout = HTTPStatus(rawValue: 408)
    /// 409 Conflict.
    public static let conflict = HTTPStatus(rawValue: 409)
    /// 410 Gone.
    public static let gone = HTTPStatus(rawValue: 410)
    /// 412 Precondition Failed.
    public static let preconditionFailed = HTTPStatus(rawValue: 412)
    /// 413 Content Too Large.
    public static let contentTooLarge = HTTPStatus(rawValue: 413)
    /// 416 Range Not Satisfiable.
    public static let rangeNotSatisfiable = HTTPStatus(rawValue: 416)
    /// 422 Unprocessable Content.
    public static let unprocessableContent = HTTPStatus(rawValue: 422)
    /// 429 Too Many Requests.
    public static let tooManyRequests = HTTPStatus(rawValue: 429)
    /// 500 Internal Server Error.
    public static let internalServerError = HTTPStatus(rawValue: 500)
    /// 501 Not Implemented.
    public static let notImplemented = HTTPStatus(rawValue: 501)
    /// 502 Bad Gateway.
    public static let badGateway = HTTPStatus(rawValue: 502)
    /// 503 Service Unavailable.
    public static let serviceUnavailable = HTTPStatus(rawValue: 503)
    /// 504 Gateway Timeout.
    public static let gatewayTimeout = HTTPStatus(rawValue: 504)

    /// RFC 9110 §15, and RFC 6585, 7725, 8297 and 8470.
    private static let reasonPhrases: [Int: String] = [
        100: "Continue", 101: "Switching Protocols", 103: "Early Hints", 200: "OK", 201: "Created", 202: "Accepted",
        203: "Non-Authoritative Information", 204: "No Content", 205: "Reset Content", 206: "Partial Content",
        300: "Multiple Choices", 301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified",
        305: "Use Proxy", 307: "Temporary Redirect", 308: "Permanent Redirect", 400: "Bad Request", 401: "Unauthorized",
        402: "Payment Required", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 406: "Not Acceptable",
        407: "Proxy Authentication Required", 408: "Request Timeout", 409: "Conflict", 410: "Gone",
        411: "Length Required", 412: "Precondition Failed", 413: "Content Too Large", 414: "URI Too Long",
        415: "Unsupported Media Type", 416: "Range Not Satisfiable", 417: "Expectation Failed",
        421: "Misdirected Request", 422: "Unprocessable Content", 425: "Too Early", 426: "Upgrade Required",
        428: "Precondition Required", 429: "Too Many Requests", 431: "Request Header Fields Too Large",
        451: "Unavailable For Legal Reasons", 500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway",
        503: "Service Unavailable", 504: "Gateway Timeout", 505: "HTTP Version Not Supported",
        511: "Network Authentication Required",
    ]
}

extension HTTPStatus: ExpressibleByIntegerLiteral {
    /// Creates a status whose code is the literal.
    public init(integerLiteral value: Int) {
        self.init(rawValue: value)
    }
}

extension HTTPStatus: CustomStringConvertible {
    /// The code and, if there is one, the reason phrase.
    public var description: String {
        self.reasonPhrase.isEmpty ? "\(self.code)" : "\(self.code) \(self.reasonPhrase)"
    }
}
