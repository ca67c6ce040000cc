#if canImport(CErrandCurl)
    /// The head of a response, line by line as libcurl delivers it, kept as bytes.
    ///
    /// libcurl accepts ambiguous messages that a careful client must reject; they are rejected here (RFC 9112 §5,
    /// §6.3).
    struct CurlHead {
        /// The head of the final response, once it is complete.
        private(set) var final: HTTPResponse.Head?
        /// The length of the body in bytes, if it is known and the body is not coded.
        private(set) var bodyLength: Int64?
        /// The content codings to decode, in the order in which they were applied and in lower case.
        private(set) var codings: [String] = []
        /// The `Content-Length` of the body as sent.
        private(set) var contentLength: Int64?

        /// True if content codings are not decoded.
        let leavesCodings: Bool
        /// True if the content ends with the connection (RFC 9112 §6.3).
        private(set) var endsWithConnection = false
        /// The server's keep-alive time less a second of margin; `nil` if it sent no `Keep-Alive` (RFC 2068 §19.7.1.1).
        private(set) var idleLimit: Duration?

        private var bytes: [UInt8] = []
        /// The number of lines of the head so far, or of the trailers.
        private var lineCount = 0

        init(leavesCodings: Bool) {
            self.leavesCodings = leavesCodings
        }

        /// The result of a line.
        enum Progress {
            /// Part of a head, or a trailer.
            case more
            /// A complete interim response.
            case interim(HTTPResponse.Head)
            /// The complete head of the final response.
            case final(HTTPResponse.Head)
        }

        /// Enough for most heads, and small enough for a fast allocation.
        private static let usualSize = 640
        /// The maximum size of a head in bytes.
        static let limit = 256 << 10
        /// The maximum number of lines of a head, since processing time grows with the number of fields.
        static let lineLimit = 5_000

        /// True if no part of a response has been received.
        var isEmpty: Bool { self.final == nil && self.bytes.isEmpty }

        /// The trailer fields; invalid lines are skipped.
        var trailers: HTTPFields { self.final == nil || self.bytes.isEmpty ? [:] : Self.fields(self.bytes, from: 0) }

        /// Takes a line of a head, or after the final head a line of the trailers.
        ///
        /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/invalidResponse``.
        mutating func take(_ line: UnsafeRawBufferPointer) throws(ErrandError) -> Progress {
            if self.final == nil, self.bytes.isEmpty { self.bytes.reserveCapacity(Self.usualSize) }
            guard self.bytes.count + line.count <= Self.limit else {
                throw ErrandError(.invalidResponse, "the head of the response is larger than \(Self.limit) bytes")
            }
            self.lineCount += 1
            guard self.lineCount <= Self.lineLimit else {
                throw ErrandError(.invalidResponse, "the head of the response has more than \(Self.lineLimit) lines")
            }
            unsafe self.bytes.append(contentsOf: line)
            guard let first = unsafe line.first, first == 0x0A || first == 0x0D, self.final == nil else { return .more }
            // libcurl ends a head with such a line, whatever follows its first byte.
            guard unsafe line.count == 1 || line.elementsEqual([0x0D, 0x0A]) else {
                throw ErrandError(.invalidResponse, "the head of the response has an invalid line")
            }
            return try self.complete()
        }

        private mutating func complete() throws(ErrandError) -> Progress {
            self.lineCount = 0
            let (code, end) = try self.statusLine()
            // An interim response (RFC 9110 §15.2), followed by the final one.
            if (100...199).contains(code), code != 101 {
                defer { self.bytes.removeAll(keepingCapacity: true) }
                let fields = Self.fields(self.bytes, from: end)
                return .interim(HTTPResponse.Head(status: HTTPStatus(rawValue: code), headers: fields))
            }
            try self.check(from: end, isPart: code == 206)
            if code == 204 || code == 304 { self.endsWithConnection = false }
            let fields = HTTPFields(RawHTTPFields(self.bytes, from: end))
            let head = HTTPResponse.Head(status: HTTPStatus(rawValue: code), headers: fields)
            self.final = head
            self.bytes = []
            return .final(head)
        }

        /// Parses the fields of informative lines.
        private static func fields(_ bytes: [UInt8], from start: Int) -> HTTPFields {
            HTTPFields(HTTPFieldLines(bytes, from: start).filter(\.hasValidName).map(\.field))
        }

        /// Returns the status code, and the offset after the status line.
        private func statusLine() throws(ErrandError) -> (code: Int, end: Int) {
            let end = self.bytes.firstIndex(of: 0x0A).map { $0 + 1 } ?? self.bytes.count
            let line = self.bytes[..<end]
            guard line.starts(with: "HTTP/".utf8), let space = line.firstIndex(of: 0x20),
                Self.isVersion(line[(line.startIndex + 5)..<space])
            else {
                throw ErrandError(.invalidResponse, "the status line of the response is not HTTP")
            }
            let digits = line[(space + 1)...].prefix { (0x30...0x39).contains($0) }
            guard digits.count == 3 else {
                throw ErrandError(.invalidResponse, "the status line of the response has no three-digit status")
            }
            return (digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }, end)
        }

        /// Returns true if bytes are a version: a digit, or two with a dot between them (RFC 9112 §2.3, RFC 9113 §8.3).
        private static func isVersion(_ bytes: ArraySlice<UInt8>) -> Bool {
            let numbers = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            return numbers.count <= 2
                && numbers.allSatisfy { $0.count == 1 && $0.allSatisfy { (0x30...0x39).contains($0) } }
        }

        private mutating func check(from start: Int, isPart: Bool) throws(ErrandError) {
            var isChunked = false
            for line in HTTPFieldLines(self.bytes, from: start) {
                guard line.hasValidName else {
                    throw ErrandError(.invalidResponse, "the head of the response has an invalid line")
                }
                if line.isNamed("content-length") {
                    try self.takeLength(line.content)
                } else if line.isNamed("content-encoding") {
                    self.codings += Self.names(line.text).filter { $0 != "identity" && $0 != "none" }
                } else if line.isNamed("keep-alive") {
                    self.idleLimit = line.text.keepAliveTimeout.map { .seconds(max(0, $0 - 1)) }
                } else if line.isNamed("transfer-encoding") {
                    isChunked = true
                    // Other codings were not requested (RFC 9110 §10.1.4), and truncation of such a body would be
                    // undetected.
                    guard Self.names(line.text).allSatisfy({ $0 == "chunked" || $0 == "identity" }) else {
                        throw ErrandError(.invalidResponse, "the response has a transfer coding that was not requested")
                    }
                }
            }
            // Coding applies to the whole representation (RFC 9110 §8.4), so a part of it is not decoded.
            if isPart || self.leavesCodings { self.codings = [] }
            if isChunked { self.contentLength = nil }
            self.endsWithConnection = !isChunked && self.contentLength == nil
            self.bodyLength = self.codings.isEmpty ? self.contentLength : nil
        }

        /// Returns the names in a list, in lower case.
        private static func names(_ list: String) -> [String] {
            list.asciiLowercased().parts(at: ",").map { $0.trimmingFieldWhitespace() }.filter { !$0.isEmpty }
        }

        /// Reads a `Content-Length`, which may be repeated with the same value (RFC 9110 §8.6).
        private mutating func takeLength(_ value: ArraySlice<UInt8>) throws(ErrandError) {
            for part in value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
                guard let length = Self.length(part) else {
                    throw ErrandError(.invalidResponse, "the response has an invalid Content-Length")
                }
                guard self.contentLength ?? length == length else {
                    throw ErrandError(.invalidResponse, "the response has different lengths in Content-Length")
                }
                self.contentLength = length
            }
        }

        /// Parses digits with surrounding white space or folding; `nil` if they are invalid, or out of range.
        private static func length(_ text: ArraySlice<UInt8>) -> Int64? {
            let isContent = { (byte: UInt8) in !byte.isFieldWhitespace && byte != 0x0A && byte != 0x0D }
            guard let first = text.firstIndex(where: isContent), let last = text.lastIndex(where: isContent) else {
                return nil
            }
            let digits = text[first...last]
            guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            return Int64(String(decoding: digits, as: UTF8.self))
        }
    }

    extension String {
        /// The number of seconds in a list like `timeout=5, max=100`; `nil` if there is none.
        fileprivate var keepAliveTimeout: Int? {
            for part in self.parts(at: ",") {
                let pair = part.parts(at: "=", maxSplits: 1).map { $0.trimmingFieldWhitespace() }
                guard pair.count == 2, pair[0].asciiLowercased() == "timeout" else { continue }
                return Int(pair[1]).flatMap { (0...Int(Int32.max)).contains($0) ? $0 : nil }
            }
            return nil
        }
    }
#endif
