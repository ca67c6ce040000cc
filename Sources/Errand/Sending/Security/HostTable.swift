/// Values by host pattern, as described in ``TLSPolicy``; the most specific pattern wins.
struct HostTable<Value> {
    private var values: [String: Value] = [:]

    init(_ patterns: [String: Value]) {
        for (pattern, value) in patterns { self.values[HostPattern.normalized(pattern)] = value }
    }

    /// The value for a host, written as in a URL.
    subscript(host: String) -> Value? {
        if self.values.isEmpty { return nil }
        let host = HostPattern.normalized(host)
        if let value = self.values[host] { return value }
        guard let dot = host.firstIndex(of: ".") else { return nil }
        var parent = host[host.index(after: dot)...]
        if let value = self.values["*.\(parent)"] { return value }
        while !parent.isEmpty {
            if let value = self.values["**.\(parent)"] { return value }
            parent = parent.drop { $0 != "." }.dropFirst()
        }
        return nil
    }
}

extension HostTable: Sendable where Value: Sendable {}
extension HostTable: Equatable where Value: Equatable {}
extension HostTable: Hashable where Value: Hashable {}

/// Parsing and validation of host patterns.
enum HostPattern {
    /// Returns the normalized form of a host or pattern.
    static func normalized(_ pattern: String) -> String {
        var pattern = pattern.asciiLowercased()
        if pattern.endsExactly(with: ".") { pattern.removeLast() }
        if pattern.containsExactly(":"), !pattern.startsExactly(with: "[") { pattern = "[\(pattern)]" }
        return (try? HostAddress.canonical(pattern)) ?? pattern
    }

    /// Validates patterns, and checks that no two of them are equal.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/invalidTLSPolicy``.
    static func validate(_ patterns: some Collection<String>) throws(ErrandError) {
        var seen: Set<String> = []
        for pattern in patterns.sorted() {
            guard Self.isPattern(pattern) else {
                throw ErrandError(.invalidTLSPolicy, "\"\(pattern)\" is neither a host nor a wildcard such as *.host")
            }
            guard seen.insert(Self.normalized(pattern)).inserted else {
                throw ErrandError(.invalidTLSPolicy, "there are two sets of rules for \(Self.normalized(pattern))")
            }
        }
    }

    private static func isPattern(_ pattern: String) -> Bool {
        let pattern = Self.normalized(pattern)
        for wildcard in ["*.", "**."] where pattern.startsExactly(with: wildcard) {
            let parent = String(pattern.dropFirst(wildcard.count))
            // An address has no subdomains.
            return Self.isHost(parent) && !parent.startsExactly(with: "[") && parent.utf8.last?.isASCIIDigit == false
        }
        return Self.isHost(pattern)
    }

    /// Returns true if a text is a valid host of a URL.
    static func isHost(_ text: String) -> Bool {
        !text.utf8.contains { $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: ",") }
            && (try? HTTPURL(parsing: "https://\(text)"))?.host == text
            && !text.parts(at: ".", omittingEmpty: false).contains("")
    }
}
