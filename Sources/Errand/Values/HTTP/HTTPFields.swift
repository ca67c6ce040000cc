/// A field of a message: a name and a value (RFC 9110 §5).
public struct HTTPField: Sendable {
    /// The name as written; names are case-insensitive.
    public let name: String

    /// The value, without surrounding spaces and tabs (RFC 9110 §5.5).
    ///
    /// It is UTF-8 on the wire. An octet of a response that is not UTF-8 becomes the private-use character U+10FE00
    /// plus its value (U+10FEE9 for E9), and is sent as that octet again, for example in a cookie.
    public let value: String

    /// Creates a field; surrounding spaces and tabs of the value are dropped.
    public init(name: String, value: String) {
        self.name = name
        self.value = value.trimmingFieldWhitespace()
    }
}

/// The header or trailer fields of a message, in order and including repeated fields (RFC 9110 §5).
///
/// Names are compared ignoring ASCII case, and keep their case. Fields are not checked when they are added; they are
/// validated before a request is sent, so that a value with a line break is never sent.
///
/// Lookups are linear and allocate only to join repeated fields; an empty list allocates no memory.
public struct HTTPFields: Sendable {
    private var list: [HTTPField] = []
    /// The raw fields of a received message, used until the first change.
    private var raw: RawHTTPFields?

    private var fields: [HTTPField] { self.raw?.fields ?? self.list }

    /// Creates an empty list.
    public init() {}

    /// Creates a list of fields, including repeated fields.
    public init(_ fields: some Sequence<HTTPField>) {
        self.list = Array(fields)
    }

    /// Creates a list from raw fields, which are parsed on demand.
    package init(_ raw: RawHTTPFields) {
        self.raw = raw
    }

    /// Parses the raw fields, so that the list can be changed.
    private mutating func takeApart() {
        guard let raw = self.raw.take() else { return }
        self.list = raw.fields
    }

    // MARK: - Reading

    /// The value of a field, or `nil` without one; setting it replaces all fields of the name, and `nil` removes them.
    ///
    /// Repeated fields are read as one value joined by `, ` (RFC 9110 §5.3), except `Set-Cookie`, whose values cannot
    /// be joined: it returns the first. Equal lines of a field that is not a list, such as `Retry-After`, are read as
    /// one. A new value takes the position of the first field of its name.
    public subscript(name: String) -> String? {
        get {
            guard let first = self.fields.firstIndex(where: { $0.isNamed(name) }) else { return nil }
            let value = self.fields[first].value
            let rest = self.fields[(first + 1)...]
            guard rest.contains(where: { $0.isNamed(name) }),
                !name.isEqualIgnoringASCIICase(to: HTTPField.Name.setCookie)
            else { return value }
            let isOne = Self.singles.contains(name.asciiLowercased())
            if isOne, rest.allSatisfy({ !$0.isNamed(name) || $0.value.isExactly(value) }) { return value }
            return rest.reduce(into: value) { if $1.isNamed(name) { $0 += ", \($1.value)" } }
        }
        set {
            guard let newValue else { return self.removeAll(named: name) }
            self.takeApart()
            let field = HTTPField(name: name, value: newValue)
            guard let first = self.list.firstIndex(where: { $0.isNamed(name) }) else {
                return self.list.append(field)
            }
            self.list[first] = field
            guard self.list[(first + 1)...].contains(where: { $0.isNamed(name) }) else { return }
            self.list = self.list.enumerated().filter { $0 <= first || !$1.isNamed(name) }.map(\.element)
        }
    }

    /// Single-valued fields, in lower case: repeated equal lines are read as one.
    private static let singles: Set<String> = [
        "age", "content-disposition", "content-length", "content-location", "content-range", "content-type", "date",
        "etag", "last-modified", "location", "retry-after", "upload-complete", "upload-incomplete", "upload-length",
        "upload-offset",
    ]

    /// Returns the value of each field of a name, in order and not joined.
    public func values(for name: String) -> [String] {
        self.fields.lazy.filter { $0.isNamed(name) }.map(\.value)
    }

    /// Returns true if there is a field with a name.
    public func contains(_ name: String) -> Bool {
        self.fields.contains { $0.isNamed(name) }
    }

