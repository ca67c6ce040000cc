public import struct Foundation.Date

/// What a server wants to be told with later requests: a name, a value, and where and until when to send them (RFC
/// 6265).
///
/// A cookie is always one that can be sent: neither its name nor its value has a character that could end it or the
/// `Cookie` field, however it was made: from a `Set-Cookie` field, by an app, or from data that an app had kept.
public struct StoredCookie: Sendable, Hashable {
    /// Which requests that other sites cause may carry the cookie, as the server said it.
    ///
    /// Errand keeps it and does not act on it: a request that an app makes is not caused by a site.
    public enum SameSite: String, Sendable, Hashable, Codable {
        /// None.
        case strict
        /// Those that only navigate.
        case lax
        /// All. Beside an optional, write `StoredCookie.SameSite.none`: a bare `.none` is the optional without a value.
        case none
    }

    /// The most bytes that name and value may have together.
    public static let sizeLimit = 4096

    /// The name; never empty.
    public let name: String
    /// The value, with the quotes that the server may have put around it.
    public let value: String
    /// The host, or the domain whose hosts all get the cookie: in lower case, without a leading dot.
    ///
    /// The brackets of an IPv6 address belong to it, as in ``HTTPURL/host``.
    public let domain: String
    /// Whether only the host itself gets the cookie, and no host below it.
    public internal(set) var isHostOnly = true
    /// The path below which the cookie is sent; it starts with `/`.
    public let path: String
    /// When the cookie ends; `nil` if it lasts as long as the session does, whatever the app takes that to be.
    public internal(set) var expires: Date?
    /// Whether the cookie is sent over `https` only.
    public internal(set) var isSecure = false
    /// Whether the server wants scripts not to see the cookie.
    public internal(set) var isHTTPOnly = false
    /// Which requests of other sites may carry the cookie; `nil` if the server named none that is known.
    public internal(set) var sameSite: SameSite?
    /// When the cookie was first set; replacing its value does not change it.
    public internal(set) var creationDate: Date

    /// Takes what every cookie has; it has to be checked once the rest is set.
    init(_ name: String, _ value: String, domain: String, path: String, creationDate: Date) {
        self.name = name.trimmingFieldWhitespace()
        self.value = value.trimmingFieldWhitespace()
        self.domain = domain
        self.path = path
        self.creationDate = creationDate
    }

    /// Creates a cookie that no server has set.
    ///
    /// - Parameters:
    ///   - name: The name; spaces and tabs around it are dropped.
    ///   - value: The value; spaces and tabs around it are dropped.
    ///   - domain: The host, or the domain, in ASCII; whether it is one of the public suffixes is not asked.
    ///   - isHostOnly: Whether only the host itself gets the cookie.
    ///   - path: The path below which it is sent.
    ///   - expires: When it ends; `nil` for the end of the session.
    ///   - isSecure: Whether it is sent over `https` only.
    ///   - isHTTPOnly: Whether scripts are not to see it.
    ///   - sameSite: Which requests of other sites may carry it.
    ///   - creationDate: When it was first set; of two cookies with equally long paths the older is sent first.
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/invalidRequest`` if it could not be sent, or its name
    ///   starts with `__Secure-` or `__Host-` and it does not keep what that promises. The value is not quoted.
    public init(
        name: String, value: String, domain: String, isHostOnly: Bool = true, path: String = "/",
        expires: Date? = nil, isSecure: Bool = false, isHTTPOnly: Bool = false, sameSite: SameSite? = nil,
        creationDate: Date
    ) throws(ErrandError) {
        self.init(name, value, domain: domain.asciiLowercased(), path: path, creationDate: creationDate)
        self.isHostOnly = isHostOnly
        self.expires = expires
        self.isSecure = isSecure
        self.isHTTPOnly = isHTTPOnly
        self.sameSite = sameSite
        do {
            try self.check()
        } catch {
            throw ErrandError(.invalidRequest, "the cookie cannot be made: \(error.message)")
        }
    }

    /// Tells whether the cookie has ended at a date.
    public func isExpired(at date: Date) -> Bool {
        self.expires.map { $0 <= date } ?? false
    }

