internal import Foundation

/// A validated ``TLSPolicy`` with the contents of its files, as transports use it.
package struct LoadedTLSPolicy: Sendable {
    /// The loaded form of a policy without rules.
    package static let system = LoadedTLSPolicy()

    /// The lowest version that any of the rules allows.
    package let minimumVersion: TLSPolicy.Version

    private let standard: LoadedTLSRules
    private let table: HostTable<LoadedTLSRules>

    private init() {
        self.standard = LoadedTLSRules()
        self.table = HostTable([:])
        self.minimumVersion = .tls1_2
    }

    /// Validates a policy and reads its files, blocking meanwhile.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/invalidTLSPolicy``.
    package init(_ policy: TLSPolicy) throws(ErrandError) {
        try HostPattern.validate(policy.hosts.keys)
        var loaded: [String: LoadedTLSRules] = [:]
        for (pattern, rules) in policy.hosts { loaded[pattern] = try Self.load(rules, for: pattern) }
        self.standard = try Self.load(policy.standard, for: "all hosts")
        self.table = HostTable(loaded)
        let versions = [policy.standard.minimumVersion] + policy.hosts.values.map(\.minimumVersion)
        self.minimumVersion = versions.contains(.tls1_2) ? .tls1_2 : .tls1_3
    }

    /// Returns the rules for a host, written as in a URL.
    ///
    /// - Complexity: O(*n*) in the length of the host, and O(1) without patterns.
    package func rules(for host: String) -> LoadedTLSRules {
        self.table[host] ?? self.standard
    }

    private static func load(_ rules: TLSPolicy.Rules, for hosts: String) throws(ErrandError) -> LoadedTLSRules {
        do {
            return try LoadedTLSRules(rules)
        } catch {
            let message = "the TLS rules for \(hosts) cannot be used: \(error.message)"
            throw ErrandError(error.code, message, cause: error.cause)
        }
    }
}
