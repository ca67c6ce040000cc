public import struct Foundation.Data

/// A response message of a loopback server, with correct framing unless a wrong length is declared on purpose.
public struct LoopbackMessage: Sendable, Hashable {
    /// The body and its framing.
    public enum Body: Sendable, Hashable {
        /// The bytes, with their number as `Content-Length`.
        case fixed(Data)
        /// The bytes, with another number as `Content-Length`.
        case declared(Int, sent: Data)
        /// The pieces, each as one chunk of the chunked coding (empty ones are left out), then the trailers.
        case chunked([Data], trailers: LoopbackFields)
    }

    /// The status code.
    public var status: Int
    /// The header fields; framing fields given here replace those derived from the body.
    public var headers: LoopbackFields
    /// The body.
    public var body: Body

    /// Creates a message from its parts.
    public init(status: Int = 200, headers: LoopbackFields = [:], body: Body = .fixed(Data())) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Returns the pieces to send; small messages make one piece.
    ///
    /// - Parameters:
    ///   - isForHead: True if the request's method is HEAD, to which replies have no body.
    ///   - connection: The value for a `Connection` field, if one is needed and `headers` has none.
    /// - Returns: The non-empty pieces, in order.
    func pieces(isForHead: Bool, connection: String?) -> [Data] {
        var head = "HTTP/1.1 \(status) \(Self.reason(for: status))\r\n"
        for field in headers { head += "\(field.name): \(field.value)\r\n" }
        if headers["Content-Length"] == nil, headers["Transfer-Encoding"] == nil { head += framingField }
        if let connection, headers["Connection"] == nil { head += "Connection: \(connection)\r\n" }
        head += "\r\n"
        return Self.joined(head: Array(head.utf8), body: isForHead || hasNoBody ? [] : bodyPieces)
    }
}

// MARK: - Private helpers

extension LoopbackMessage {
    private static let largePiece = 16 * 1024

    private var hasNoBody: Bool { (100..<200).contains(status) || status == 204 || status == 304 }

    private var framingField: String {
        guard !hasNoBody else { return "" }
        return switch body {
        case .fixed(let data): "Content-Length: \(data.count)\r\n"
        case .declared(let size, _): "Content-Length: \(size)\r\n"
        case .chunked: "Transfer-Encoding: chunked\r\n"
        }
    }

    private var bodyPieces: [Data] {
        switch body {
        case .fixed(let data), .declared(_, let data): return [data]
        case .chunked(let chunks, let trailers):
            var pieces: [Data] = []
            for chunk in chunks where !chunk.isEmpty {
                pieces.append(Data("\(String(chunk.count, radix: 16))\r\n".utf8))
                pieces.append(chunk)
                pieces.append(Data("\r\n".utf8))
            }
            let lines = trailers.map { "\($0.name): \($0.value)\r\n" }.joined()
            pieces.append(Data("0\r\n\(lines)\r\n".utf8))
            return pieces
        }
    }

    /// Joins small pieces, so that only large ones are sent separately, without copying them.
    private static func joined(head: [UInt8], body: [Data]) -> [Data] {
        var joined: [Data] = []
        var open = head
        for piece in body {
            if piece.count < largePiece, open.count < largePiece {
                open.append(contentsOf: piece)
            } else {
                joined.append(Data(open))
                open = piece.count < largePiece ? Array(piece) : []
                if piece.count >= largePiece { joined.append(piece) }
            }
        }
        joined.append(Data(open))
        return joined.filter { !$0.isEmpty }
    }

    private static func reason(for status: Int) -> String {
        switch status {
        case 100: "Continue"
        case 104: "Upload Resumption Supported"
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 206: "Partial Content"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 303: "See Other"
        case 304: "Not Modified"
        case 307: "Temporary Redirect"
        case 308: "Permanent Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 416: "Range Not Satisfiable"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 505: "HTTP Version Not Supported"
        default: "Status \(status)"
        }
    }
}
