internal import Errand

public import struct Foundation.Data

extension LoopbackReply {
    /// Responds with the range of a body that a request asks for, as file servers do (RFC 9110 §14).
    ///
    /// The reply has the whole body if the request has no range, one in another unit or of several parts, or an
    /// `If-Range` of another representation.
    ///
    /// - Parameters:
    ///   - body: The whole body.
    ///   - request: The request.
    ///   - tag: The entity tag of the body, with its quotes.
    ///   - count: The number of bytes after which the connection is closed; `nil` to send all bytes.
    ///   - headers: Additional fields.
    /// - Returns: A reply with the status 200, 206 or 416.
    public static func range(
        of body: Data, for request: LoopbackRequest, tag: String = "\"1\"", cutAfter count: Int? = nil,
        headers: LoopbackFields = [:]
    ) -> LoopbackReply {
        var headers = headers
        headers.append("ETag", tag)
        headers.append("Accept-Ranges", "bytes")
        let isCurrent = request.headers["If-Range"].map { $0 == tag } ?? true
        guard isCurrent, let bounds = request.headers["Range"].flatMap(Bounds.init) else {
            return self.part(body, of: 0..<body.count, status: 200, headers, count)
        }
        guard let range = bounds.range(in: body.count) else {
            headers.append("Content-Range", "bytes */\(body.count)")
            return .status(.rangeNotSatisfiable, headers: headers)
        }
        headers.append("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(body.count)")
        return self.part(body, of: range, status: 206, headers, count)
    }

    private static func part(
        _ body: Data, of range: Range<Int>, status: HTTPStatus, _ headers: LoopbackFields, _ count: Int?
    ) -> LoopbackReply {
        var headers = headers
        if headers["Content-Type"] == nil { headers.append("Content-Type", "application/octet-stream") }
        let bytes = Data(body.dropFirst(range.lowerBound).prefix(range.count))
        guard let count, count < bytes.count else { return .data(bytes, status: status, headers: headers) }
        let message = LoopbackMessage(
            status: status.code, headers: headers, body: .declared(bytes.count, sent: bytes.prefix(max(0, count))))
        return LoopbackReply(.message(message), .close)
    }

    /// One range of bytes, as requested.
    private struct Bounds {
        private let first: Int?
        private let last: Int?

        init?(_ field: String) {
            guard field.hasPrefix("bytes=") else { return nil }
            let bounds = field.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
            guard bounds.count == 2, !field.contains(",") else { return nil }
            (self.first, self.last) = (Int(bounds[0]), Int(bounds[1]))
            guard self.first != nil || self.last != nil else { return nil }
        }

        func range(in count: Int) -> Range<Int>? {
            guard let first else { return self.last.map { max(0, count - $0)..<count } }
            let end = min(self.last ?? .max, count - 1) + 1
            return first < end ? first..<end : nil
        }
    }
}
