/// Which servers are trusted over TLS, and what is shown to them, host by host.
///
/// ```swift
/// var tls = TLSPolicy.system
/// tls.hosts["api.example.com"] = TLSPolicy.Rules(pins: ["sha256/…", "sha256/…"])
/// tls.hosts["*.internal.example"] = TLSPolicy.Rules(trust: .authorities([.file(companyRoot)]))
/// ```
///
/// A host goes by the rules of the most specific pattern that matches it, and only by those: rules are not merged. In
/// falling order the patterns are
///
/// 1. the host itself, `api.example.com`, `127.0.0.1` or `[::1]`;
/// 2. `*.example.com`, for hosts with exactly one label more, as in certificates (RFC 9525 §6.3);
/// 3. `**.example.com`, for hosts with one label more or several; a longer pattern comes before a shorter one.
///
/// None of the last two matches `example.com`. Case and a dot at the end do not count; apart from that a host is
/// compared as it is written in the URL, so an address in another notation is another host.
///
/// A policy is checked by the transport that gets it. One that cannot be kept fails every exchange with
/// ``ErrandError/Code/invalidTLSPolicy``, and nothing is sent.
public struct TLSPolicy: Sendable, Hashable {
    /// Trusts what the system trusts, for every host.
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

    /// Returns the rules for a host, which is given as in a URL.
    ///
    /// - Complexity: O(*n*) in the length of the host, and O(1) without patterns.
    package func rules(for host: String) -> Rules {
        self.table[host] ?? self.standard
    }

    /// Checks all patterns and rules, and reads the files they name.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/invalidTLSPolicy``.
    public func validate() throws(ErrandError) {
        _ = try LoadedTLSPolicy(self)
    }
}