    /// Returns true if another list is written identically: equal fields with names in the same case.
    package func isWritten(like other: HTTPFields) -> Bool {
        if self.isIdentical(to: other) { return true }
        let (fields, others) = (self.fields, other.fields)
        return fields.count == others.count
            && zip(fields, others).allSatisfy { $0.name.isExactly($1.name) && $0.value.isExactly($1.value) }
    }

    /// Returns the fields selected by their names in lower case, sorted by name; the order of fields with the same name
    /// is kept, because it is significant (RFC 9110 §5.3).
    func byName(where isChosen: (String) -> Bool) -> [HTTPField] {
        var chosen: [HTTPField] = []
        for field in self {
            let name = field.name.asciiLowercased()
            if isChosen(name) { chosen.append(HTTPField(name: name, value: field.value)) }
        }
        guard chosen.count > 1 else { return chosen }
        return chosen.enumerated().sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }.map(\.element)
    }

    // MARK: - Changing

    /// Appends a field, whether or not there is one with its name.
    public mutating func append(name: String, value: String) {
        self.takeApart()
        self.list.append(HTTPField(name: name, value: value))
    }

    /// Removes each field of a name.
    public mutating func removeAll(named name: String) {
        self.takeApart()
        self.list.removeAll { $0.isNamed(name) }
    }

    /// Reserves capacity for a number of fields.
    public mutating func reserveCapacity(_ count: Int) {
        self.takeApart()
        self.list.reserveCapacity(count)
    }

    /// Appends the fields of another list.
    ///
    /// - Parameters:
    ///   - other: The fields to append, including repeated fields.
    ///   - replacing: Pass true to replace fields with the same name, false to keep them.
    /// - Complexity: O(*n* + *m*).
    public mutating func merge(_ other: HTTPFields, replacing: Bool = true) {
        self.takeApart()
        if replacing, !self.isEmpty { self.removeAll(namedIn: other) }
        self.list.append(contentsOf: other.fields)
    }

    private mutating func removeAll(namedIn other: HTTPFields) {
        // There are usually few fields, and then searching is faster than hashing.
        guard other.count > 16 else { return self.list.removeAll { other.contains($0.name) } }
        let names = Set(other.fields.map { $0.name.asciiLowercased() })
        self.list.removeAll { names.contains($0.name.asciiLowercased()) }
    }

    // MARK: - Checking

    /// Checks that names are tokens (RFC 9110 §5.6.2) and that no value contains a control character except tab.
    ///
    /// - Throws: ``HTTPFieldsProblem`` for the first invalid field; it never contains a value.
    package func validate() throws(HTTPFieldsProblem) {
        for field in self.fields {
            if field.name.isEmpty { throw HTTPFieldsProblem(message: "a field has an empty name") }
            if let scalar = field.name.unicodeScalars.first(where: { !$0.isHTTPToken }) {
                let name = field.name.unicodeScalars.map { $0.isHTTPToken ? String($0) : "?" }.joined()
                throw HTTPFieldsProblem(
                    message: "the name of the field \(name) contains the illegal character \(scalar.nameInMessages)")
            }
            if let scalar = field.value.unicodeScalars.first(where: { $0 != "\t" && ($0 < " " || $0 == "\u{7F}") }) {
                throw HTTPFieldsProblem(
                    message: "the value of the field \(field.name) contains the illegal character "
                        + scalar.nameInMessages)
            }
        }
    }
}

/// The reason for which fields are invalid.
package struct HTTPFieldsProblem: Error, Hashable {
    /// A description of the field and the character.
    package let message: String
}

extension HTTPFields {
    /// Returns true if it is the same list in memory as another one, which equal lists need not be.
    func isIdentical(to other: HTTPFields) -> Bool {
        guard self.raw == nil, other.raw == nil else { return false }
        // Only addresses are compared, without access to memory. The span of an array needs a later macOS.
        return unsafe self.list.withUnsafeBufferPointer { one in
            unsafe other.list.withUnsafeBufferPointer { other in
                unsafe one.baseAddress == other.baseAddress && one.count == other.count
            }
        }
    }
}

