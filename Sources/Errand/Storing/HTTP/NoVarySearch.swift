internal import Foundation

/// Which parameters of a query make no difference to a response, as its field `No-Vary-Search` says it.
///
/// What is malformed says nothing: then each character of the query counts.
struct NoVarySearch: Sendable, Hashable {
    private var ignored: Ignored = .none
    private var ignoresOrder = false

    private enum Ignored: Hashable {
        case none
        case only(Set<String>)
        case all(except: Set<String>)
    }

    /// Parses a field: a dictionary of structured values (RFC 9651 §3.2); `nil` where nothing makes no difference.
    init?(_ value: String?) {
        guard let value, let members = Self.members(value) else { return nil }
        var exceptions: Set<String>?
        for (name, value) in members {
            switch (name, value) {
            case ("key-order", .flag(let isOn)): self.ignoresOrder = isOn
            case ("params", .flag(let isOn)): self.ignored = isOn ? .all(except: []) : .none
            case ("params", .names(let names)): self.ignored = .only(names)
            case ("except", .names(let names)): exceptions = names
            case ("key-order", _), ("except", _): return nil
            default: continue
            }
        }
        if let exceptions {
            guard case .all = self.ignored else { return nil }
            self.ignored = .all(except: exceptions)
        }
        if self.ignored == .none, !self.ignoresOrder { return nil }
    }

    /// What counts of a query: the same for all whose responses are the same.
    func normalized(_ query: String?) -> String {
        let pairs = (query ?? "").split(separator: "&").map { part in
            let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (name: Self.decoded(halves[0]), value: Self.decoded(halves.count > 1 ? halves[1] : ""))
        }.filter { self.counts($0.name) }.enumerated()
        let ordered =
            self.ignoresOrder
            ? pairs.sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) } : Array(pairs)
        // With the lengths: anything may stand in them.
        return ordered.map(\.element)
            .map { "\($0.name.utf8.count):\($0.name)\($0.value.utf8.count):\($0.value)" }.joined()
    }

    private func counts(_ name: String) -> Bool {
        switch self.ignored {
        case .none: true
        case .only(let names): !names.contains(name)
        case .all(let exceptions): exceptions.contains(name)
        }
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
        var members: [(String, Value)] = []
        var rest = String(text).trimmingFieldWhitespace()[...]
        while !rest.isEmpty {
            let name = rest.prefix { $0.isLowercase && $0.isASCII || $0 == "-" }
            rest = rest.dropFirst(name.count)
            guard !name.isEmpty, let value = Self.value(&rest) else { return nil }
            members.append((String(name), value))
            rest = rest.drop { $0 == " " || $0 == "\t" }
            guard !rest.isEmpty else { break }
            guard rest.removeFirst() == "," else { return nil }
            rest = rest.drop { $0 == " " || $0 == "\t" }
            if rest.isEmpty { return nil }
        }
        return members
    }

    private static func value(_ rest: inout Substring) -> Value? {
        guard rest.first == "=" else { return .flag(true) }
        rest.removeFirst()
        for (text, isOn) in [("?1", true), ("?0", false)] where rest.hasPrefix(text) {
            rest.removeFirst(2)
            return .flag(isOn)
        }
        guard rest.first == "(", let end = rest.firstIndex(of: ")") else { return nil }
        let inner = rest[rest.index(after: rest.startIndex)..<end].split(separator: " ")
        rest = rest[rest.index(after: end)...]
        let names = inner.compactMap { word -> String? in
            guard word.count >= 2, word.first == "\"", word.last == "\"" else { return nil }
            let name = word.dropFirst().dropLast()
            return name.contains { $0 == "\"" || $0 == "\\" } ? nil : Self.decoded(name)
        }
        return names.count == inner.count ? .names(Set(names)) : nil
    }
}
