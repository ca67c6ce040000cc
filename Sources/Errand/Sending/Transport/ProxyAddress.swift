/// A proxy's URL, parsed.
package struct ProxyAddress: Sendable {
    /// The protocol of a proxy.
    package enum Scheme: String, Sendable, CaseIterable {
        case http, https, socks4, socks4a, socks5, socks5h
    }

    package let scheme: Scheme
    /// The host, with brackets if it is an IPv6 address.
    package let host: String
    package let port: Int
    package let user: String?
    package let password: String?
    /// The hosts that are reached directly.
    let bypass: [ProxyBypass]

    /// The host, without brackets if it is an IPv6 address.
    package var bareHost: String {
        self.host.startsExactly(with: "[") ? String(self.host.dropFirst().dropLast()) : self.host
    }

    /// The URL without credentials.
    package var url: String { "\(self.scheme.rawValue)://\(self.host):\(self.port)" }

    /// Returns true if a URL is reached directly.
    func bypasses(_ url: HTTPURL) -> Bool { self.bypass.contains { $0.contains(url) } }

    /// Parses the URL of a proxy.
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
        // The rest is parsed like the URL of a server.
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

    private static func checked(bypass text: String) throws(ErrandError) -> ProxyBypass {
        guard let bypass = ProxyBypass(text) else {
            throw ErrandError(
                .invalidConfiguration,
                """
                "\(text)" names no hosts to reach without a proxy: write example.com, *.example.com, an address, \
                10.0.0.0/8 or *; behind a host there may be a port, as in localhost:8080
                """)
        }
        return bypass
    }
}

extension ProxyAddress: CustomStringConvertible, CustomReflectable {
    /// The URL without credentials.
    package var description: String { self.url }

    /// A mirror without children.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
