extension TransportSettings {
    /// Through what a transport reaches servers.
    ///
    /// Never shows the credentials that may be in the URL of a proxy.
    public enum Proxy: Sendable, Hashable {
        /// What the process is told from outside: by `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` in its
        /// environment on Linux, and by the settings of the system on Apple's.
        ///
        /// `no_proxy` is a list with commas, of entries as in ``url(_:bypass:)``; what is no such entry is passed over.
        /// ``URLSessionTransport`` leaves all of it to Foundation.
        case environment
        /// Nothing: directly.
        case none
        /// A proxy, but for some hosts.
        ///
        /// The URL has a scheme, a host and, if it is not 1080 (443 for `https`), a port; user and password are
        /// percent-encoded. The schemes are `http`, `https` (TLS to the proxy itself, which the system has to trust),
        /// `socks4`, `socks5` (this machine resolves names), `socks4a` and `socks5h` (the proxy does).
        ///
        /// What is reached directly is named as curl and Go do it: `example.com` or `.example.com` for a host and all hosts
        /// below it, `*.example.com` for those below it alone, `10.1.2.3`, `::1` or `[::1]` for an address, `10.0.0.0/8` for
        /// a network, `*` for everything. Behind a host or an address there may be a port: `localhost:8080`, `[::1]:8080`.
        /// On Apple's systems URLSession knows hosts and addresses alone, and refuses the rest.
        case url(String, bypass: [String] = [])

        /// The proxy that is named here, if one is.
        ///
        /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/invalidConfiguration``.
        package func address() throws(ErrandError) -> ProxyAddress? {
            guard case .url(let url, let bypass) = self else { return nil }
            return try ProxyAddress(url, bypass: bypass)
        }
    }
}

extension TransportSettings.Proxy: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The policy in words, without credentials.
    public var description: String {
        switch self {
        case .environment: "proxies of the environment"
        case .none: "no proxy"
        case .url: (try? self.address()).flatMap { $0?.description } ?? "a proxy that is not valid"
        }
    }

    /// The policy in words, without credentials.
    public var debugDescription: String { self.description }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
