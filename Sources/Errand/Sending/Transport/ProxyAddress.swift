/// A proxy, taken apart.
package struct ProxyAddress: Sendable {
    /// How a proxy is spoken to.
    package enum Scheme: String, Sendable, CaseIterable {
        case http, https, socks4, socks4a, socks5, socks5h
    }

    package let scheme: Scheme
    /// The host, with brackets if it is an IPv6 address.
    package let host: String
    package let port: Int
    package let user: String?
    package let password: String?
    /// The hosts that are reached without it, and all hosts below them.
    package let bypass: [String]

    /// The host, without brackets if it is an IPv6 address.
    package var bareHost: String { Self.bare(self.host) }

    /// The hosts to bypass as libcurl wants them: in one line, addresses without brackets.
    package var bypassList: String { self.bypass.map(Self.bare).joined(separator: ",") }

    /// The URL without credentials.
    package var url: String { "\(self.scheme.rawValue)://\(self.host):\(self.port)" }

    /// Tells whether a host, given as in a URL, is reached without it.
    package func bypasses(_ host: String) -> Bool {
        let host = HostPattern.normalized(host)
        return self.bypass.contains { host == $0 || host.endsExactly(with: ".\($0)") }
    }

    /// Reads the URL of a proxy.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/invalidConfiguration``.
    init(_ text: String, bypass: [String]) throws(ErrandError) {
        let name = text.part(before: ":")
        let rest = text[name.endIndex...]
        guard rest.startsExactly(with: "://"), let scheme = Scheme(rawValue: name.asciiLowercased()) else {
            let schemes = Scheme.allCases.map(\.rawValue).joined(separator: ", ")
            throw ErrandError(
                .invalidConfiguration,
                "\(HTTPURL.quoted(text)) is not the URL of a proxy: it starts with one of \(schemes), and ://")
        }
        // Apart from the scheme it is as that of a server.
        let url = try Self.parsed("http://" + String(rest.unicodeScalars.dropFirst(3)), text)
        guard url.requestTarget == "/", url.fragment == nil else {
            throw ErrandError(
                .invalidConfiguration,
                "\(HTTPURL.quoted(text)) is not the URL of a proxy: it ends with its host and port")
        }
        self.scheme = scheme
        self.host = url.host
        self.port = url.port ?? (scheme == .https ? 443 : 1080)
        self.user = url.user
        self.password = url.password
        self.bypass = try bypass.map { host throws(ErrandError) in try Self.checked(bypass: host) }
    }

    private static func parsed(_ url: String, _ text: String) throws(ErrandError) -> HTTPURL {
        do {
            return try HTTPURL(parsing: url)
        } catch {
            throw ErrandError(
                .invalidConfiguration, "\(HTTPURL.quoted(text)) is not the URL of a proxy: \(error.message)")
        }
    }

    private static func bare(_ host: String) -> String {
        host.startsExactly(with: "[") ? String(host.dropFirst().dropLast()) : host
    }

    private static func checked(bypass host: String) throws(ErrandError) -> String {
        let host = HostPattern.normalized(host)
        guard HostPattern.isHost(host) else {
            throw ErrandError(.invalidConfiguration, "\"\(host)\" is not a host to reach without a proxy")
        }
        return host
    }
}

extension ProxyAddress: CustomStringConvertible, CustomReflectable {
    /// The URL without credentials.
    package var description: String { self.url }

    /// A mirror without children.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
