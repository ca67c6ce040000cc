internal import Foundation

/// Which parameters of a query make no difference to a response, as its field `No-Vary-Search` says it.
///
/// What is malformed says nothing: then each character of the query counts.
struct NoVarySearch: Sendable, Hashable {
    private var names: Set<String> = []
    /// Whether all parameters but these make no difference, or just these.
    private var areExceptions = false
    private var ignoresOrder = false

    /// Parses a field: a dictionary of structured values (RFC 9651 §3.2); `nil` where nothing makes no difference.
    init?(_ value: String?) {
        guard let value, let members = Self.members(value) else { return nil }
        var exceptions: Set<String>?
        for (name, value) in members {
            switch (name, value) {
            case ("key-order", .flag(let isOn)): self.ignoresOrder = isOn
            case ("params", .flag(let isOn)): (self.names, self.areExceptions) = ([], isOn)
            case ("params", .names(let names)): (self.names, self.areExceptions) = (names, false)
            case ("except", .names(let names)): exceptions = names
            case ("key-order", _), ("except", _): return nil
            default: continue
            }
        }
        if let exceptions {
            guard self.areExceptions else { return nil }
            self.names = exceptions
        }
        if self.names.isEmpty, !self.areExceptions, !self.ignoresOrder { return nil }
    }

    /// What counts of a query: the same for all whose responses are the same.
    func normalized(_ query: String?) -> String {
        let pairs = (query ?? "").split(separator: "&").map { part in
            let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (name: Self.decoded(halves[0]), value: Self.decoded(halves.count > 1 ? halves[1] : ""))
        }.filter { self.names.contains($0.name) == self.areExceptions }.enumerated()
        let ordered =
            self.ignoresOrder
            ? pairs.sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) } : Array(pairs)
        // With the lengths: anything may stand in them.
        return ordered.map(\.element)
            .map { "\($0.name.utf8.count):\($0.name)\($0.value.utf8.count):\($0.value)" }.joined()
    }

    /// A part of a query without its coding, as forms have it.
    private static func decoded(_ text: some StringProtocol) -> String {
        let plain = String(text).replacing("+", with: " ")
        return plain.removingPercentEncoding ?? plain
    }

    // MARK: - Parsing

    private enum Value {
        case flag(Bool)
        case names(Set<String>)
    }

    private static func members(_ text: String) -> [(String, Value)]? {
        var (scanner, members) = (FieldScanner(text), [(String, Value)]())
        repeat {
            scanner.skipWhitespace()
            let name = scanner.text { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || $0 == UInt8(ascii: "-") }
            guard !name.isEmpty, let value = Self.value(&scanner) else { return nil }
            members.append((name, value))
            scanner.skipWhitespace()
        } while scanner.take(",")
        return scanner.isAtEnd ? members : nil
    }

    private static func value(_ scanner: inout FieldScanner) -> Value? {
        guard scanner.take("=") else { return .flag(true) }
        if scanner.take("?") { return scanner.take("1") ? .flag(true) : scanner.take("0") ? .flag(false) : nil }
        guard scanner.take("(") else { return nil }
        let words = scanner.text { $0 != UInt8(ascii: ")") }.split(separator: " ")
        guard scanner.take(")") else { return nil }
        let names = words.compactMap { word -> String? in
            guard word.count >= 2, word.first == "\"", word.last == "\"" else { return nil }
            let name = word.dropFirst().dropLast()
            return name.contains { $0 == "\"" || $0 == "\\" } ? nil : Self.decoded(name)
        }
        return names.count == words.count ? .names(Set(names)) : nil
    }
}
