/// An absolute `http` or `https` URL, parsed once and always valid (RFC 3986, RFC 9110 §4.2).
///
/// The URL is stored as one string with the offsets of its parts, so a component costs a slice, without parsing again.
/// Two URLs are equal if their strings are. Only the case of scheme and host, the notation of a ``host`` that is an
/// address, and an empty path, which becomes `/`, are normalized, because a server may distinguish `%7e` and `~`.
///
/// Stricter than RFC 3986: a host is neither percent-encoded nor an IPv6 address with a zone, since it ends up in
/// `Host` fields, certificates and connection keys. More lenient: `[` and `]` are allowed in path, query and fragment.
public struct HTTPURL: Sendable {
    /// The whole URL as given, except for normalized scheme, host and empty path.
    public var string: String { self.storage.string }

    /// The host and the effective port, as `host:port` in lower case, which identify the connection.
    public var authority: String { self.storage.authority }

    var layout: Layout { self.storage.layout }

    /// One reference, because URLs pass through many layers.
    private let storage: Storage

    private final class Storage: Sendable {
        let string: String
        let authority: String
        let layout: Layout

        init(_ string: String, _ authority: String, _ layout: Layout) {
            self.string = string
            self.authority = authority
            self.layout = layout
        }
    }

    /// The scheme, `http` or `https`.
    public var scheme: String { self.layout.isSecure ? "https" : "http" }

    /// A Boolean value that indicates whether the scheme is `https`.
    public var isSecure: Bool { self.layout.isSecure }

    /// The host in lower case; including the brackets of an IPv6 address (RFC 3986 §3.2.2).
    ///
    /// An address has its canonical form: `127.0.0.1` also for `127.1`, `0x7f.1` and `2130706433`, and `[::1]` for
    /// `[0:0::0001]`. So an app can recognize addresses in its own network.
    public var host: String { self.text(self.layout.hostStart..<self.layout.hostEnd) }

    /// The port written in the URL, if any.
    public var port: Int? { self.layout.port.map { Int($0) } }

    /// The port to connect to: the one in the URL, or else 80 for `http` and 443 for `https`.
    public var effectivePort: Int { self.port ?? self.layout.defaultPort }

    /// The percent-decoded user name, if the URL has one; left encoded if it would not be UTF-8.
    public var user: String? { self.userInfo?.user }

    /// The percent-decoded password, if the URL has one; left encoded if it would not be UTF-8.
    public var password: String? { self.userInfo?.password }

    /// The path, percent-encoded; it starts with `/`.
    public var path: String { self.text(self.layout.pathStart..<self.layout.tail.pathEnd) }

    /// The query without its `?`, percent-encoded; empty for a bare `?`, and `nil` without one.
    public var query: String? {
        let tail = self.layout.tail
        return tail.queryEnd > tail.pathEnd ? self.text(tail.pathEnd + 1..<tail.queryEnd) : nil
    }

    /// The fragment without its `#`, percent-encoded; it is never sent to a server.
    public var fragment: String? {
        let start = self.layout.tail.queryEnd
        return self.string.utf8.count > start ? self.text(start + 1..<self.string.utf8.count) : nil
    }

    /// The scheme, the host and the port unless it is the default (RFC 9110 §4.3.1), as in `https://host:8443`.
    public var origin: String {
        let (layout, port) = (self.layout, self.effectivePort)
        guard self.hasUserInfo || port != layout.defaultPort else { return self.text(0..<layout.hostEnd) }
        return "\(self.scheme)://\(self.host)" + (port == layout.defaultPort ? "" : ":\(port)")
    }

    /// The path and the query, in the origin form of a request target (RFC 9112 §3.2.1).
    public var requestTarget: String { self.text(self.layout.pathStart..<self.layout.tail.queryEnd) }

    /// The URL for a transport: without user info and fragment, which are not sent.
    package var stringForTransport: String {
        guard self.hasUserInfo || self.fragment != nil else { return self.string }
        return self.text(0..<self.layout.authorityStart) + self.text(self.layout.hostStart..<self.layout.tail.queryEnd)
    }

    /// True if there is a user, possibly with a password, or an empty user info with `@`.
    package var hasUserInfo: Bool { self.layout.hostStart > self.layout.authorityStart }

    /// The URL without user and password.
    package var withoutUserInfo: HTTPURL {
        guard self.hasUserInfo else { return self }
        var layout = self.layout
        layout.removeUserInfo()
        let rest = self.string.utf8Slice(self.layout.hostStart..<self.string.utf8.count)
        return HTTPURL(string: "\(self.scheme)://\(rest)", authority: self.authority, layout: layout)
    }

