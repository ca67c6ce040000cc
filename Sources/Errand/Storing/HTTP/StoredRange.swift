internal import struct Foundation.Data

/// A single byte range of a request, served from a complete cached response (RFC 9110 §14.2).
struct StoredRange: Sendable, Hashable {
    private let first: Int?
    private let last: Int?

    /// Parses a `Range` field; `nil` unless it is a single byte range.
    init?(_ value: String) {
        let parts = value.parts(at: "=", maxSplits: 1, omittingEmpty: false)
        guard parts.count == 2, parts[0].asciiLowercased() == "bytes" else { return nil }
        let bounds = String(parts[1]).trimmingFieldWhitespace()
            .parts(at: "-", maxSplits: 1, omittingEmpty: false)
        guard bounds.count == 2, let first = Self.number(bounds[0]), let last = Self.number(bounds[1]),
            first != nil || last != nil, last.map({ $0 >= first ?? 0 }) ?? true
        else { return nil }
        (self.first, self.last) = (first, last)
    }

    /// Returns a number, `.some(nil)` if there are no digits, or `nil` if the text is invalid.
    private static func number(_ digits: String) -> Int?? {
        guard !digits.isEmpty else { return .some(nil) }
        guard digits.utf8.allSatisfy(\.isASCIIDigit), let number = Int(digits) else { return nil }
        return .some(number)
    }

    /// The bytes of the range within content of the given size; `nil` if there are none.
    func bounds(in count: Int) -> Range<Int>? {
        guard let first else { return self.last.flatMap { $0 > 0 && count > 0 ? max(0, count - $0)..<count : nil } }
        return first < count ? first..<(min(count - 1, self.last ?? .max) + 1) : nil
    }
}

extension HTTPResponse {
    /// Returns the requested part of this complete response, or all of it if no range applies; `nil` if only the server
    /// can answer.
    func answering(_ request: HTTPFields) -> HTTPResponse? {
        guard let value = request[HTTPField.Name.range] else { return self }
        // Only if the caller has a part of this response (RFC 9110 §13.1.5).
        if let part = request[HTTPField.Name.ifRange], BodyValidator(self.head)?.ifRange.isExactly(part) != true {
            return self
        }
        // Ranges refer to the encoded content, but the stored content may be decoded.
        guard self.status == .ok, !self.headers.contains(HTTPField.Name.contentEncoding),
            let bounds = StoredRange(value)?.bounds(in: self.data.count)
        else { return nil }
        var part = HTTPResponse(
            head: self.head, body: .bytes(Data(self.data.dropFirst(bounds.lowerBound).prefix(bounds.count))))
        part.head.status = .partialContent
        part.head.headers[HTTPField.Name.contentRange] =
            "bytes \(bounds.lowerBound)-\(bounds.upperBound - 1)/\(self.data.count)"
        part.head.headers[HTTPField.Name.contentLength] = "\(bounds.count)"
        return part
    }
}
