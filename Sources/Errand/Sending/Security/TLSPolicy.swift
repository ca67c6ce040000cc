/// The trust settings and client certificates for TLS, by host.
///
/// ```swift
/// var tls = TLSPolicy.system
/// tls.hosts["api.example.com"] = TLSPolicy.Rules(pins: ["sha256/…", "sha256/…"])
/// tls.hosts["*.internal.example"] = TLSPolicy.Rules(trust: .authorities([.file(companyRoot)]))
/// ```
///
/// A host uses the rules of the most specific pattern that matches it; rules are not merged. The patterns, most
/// specific first:
///
/// 1. the host itself, `api.example.com`, `127.0.0.1` or `[::1]`;
/// 2. `*.example.com`, for hosts with exactly one more label, as in certificates (RFC 9525 §6.3);
/// 3. `**.example.com`, for hosts with one or more additional labels; a longer pattern comes before a shorter one.
///
/// The last two do not match `example.com`. Case and a trailing dot are ignored. Otherwise a host is compared as
/// written in the URL, so an address in another notation is another host.
///
/// A policy is validated by its transport. If it is invalid, every exchange fails with
/// ``ErrandError/Code/invalidTLSPolicy`` before it is sent.
public struct TLSPolicy: Sendable, Hashable {
    /// Uses the system's trust anchors for every host.
    public static let system = TLSPolicy()

    /// The rules for hosts that no pattern matches.
    public var standard: Rules

    /// The rules for hosts, by pattern.
    public var hosts: [String: Rules] {
        didSet { self.table = HostTable(self.hosts) }
    }

    private var table: HostTable<Rules>

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - standard: The rules for hosts that no pattern matches.
    ///   - hosts: The rules for hosts, by pattern.
    public init(standard: Rules = Rules(), hosts: [String: Rules] = [:]) {
        self.standard = standard
        self.hosts = hosts
        self.table = HostTable(hosts)
    }

    /// Returns the rules for a host, written as in a URL.
    ///
    /// - Complexity: O(*n*) in the length of the host, and O(1) without patterns.
    package func rules(for host: String) -> Rules {
        self.table[host] ?? self.standard
    }

    /// Validates all patterns and rules, and reads their files.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/invalidTLSPolicy``.
    public func validate() throws(ErrandError) {
        _ = try LoadedTLSPolicy(self)
    }
}