// MARK: - Conformances

extension HTTPFields: Hashable {
    /// Returns true if two lists have the same fields in the same order.
    public static func == (left: HTTPFields, right: HTTPFields) -> Bool {
        left.fields == right.fields
    }

    /// Feeds the fields to a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.fields)
    }
}

extension HTTPFields: RandomAccessCollection {
    /// The position of the first field.
    public var startIndex: Int { 0 }

    /// The position after the last field.
    public var endIndex: Int { self.fields.count }

    /// The field at a position.
    public subscript(position: Int) -> HTTPField { self.fields[position] }
}

extension HTTPFields: ExpressibleByDictionaryLiteral {
    /// Creates a list from a literal; names may be repeated.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.list = elements.map { HTTPField(name: $0, value: $1) }
    }
}

extension HTTPField: Hashable {
    /// Returns true if two fields have equal values, octet by octet, and names that are equal ignoring case.
    public static func == (left: HTTPField, right: HTTPField) -> Bool {
        left.isNamed(right.name) && left.value.isExactly(right.value)
    }

    /// Feeds the name in lower case and the value to a hasher.
    public func hash(into hasher: inout Hasher) {
        for byte in self.name.utf8 { hasher.combine(byte.asciiLowercase) }
        hasher.combine(ExactText(self.value))
    }

    /// Returns true if the field has a name, ignoring case (RFC 9110 §5.1).
    func isNamed(_ name: String) -> Bool {
        self.name.isEqualIgnoringASCIICase(to: name)
    }
}

// MARK: - Characters

extension String {
    /// Returns true if two texts are equal ignoring ASCII case; does not allocate.
    func isEqualIgnoringASCIICase(to other: String) -> Bool {
        guard self.utf8.count == other.utf8.count else { return false }
        var others = other.utf8.makeIterator()
        for byte in self.utf8 {
            guard let other = others.next(), byte == other || byte.asciiLowercase == other.asciiLowercase
            else { return false }
        }
        return true
    }

    /// True for a token: not empty, and made of the characters in RFC 9110 §5.6.2.
    var isHTTPToken: Bool {
        !self.isEmpty && self.utf8.allSatisfy(\.isHTTPToken)
    }

    /// Returns the text without surrounding spaces and tabs; the text itself if there are none.
    func trimmingFieldWhitespace() -> String {
        guard let first = self.utf8.first, let last = self.utf8.last,
            first.isFieldWhitespace || last.isFieldWhitespace
        else { return self }
        guard let start = self.utf8.firstIndex(where: { !$0.isFieldWhitespace }),
            let end = self.utf8.lastIndex(where: { !$0.isFieldWhitespace })
        else { return "" }
        return String(Substring(self.utf8[start...end]))
    }
}

extension UInt8 {
    /// True for a byte allowed in a token (RFC 9110 §5.6.2).
    var isHTTPToken: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "#")...UInt8(ascii: "'"),
            UInt8(ascii: "^")...UInt8(ascii: "`"), UInt8(ascii: "!"), UInt8(ascii: "*"), UInt8(ascii: "+"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default:
            false
        }
    }

    /// True for a space or a tab.
    var isFieldWhitespace: Bool { self == 0x20 || self == 0x09 }

    /// The byte in ASCII lower case.
    var asciiLowercase: UInt8 {
        UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self ? self | 0x20 : self
    }
}

extension Unicode.Scalar {
    /// True for a character allowed in a token (RFC 9110 §5.6.2).
    var isHTTPToken: Bool { self.isASCII && UInt8(truncatingIfNeeded: self.value).isHTTPToken }

    /// The character in messages: the character itself if it is visible, and its code point.
    var nameInMessages: String {
        let digits = String(self.value, radix: 16, uppercase: true)
        let point = "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        return self > " " && self < "\u{7F}" ? "\"\(self)\" (\(point))" : point
    }
}

