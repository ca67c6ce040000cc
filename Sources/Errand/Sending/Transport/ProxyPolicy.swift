/// Through what a transport reaches servers.
///
/// Never shows the credentials that may be in the URL of a proxy.
public enum ProxyPolicy: Sendable, Hashable {
    /// What the process is told from outside: by `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` in its
    /// environment on Linux, and by the settings of the system on Apple's.
    case environment
    /// Nothing: directly.
    case none
    /// A proxy, but for some hosts.
    ///
    /// The URL has a scheme, a host and, if it is not 1080 (443 for `https`), a port; user and password are
    /// percent-encoded. The schemes are `http`, `https` (TLS to the proxy itself, which the system has to trust),
    /// `socks4`, `socks5` (this machine resolves names), `socks4a` and `socks5h` (the proxy does). The hosts are
    /// reached directly, and so are all hosts below them.
    case url(String, bypass: [String] = [])

    /// The proxy that is named here, if one is.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/invalidConfiguration``.
    package func address() throws(ErrandError) -> ProxyAddress? {
        guard case .url(let url, let bypass) = self else { return nil }
        return try ProxyAddress(url, bypass: bypass)
    }
}

extension ProxyPolicy: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
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