    private var userInfo: (user: String, password: String?)? {
        guard self.hasUserInfo else { return nil }
        let parts = self.string.utf8Slice(self.layout.authorityStart..<self.layout.hostStart - 1)
            .parts(at: ":", maxSplits: 1, omittingEmpty: false)
            .map { Self.percentDecode(String($0)) ?? String($0) }
        return (parts[0], parts.count > 1 ? parts[1] : nil)
    }

    /// Creates a URL from consistent parts.
    init(string: String, authority: String, layout: Layout) {
        self.storage = Storage(string, authority, layout)
    }

    /// Parses an absolute URL.
    ///
    /// - Complexity: O(*n*) in the length of the text.
    /// - Throws: ``HTTPURLProblem`` with the problem and its position.
    package init(parsing text: String) throws(HTTPURLProblem) {
        var text = text
        let scan = try text.withUTF8Span { bytes throws(HTTPURLProblem) in
            guard let colon = Layout.schemeEnd(bytes) else {
                _ = try Tail(bytes, from: 0)
                throw HTTPURLProblem("a URL starts with http:// or https://")
            }
            let isSecure = try Layout.isSecure(bytes, schemeEnd: colon)
            guard bytes.count > colon + 2, bytes[colon + 1] == UInt8(ascii: "/"), bytes[colon + 2] == UInt8(ascii: "/")
            else { throw HTTPURLProblem("the scheme must be followed by // and a host") }
            return try Layout(bytes, authorityAt: colon + 3, isSecure: isSecure)
        }
        try self.init(text, scan)
    }

    /// Normalizes a parsed text, which may lack its scheme.
    ///
    /// - Throws: ``HTTPURLProblem`` if the host is numeric and not an address.
    init(_ text: String, _ scan: Layout) throws(HTTPURLProblem) {
        let host = try HostAddress.canonical(text.utf8Slice(scan.hostStart..<scan.hostEnd).asciiLowercased())
        let authority = "\(host):\(scan.port.map { Int($0) } ?? scan.defaultPort)"
        var string = scan.isSecure ? "https://" : "http://"
        string.reserveCapacity(text.utf8.count + 8)
        string += text.utf8Slice(scan.authorityStart..<scan.hostStart)
        string += host
        string += text.utf8Slice(scan.hostEnd..<scan.pathStart)
        if scan.tail.pathEnd == scan.pathStart { string += "/" }
        string += text.utf8Slice(scan.pathStart..<text.utf8.count)
        var layout = scan
        layout.move(toAuthorityAt: scan.isSecure ? 8 : 7, hostLength: host.utf8.count)
        self.init(string: string, authority: authority, layout: layout)
    }

    private func text(_ range: Range<Int>) -> String {
        String(self.string.utf8Slice(range))
    }
}

extension HTTPURL: Hashable {
    /// Returns true if two URLs have equal strings.
    public static func == (left: HTTPURL, right: HTTPURL) -> Bool {
        left.string == right.string
    }

    /// Feeds the string to a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.string)
    }
}

extension HTTPURL: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The URL without user and password; see ``string`` for the complete one, and ``redacted`` for logs.
    public var description: String { self.withoutUserInfo.string }

    /// The URL without secrets, also if it is printed as part of another value; see ``redacted``.
    public var debugDescription: String { self.redacted }

    /// A mirror without children, so that reflection does not reveal secrets.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The reason for which a text is not an absolute HTTP URL, or not a reference to one.
package struct HTTPURLProblem: Error, Hashable {
    /// A description of the problem and its position, without the text except one character or a scheme.
    package let message: String

    init(_ message: String) {
        self.message = message
    }

    /// Creates the problem of one invalid byte.
    init(_ bytes: Span<UInt8>, illegalAt index: Int) {
        var start: [UInt8] = []
        for next in index..<min(index + 4, bytes.count) { start.append(bytes[next]) }
        let character = String(decoding: start, as: UTF8.self).unicodeScalars.first.map(\.nameInMessages) ?? "nothing"
        self.init("illegal character \(character) at offset \(index)")
    }
}

extension String {
    /// Returns the text between two offsets in the UTF-8 form, which must be on character boundaries.
    func utf8Slice(_ range: Range<Int>) -> Substring {
        let start = self.utf8.index(self.startIndex, offsetBy: range.lowerBound)
        return Substring(self.utf8[start..<self.utf8.index(start, offsetBy: range.count)])
    }

    /// Calls a function with the UTF-8 form as one span; the string is made contiguous.
    mutating func withUTF8Span<R>(
        _ body: (Span<UInt8>) throws(HTTPURLProblem) -> R
    ) throws(HTTPURLProblem) -> R {
        // The span cannot escape the call: it is not escapable, and `body` gets it only during the call.
        try self.withUTF8 { buffer in
            Result { () throws(HTTPURLProblem) in try unsafe body(buffer.span) }
        }.get()
    }
}