extension HTTPField {
    /// The names of common fields, in their usual case.
    public enum Name {
        /// The media types a client accepts (RFC 9110 §12.5.1).
        public static let accept = "Accept"
        /// The content codings a client accepts (RFC 9110 §12.5.3).
        public static let acceptEncoding = "Accept-Encoding"
        /// The languages a client prefers (RFC 9110 §12.5.4).
        public static let acceptLanguage = "Accept-Language"
        /// The media types that a resource accepts with `QUERY` (RFC 10008 §3).
        public static let acceptQuery = "Accept-Query"
        /// The range units that a server supports (RFC 9110 §14.3).
        public static let acceptRanges = "Accept-Ranges"
        /// The time that a response has been in caches (RFC 9111 §5.1).
        public static let age = "Age"
        /// The credentials of a client (RFC 9110 §11.6.2).
        public static let authorization = "Authorization"
        /// Directives for caches (RFC 9111 §5.2).
        public static let cacheControl = "Cache-Control"
        /// Options of this connection (RFC 9110 §7.6.1).
        public static let connection = "Connection"
        /// The presentation or file name of content (RFC 6266).
        public static let contentDisposition = "Content-Disposition"
        /// The codings of content (RFC 9110 §8.4).
        public static let contentEncoding = "Content-Encoding"
        /// The length of content in bytes (RFC 9110 §8.6).
        public static let contentLength = "Content-Length"
        /// The range of the content within the representation (RFC 9110 §14.4).
        public static let contentRange = "Content-Range"
        /// The media type of content (RFC 9110 §8.3).
        public static let contentType = "Content-Type"
        /// The cookies that a client sends (RFC 6265 §5.4).
        public static let cookie = "Cookie"
        /// The time at which a message was created (RFC 9110 §6.6.1).
        public static let date = "Date"
        /// The entity tag of a representation (RFC 9110 §8.8.3).
        public static let etag = "ETag"
        /// An expectation of a client before it sends a body (RFC 9110 §10.1.1).
        public static let expect = "Expect"
        /// The time at which a response becomes stale (RFC 9111 §5.3).
        public static let expires = "Expires"
        /// The host and port of a request (RFC 9110 §7.2).
        public static let host = "Host"
        /// The key by which a repeated request is processed only once (draft-ietf-httpapi-idempotency-key-header).
        public static let idempotencyKey = "Idempotency-Key"
        /// The condition that the tag is current (RFC 9110 §13.1.1).
        public static let ifMatch = "If-Match"
        /// The condition that the content is newer (RFC 9110 §13.1.3).
        public static let ifModifiedSince = "If-Modified-Since"
        /// The condition that the tag is not current (RFC 9110 §13.1.2).
        public static let ifNoneMatch = "If-None-Match"
        /// The condition that the representation has not changed, for a range (RFC 9110 §13.1.5).
        public static let ifRange = "If-Range"
        /// The time at which a representation was last changed (RFC 9110 §8.8.2).
        public static let lastModified = "Last-Modified"
        /// The target of a redirect (RFC 9110 §10.2.2).
        public static let location = "Location"
        /// The predecessor of `Cache-Control` (RFC 9111 §5.4).
        public static let pragma = "Pragma"
        /// The ranges that a client requests (RFC 9110 §14.2).
        public static let range = "Range"
        /// Digests of the whole representation, also for a range (RFC 9530 §3).
        public static let reprDigest = "Repr-Digest"
        /// The delay before the next attempt (RFC 9110 §10.2.3).
        public static let retryAfter = "Retry-After"
        /// A cookie that a server sets; never joined with others (RFC 6265 §4.1).
        public static let setCookie = "Set-Cookie"
        /// The position of a request in a distributed trace (W3C Trace Context §3.2).
        public static let traceparent = "traceparent"
        /// Vendor-specific data of a distributed trace (W3C Trace Context §3.3).
        public static let tracestate = "tracestate"
        /// The codings of a message in transit (RFC 9112 §6.1).
        public static let transferEncoding = "Transfer-Encoding"
        /// The software of a client (RFC 9110 §10.1.5).
        public static let userAgent = "User-Agent"
        /// The request fields that a response depends on (RFC 9110 §12.5.5).
        public static let vary = "Vary"
        /// The challenge of a server (RFC 9110 §11.6.1).
        public static let wwwAuthenticate = "WWW-Authenticate"
    }
}
