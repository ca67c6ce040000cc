/// An absolute `http` or `https` URL, parsed once and always valid (RFC 3986, RFC 9110 §4.2).
///
/// The URL is one string and the offsets of its parts, so that a component costs a slice and nothing is parsed twice.
/// Two URLs are equal if their strings are: apart from the case of scheme and host, the spelling of a ``host`` that is an
/// address, and an empty path, which becomes `/`, nothing is normalised, because a server may tell `%7e` from `~`.
///
/// Stricter than RFC 3986: a host is neither percent-encoded nor an IPv6 address with a zone, since it ends up in
/// `Host` fields, certificates and connection keys. More lenient: `[` and `]` may stand in path, query and fragment.
public struct HTTPURL: Sendable {
    /// The whole URL, as it was given but for scheme and host, and a path that was empty.
    public var string: String { self.storage.string }

    /// The host and the effective port, as `host:port` in lower case: what a connection goes to.
    public var authority: String { self.storage.authority }

    var layout: Layout { self.storage.layout }

    /// Requests pass URLs through many hands: one pointer makes that cheap.
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

    /// Whether the scheme is `https`.
    public var isSecure: Bool { self.layout.isSecure }

    /// The host in lower case; the brackets of an IPv6 address belong to it (RFC 3986 §3.2.2).
    ///
    /// An address is spelt as the one that is reached: `127.0.0.1` for `127.1`, `0x7f.1` and `2130706433` as well, and
    /// `[::1]` for `[0:0::0001]`. So an app sees what is in its own network.
    public var host: String { self.text(self.layout.hostStart..<self.layout.hostEnd) }

    /// The port written in the URL, if any.
    public var port: Int? { self.layout.port.map { Int($0) } }

    /// The port to connect to: the one written, or else 80 for `http` and 443 for `https`.
    public var effectivePort: Int { self.port ?? self.layout.defaultPort }

    /// The percent-decoded user name, if the URL has one; left encoded if it would not be UTF-8.
    public var user: String? { self.userInfo?.user }

    /// The percent-decoded password, if the URL has one; left encoded if it would not be UTF-8.
    public var password: String? { self.userInfo?.password }

    /// The path, percent-encoded; it starts with `/`.
    public var path: String { self.text(self.layout.pathStart..<self.layout.tail.pathEnd) }

    /// The query without its `?`, percent-encoded; empty for a bare `?`, `nil` without one.
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

    /// The path and the query, in the form a request to an origin server names them (RFC 9112 §3.2.1).
    public var requestTarget: String { self.text(self.layout.pathStart..<self.layout.tail.queryEnd) }

    /// The URL as a transport is told it: without user information and fragment, which are not for the server.
    package var stringForTransport: String {
        guard self.hasUserInfo || self.fragment != nil else { return self.string }
        return self.text(0..<self.layout.authorityStart) + self.text(self.layout.hostStart..<self.layout.tail.queryEnd)
    }

    /// Whether there is something before the host: a user, perhaps with a password, or an `@` alone.
    package var hasUserInfo: Bool { self.layout.hostStart > self.layout.authorityStart }

    /// The same URL without user and password.
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

    /// Joins parts that are known to fit each other.
    init(string: String, authority: String, layout: Layout) {
        self.storage = Storage(string, authority, layout)
    }

    /// Reads an absolute URL.
    ///
    /// - Complexity: O(*n*) in the length of the text.
    /// - Throws: ``HTTPURLProblem`` that says what is wrong with the text, and where.
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

    /// Brings a scanned text, which may lack its scheme, into the form that is kept.
    ///
    /// - Throws: ``HTTPURLProblem`` if the host is made of numbers and is no address.
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
    /// Tells whether two URLs are spelt the same.
    public static func == (left: HTTPURL, right: HTTPURL) -> Bool {
        left.string == right.string
    }

    /// Feeds the string to a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.string)
    }
}

extension HTTPURL: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The URL without user and password; as it is it is the ``string``, and for a log there is ``redacted``.
    public var description: String { self.withoutUserInfo.string }

    /// The URL as it may be shown, wherever what has one is printed; see ``redacted``.
    public var debugDescription: String { self.redacted }

    /// A mirror without children: what looks into values must not find a secret either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why a text is not an absolute HTTP URL, or not a reference to one.
package struct HTTPURLProblem: Error, Hashable {
    /// The fault and its position, in words; contains no more of the text than one character or a scheme.
    package let message: String

    init(_ message: String) {
        self.message = message
    }

    /// The complaint about one byte that may not stand where it does.
    init(_ bytes: Span<UInt8>, illegalAt index: Int) {
        var start: [UInt8] = []
        for next in index..<min(index + 4, bytes.count) { start.append(bytes[next]) }
        let character = String(decoding: start, as: UTF8.self).unicodeScalars.first.map(\.nameInMessages) ?? "nothing"
        self.init("illegal character \(character) at offset \(index)")
    }
}

extension String {
    /// The text between two offsets in the UTF-8 form, which must lie on characters.
    func utf8Slice(_ range: Range<Int>) -> Substring {
        let start = self.utf8.index(self.startIndex, offsetBy: range.lowerBound)
        return Substring(self.utf8[start..<self.utf8.index(start, offsetBy: range.count)])
    }

    /// Lends the UTF-8 form as one span; the string is made contiguous for it.
    mutating func withUTF8Span<R>(
        _ body: (Span<UInt8>) throws(HTTPURLProblem) -> R
    ) throws(HTTPURLProblem) -> R {
        // The span cannot outlive the call: it is not escapable, and `body` gets it only for as long as it runs.
        try self.withUTF8 { buffer in
            Result { () throws(HTTPURLProblem) in try unsafe body(buffer.span) }
        }.get()
    }
}
