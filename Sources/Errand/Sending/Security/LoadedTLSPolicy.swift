internal import Foundation

/// A ``TLSPolicy`` that was checked, with everything read that it names: what a transport works with.
package struct LoadedTLSPolicy: Sendable {
    /// What a policy without rules loads to.
    package static let system = LoadedTLSPolicy()

    /// The lowest version that any of the rules allow.
    package let minimumVersion: TLSPolicy.Version

    private let standard: LoadedTLSRules
    private let table: HostTable<LoadedTLSRules>

    private init() {
        self.standard = LoadedTLSRules()
        self.table = HostTable([:])
        self.minimumVersion = .tls1_2
    }

    /// Checks a policy and reads the files it names; blocks for as long as that takes.
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

    /// Returns the rules for a host, which is given as in a URL.
    ///
    /// - Complexity: O(*n*) in the length of the host, and O(1) without patterns.
    package func rules(for host: String) -> LoadedTLSRules {
        self.table[host] ?? self.standard
    }

    private static func load(_ rules: TLSPolicy.Rules, for hosts: String) throws(ErrandError) -> LoadedTLSRules {
        do {
            return try LoadedTLSRules(rules)
        } catch {
            let message = "the rules for TLS with \(hosts) cannot be kept: \(error.message)"
            throw ErrandError(error.code, message, cause: error.cause)
        }
    }
}
