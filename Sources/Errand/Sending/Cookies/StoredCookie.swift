public import struct Foundation.Date

/// A cookie: a name and a value that a server wants to receive again, with the hosts, paths and time for which it is
/// sent (RFC 6265).
///
/// A cookie can always be sent: neither its name nor its value contains a character that would end it or the `Cookie`
/// field, whether it comes from a `Set-Cookie` field, an app, or saved data.
public struct StoredCookie: Sendable, Hashable {
    /// The cross-site requests that may carry the cookie, as set by the server.
    ///
    /// Errand stores the value without acting on it: the requests of an app are not cross-site.
    public enum SameSite: String, Sendable, Hashable, Codable {
        /// No cross-site requests.
        case strict
        /// Only navigation requests.
        case lax
        /// All cross-site requests.
        ///
        /// In place of an optional, write `StoredCookie.SameSite.none`: a bare `.none` means `nil`.
        case none
    }

    /// The maximum number of bytes of name and value together.
    public static let sizeLimit = 4096

    /// The name; never empty.
    public let name: String
    /// The value, including quotes set by the server.
    public let value: String
    /// The host, or the domain whose subdomains also get the cookie: in lower case, without a leading dot.
    ///
    /// It includes the brackets of an IPv6 address, as ``HTTPURL/host`` does.
    public let domain: String
    /// A Boolean value that indicates whether the cookie is sent only to the host itself, not to its subdomains.
    public internal(set) var isHostOnly = true
    /// The path below which the cookie is sent; it starts with `/`.
    public let path: String
    /// The expiry date; `nil` for the end of the session, as the app defines it.
    public internal(set) var expires: Date?
    /// A Boolean value that indicates whether the cookie is sent over `https` only.
    public internal(set) var isSecure = false
    /// A Boolean value that indicates whether the cookie is hidden from scripts.
    public internal(set) var isHTTPOnly = false
    /// The cross-site requests that may carry the cookie; `nil` if the server set no known value.
    public internal(set) var sameSite: SameSite?
    /// The date when the cookie was first set; replacing its value keeps it.
    public internal(set) var creationDate: Date

    /// Sets the mandatory values; the cookie has to be checked after the others are set.
    init(_ name: String, _ value: String, domain: String, path: String, creationDate: Date) {
        self.name = name.trimmingFieldWhitespace()
        self.value = value.trimmingFieldWhitespace()
        self.domain = domain
        self.path = path
        self.creationDate = creationDate
    }

    /// Creates a cookie that was not set by a server.
    ///
    /// - Parameters:
    ///   - name: The name; spaces and tabs around it are dropped.
    ///   - value: The value; spaces and tabs around it are dropped.
    ///   - domain: The host, or the domain, in ASCII. It is not checked against the public suffixes.
    ///   - isHostOnly: Pass true to send it only to the host itself.
    ///   - path: The path below which it is sent.
    ///   - expires: The expiry date; `nil` for the end of the session.
    ///   - isSecure: Pass true to send it over `https` only.
    ///   - isHTTPOnly: Pass true to hide it from scripts.
    ///   - sameSite: The cross-site requests that may carry it.
    ///   - creationDate: The date when it was first set; for paths of equal length, older cookies are sent first.
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/invalidRequest`` if it could not be sent, or does not
    ///   meet the requirements of a name that starts with `__Secure-` or `__Host-`. The message does not quote the
    ///   value.
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

    /// Returns true if the cookie has expired at a date.
    public func isExpired(at date: Date) -> Bool {
        self.expires.map { $0 <= date } ?? false
    }

    /// Returns true if storing this cookie replaces another: name, domain and path are the same (RFC 6265 §5.3).
    public func replaces(_ other: StoredCookie) -> Bool {
        self.domain == other.domain && self.name.utf8.elementsEqual(other.name.utf8)
            && self.path.utf8.elementsEqual(other.path.utf8)
    }
}

// MARK: - Checking

extension StoredCookie {
    /// The cookie in the form of a `Cookie` field (RFC 6265 §4.2.1).
    package var pair: String { "\(self.name)=\(self.value)" }

    /// Checks the requirements for all cookies, from any source.
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

    /// Checks the requirements of a name prefix (RFC 6265bis §4.1.3).
    private func checkPrefix() throws(CookieRefusal) {
        guard self.name.hasCookiePrefix("__Secure-") || self.isNamedForHost else { return }
        guard self.isSecure, !self.isNamedForHost || (self.isHostOnly && self.path == "/") else {
            throw .prefixNotKept
        }
    }

    /// True if the name guarantees that only this host can have set the cookie.
    var isNamedForHost: Bool { self.name.hasCookiePrefix("__Host-") }

    /// Returns true if a text can be a host or domain: non-empty labels of printable ASCII.
    ///
    /// One trailing dot is allowed: it is another host than the one without.
    static func isDomain(_ text: String) -> Bool {
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return text.utf8.count <= 254 && text.utf8.allSatisfy { 0x21...0x7E ~= $0 } && !labels[0].isEmpty
            && labels.dropLast().allSatisfy { !$0.isEmpty }
    }
}

extension String {
    /// Returns true if the text starts with an ASCII prefix, ignoring case.
    fileprivate func hasCookiePrefix(_ prefix: String) -> Bool {
        self.utf8.count >= prefix.utf8.count
            && zip(self.utf8, prefix.utf8).allSatisfy { $0.asciiLowercase == $1.asciiLowercase }
    }
}

extension UInt8 {
    /// True if the byte is a control character other than tab.
    var isCookieControl: Bool { (self < 0x20 && self != 0x09) || self == 0x7F }

    /// True if the byte would end a cookie or its field.
    fileprivate var endsCookiePair: Bool { self.isCookieControl || self == UInt8(ascii: ";") }
}

// MARK: - Conformances

extension StoredCookie: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, value, domain, isHostOnly, path, expires, isSecure, isHTTPOnly, sameSite, creationDate
    }

    /// Decodes a saved cookie, and checks it like a new one.
    ///
    /// - Throws: `DecodingError` if it is invalid.
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
    /// The name, the domain and the path, without the value, which may be secret.
    public var description: String {
        "\(self.name) for \(self.isHostOnly ? "" : "*.")\(self.domain)\(self.path)"
    }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
