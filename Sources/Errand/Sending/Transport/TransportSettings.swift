/// Settings for connections to servers: network, proxy, TLS and more.
///
/// If a setting is invalid or not supported by the transport, every exchange fails before it is sent.
public struct TransportSettings: Sendable, Hashable {
    /// The addresses of a host that are used.
    public enum AddressFamily: Sendable, Hashable {
        /// All addresses; the first one that connects is used.
        case any
        /// IPv4 only.
        case ipv4
        /// IPv6 only.
        case ipv6
    }

    /// The versions of HTTP that are used.
    public enum HTTPVersions: Sendable, Hashable {
        /// HTTP/2 if it is negotiated during TLS (RFC 9113 §3.2), and otherwise HTTP/1.1.
        case automatic
        /// HTTP/1.1 only.
        case http1_1
        /// HTTP/2 from the first byte, also without TLS: for servers that are known to support it (RFC 9113 §3.3).
        case http2PriorKnowledge
    }

    /// The trust settings and the client certificate.
    public var tls: TLSPolicy = .system
    /// The proxy.
    public var proxy: TransportSettings.Proxy = .environment
    /// The addresses of a host that are used.
    public var addressFamily: AddressFamily = .any
    /// The network interface, or the address of this machine, that connections start from; `nil` leaves the choice
    /// to the system.
    public var interface: String?
    /// The versions of HTTP that are used.
    public var httpVersions: HTTPVersions = .automatic
    /// The path of a Unix domain socket for all connections, whatever the host; proxies are not used.
    public var unixSocket: String?
    /// The maximum number of idle connections that are kept open for later exchanges; at least 1.
    ///
    /// If several exchanges end at the same time, there may be more until as many others have ended: libcurl closes one
    /// connection at a time.
    public var maximumIdleConnections = 256
    /// The time for which an idle connection stays open for later exchanges; with zero, connections are not reused.
    ///
    /// If the server announces a keep-alive time (`Keep-Alive: timeout=5`) that is not longer, that time less one
    /// second is used: a request in flight while the connection is closed may be lost, and is sent again only if its
    /// method is idempotent. ``CurlTransport`` closes such a connection when the next exchange would use it.
    /// `URLSession` has its own times.
    public var idleConnectionLifetime: Duration = .seconds(60)
    /// The time for which resolved addresses of a host are cached, rounded up to whole seconds; zero disables caching.
    public var nameCacheLifetime: Duration = .seconds(60)
    /// A Boolean value that indicates whether the codings in `Content-Encoding` are decoded in response bodies (RFC
    /// 9110 §8.4); true by default.
    ///
    /// If false, bodies are delivered as sent, requests ask for `identity`, and the caller interprets
    /// `Content-Encoding`. This is for servers that name codings that cannot be decoded, such as `aws-chunked` or
    /// `binary`, and otherwise fail with ``ErrandError/Code/invalidResponse``. `URLSessionTransport` does not support
    /// it.
    public var decodesContent = true

    /// Creates the standard settings.
    public init() {}

    /// Validates all settings, and reads the files that the TLS settings name.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/invalidTLSPolicy`` or
    ///   ``ErrandError/Code/invalidConfiguration``.
    public func validate() throws(ErrandError) {
        try self.tls.validate()
        try self.validateNetwork()
    }

    /// Validates all settings except TLS.
    package func validateNetwork() throws(ErrandError) {
        let proxy = try self.proxy.address()
        if let interface = self.interface { try Self.check(interface: interface) }
        if let unixSocket = self.unixSocket { try Self.check(unixSocket: unixSocket) }
        if let unixSocket = self.unixSocket, let proxy {
            throw ErrandError(
                .invalidConfiguration,
                "unixSocket is \(unixSocket) and proxy \(proxy.url): a socket cannot be reached through a proxy, set one of the two"
            )
        }
        guard self.maximumIdleConnections > 0 else {
            throw ErrandError(
                .invalidConfiguration,
                "maximumIdleConnections is \(self.maximumIdleConnections): at least 1 connection is kept open")
        }
        guard self.idleConnectionLifetime >= .zero else {
            throw ErrandError(
                .invalidConfiguration,
                "idleConnectionLifetime is \(self.idleConnectionLifetime): it cannot be less than zero")
        }
        guard self.nameCacheLifetime >= .zero else {
            throw ErrandError(
                .invalidConfiguration,
                "nameCacheLifetime is \(self.nameCacheLifetime): it cannot be less than zero, which disables caching"
            )
        }
    }

    private static func check(interface: String) throws(ErrandError) {
        // libcurl treats an exclamation mark as syntax.
        guard !interface.isEmpty, interface.utf8.allSatisfy({ 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "!") }) else {
            throw ErrandError(
                .invalidConfiguration,
                "interface is \"\(interface)\", which is not the name of an interface or an address")
        }
    }

    private static func check(unixSocket path: String) throws(ErrandError) {
        // The smallest limit among supported systems, without the terminating zero.
        guard path.startsExactly(with: "/"), !path.utf8.contains(0), path.utf8.count <= 103 else {
            throw ErrandError(
                .invalidConfiguration,
                "unixSocket is \"\(path)\", which is not the path of a socket: absolute, and of at most 103 bytes")
        }
    }
}