    /// Tells whether storing this cookie replaces another: name, domain and path are the same (RFC 6265 §5.3).
    public func replaces(_ other: StoredCookie) -> Bool {
        self.domain == other.domain && self.name.utf8.elementsEqual(other.name.utf8)
            && self.path.utf8.elementsEqual(other.path.utf8)
    }
}

// MARK: - Checking

extension StoredCookie {
    /// The cookie as a `Cookie` field has it (RFC 6265 §4.2.1).
    package var pair: String { "\(self.name)=\(self.value)" }

    /// Checks what holds for every cookie, whoever made it.
    func check() throws(CookieRefusal) {
        guard !self.name.isEmpty else { throw .missingName }
        guard !self.name.utf8.contains(where: { $0.endsCookiePair || $0 == UInt8(ascii: "=") }),
            !self.value.utf8.contains(where: \.endsCookiePair)
        else { throw .illegalCharacter }
        guard self.name.utf8.count + self.value.utf8.count <= Self.sizeLimit else { throw .tooLarge }
        guard Self.isDomain(self.domain) else { throw .invalidDomain }
        guard self.path.utf8.first == UInt8(ascii: "/") else { throw .invalidPath }
        try self.checkPrefix()
    }

    /// Checks what the name promises to whoever gets the cookie back (RFC 6265bis §4.1.3).
    private func checkPrefix() throws(CookieRefusal) {
        guard self.name.hasCookiePrefix("__Secure-") || self.isNamedForHost else { return }
        guard self.isSecure, !self.isNamedForHost || (self.isHostOnly && self.path == "/") else {
            throw .prefixNotKept
        }
    }

    /// Whether the name promises that only this very host can have set the cookie.
    var isNamedForHost: Bool { self.name.hasCookiePrefix("__Host-") }

    /// Tells whether a text can be a host, or a domain of hosts: printable ASCII in labels that are not empty.
    ///
    /// One dot at the end is allowed: it is another host than the one without.
    static func isDomain(_ text: String) -> Bool {
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return text.utf8.count <= 254 && text.utf8.allSatisfy { 0x21...0x7E ~= $0 } && !labels[0].isEmpty
            && labels.dropLast().allSatisfy { !$0.isEmpty }
    }
}

extension String {
    /// Tells whether the text starts with an ASCII prefix, byte by byte and whatever the case of letters.
    fileprivate func hasCookiePrefix(_ prefix: String) -> Bool {
        self.utf8.count >= prefix.utf8.count
            && zip(self.utf8, prefix.utf8).allSatisfy { $0.asciiLowercase == $1.asciiLowercase }
    }
}

extension UInt8 {
    /// Whether this byte is a control character other than tab.
    var isCookieControl: Bool { (self < 0x20 && self != 0x09) || self == 0x7F }

    /// Whether a cookie, or the field that it stands in, would end at this byte.
    fileprivate var endsCookiePair: Bool { self.isCookieControl || self == UInt8(ascii: ";") }
}

// MARK: - Conformances

extension StoredCookie: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, value, domain, isHostOnly, path, expires, isSecure, isHTTPOnly, sameSite, creationDate
    }

    /// Reads a cookie that was kept, and checks it like one that is new.
    ///
    /// - Throws: `DecodingError` if it is not one, or could not be sent.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        do {
            try self.init(
                name: values.decode(String.self, forKey: .name), value: values.decode(String.self, forKey: .value),
                domain: values.decode(String.self, forKey: .domain),
                isHostOnly: values.decode(Bool.self, forKey: .isHostOnly),
                path: values.decode(String.self, forKey: .path),
                expires: values.decodeIfPresent(Date.self, forKey: .expires),
                isSecure: values.decode(Bool.self, forKey: .isSecure),
                isHTTPOnly: values.decode(Bool.self, forKey: .isHTTPOnly),
                sameSite: values.decodeIfPresent(SameSite.self, forKey: .sameSite),
                creationDate: values.decode(Date.self, forKey: .creationDate))
        } catch let error as ErrandError {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: error.message, underlyingError: error))
        }
    }
}

extension StoredCookie: CustomStringConvertible, CustomReflectable {
    /// The name, the domain and the path, without the value, which may be a secret.
    public var description: String {
        "\(self.name) for \(self.isHostOnly ? "" : "*.")\(self.domain)\(self.path)"
    }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
