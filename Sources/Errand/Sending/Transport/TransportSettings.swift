/// Settings of connections to servers: over which network, through what, and under which rules for TLS.
///
/// A transport refuses what it cannot do, and fails every exchange when a setting is wrong; nothing is sent then.
public struct TransportSettings: Sendable, Hashable {
    /// Which addresses of a host are used.
    public enum AddressFamily: Sendable, Hashable {
        /// All of them, whichever answers first.
        case any
        /// Those of IPv4 only.
        case ipv4
        /// Those of IPv6 only.
        case ipv6
    }

    /// Which versions of HTTP are spoken.
    public enum HTTPVersions: Sendable, Hashable {
        /// HTTP/2 where it is agreed on during TLS (RFC 9113 §3.2), and HTTP/1.1 else.
        case automatic
        /// HTTP/1.1 only.
        case http1_1
        /// HTTP/2 from the first byte, without TLS as well: for servers that are known to speak it (RFC 9113 §3.3).
        case http2PriorKnowledge
    }

    /// Which servers are trusted, and what is shown to them.
    public var tls: TLSPolicy = .system
    /// Through what servers are reached.
    public var proxy: TransportSettings.Proxy = .environment
    /// Which addresses of a host are used.
    public var addressFamily: AddressFamily = .any
    /// The network interface, or the address of this machine, that connections start from; `nil` leaves the choice
    /// to the system.
    public var interface: String?
    /// Which versions of HTTP are spoken.
    public var httpVersions: HTTPVersions = .automatic
    /// The path of a socket in the file system that every connection goes to, whatever the host; proxies are not asked.
    public var unixSocket: String?
    /// The most connections that are kept open, while nothing uses them, for the exchanges to come; at least 1.
    ///
    /// Where several exchanges end in the same instant there may be more, until as many others have ended: libcurl closes
    /// one connection at a time.
    public var maximumIdleConnections = 256
    /// The time for which an idle connection stays open for the exchanges to come; zero uses none again.
    ///
    /// Less a second where the server says that it keeps connections no longer than that (`Keep-Alive: timeout=5`): a
    /// request that is on its way when a connection is closed may be lost, and is then not sent again unless its method is
    /// idempotent. ``CurlTransport`` closes such a connection when the next exchange would use it. `URLSession` has times
    /// of its own.
    public var idleConnectionLifetime: Duration = .seconds(60)
    /// The time for which addresses of a host are remembered, rounded up to whole seconds; zero remembers none.
    public var nameCacheLifetime: Duration = .seconds(60)
    /// Whether codings that `Content-Encoding` names are taken off response bodies (RFC 9110 §8.4); true by default.
    ///
    /// If false, bodies arrive as they are sent, requests ask for `identity`, and `Content-Encoding` is for the caller to
    /// read: for servers that name codings which cannot be decoded, such as `aws-chunked` or `binary`, and that fail with
    /// ``ErrandError/Code/invalidResponse`` otherwise. ``URLSessionTransport`` cannot do this.
    public var decodesContent = true

    /// Creates the standard settings.
    public init() {}

    /// Checks all settings, and reads the files that the rules for TLS name.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/invalidTLSPolicy`` or
    ///   ``ErrandError/Code/invalidConfiguration``.
    public func validate() throws(ErrandError) {
        try self.tls.validate()
        try self.validateNetwork()
    }

    /// Checks everything but TLS.
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
                "nameCacheLifetime is \(self.nameCacheLifetime): it cannot be less than zero, which remembers no address"
            )
        }
    }

    private static func check(interface: String) throws(ErrandError) {
        // libcurl gives an exclamation mark a meaning of its own.
        guard !interface.isEmpty, interface.utf8.allSatisfy({ 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "!") }) else {
            throw ErrandError(
                .invalidConfiguration,
                "interface is \"\(interface)\", which is not the name of an interface or an address")
        }
    }

    private static func check(unixSocket path: String) throws(ErrandError) {
        // The shortest room that systems have for it, without the zero at the end.
        guard path.startsExactly(with: "/"), !path.utf8.contains(0), path.utf8.count <= 103 else {
            throw ErrandError(
                .invalidConfiguration,
                "unixSocket is \"\(path)\", which is not the path of a socket: absolute, and of at most 103 bytes")
        }
    }
}
