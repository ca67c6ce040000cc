extension TransportSettings {
    /// The proxy that connections use.
    ///
    /// Its descriptions never contain the credentials of a proxy's URL.
    public enum Proxy: Sendable, Hashable {
        /// The proxy settings of the environment.
        ///
        /// On Linux, these are the environment variables `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`; on
        /// Apple platforms, the system settings. `no_proxy` is a comma-separated list of entries as in
        /// ``url(_:bypass:)``; invalid entries are skipped. `URLSessionTransport` leaves all of it to Foundation.
        case environment
        /// No proxy.
        case none
        /// A proxy, with a list of hosts that are reached directly.
        ///
        /// The URL has a scheme, a host and, if it is not 1080 (443 for `https`), a port; user and password are
        /// percent-encoded. The schemes are `http`, `https` (TLS to the proxy, which the system has to trust),
        /// `socks4`, `socks5` (names are resolved on this machine), `socks4a` and `socks5h` (names are resolved by the
        /// proxy).
        ///
        /// The list has the forms of curl and Go: `example.com` or `.example.com` for a host and all its subdomains,
        /// `*.example.com` for the subdomains only, `10.1.2.3`, `::1` or `[::1]` for an address, `10.0.0.0/8` for a
        /// network, `*` for every host. A host or address can have a port: `localhost:8080`, `[::1]:8080`. On Apple
        /// platforms, URLSession supports only hosts and addresses, and other entries are rejected.
        case url(String, bypass: [String] = [])

        /// Returns the proxy's address, if one is set.
        ///
        /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/invalidConfiguration``.
        package func address() throws(ErrandError) -> ProxyAddress? {
            guard case .url(let url, let bypass) = self else { return nil }
            return try ProxyAddress(url, bypass: bypass)
        }
    }
}

extension TransportSettings.Proxy: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The policy as text, without credentials.
    public var description: String {
        switch self {
        case .environment: "proxies of the environment"
        case .none: "no proxy"
        case .url: (try? self.address()).flatMap { $0?.description } ?? "a proxy that is not valid"
        }
    }

    /// The policy as text, without credentials.
    public var debugDescription: String { self.description }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
