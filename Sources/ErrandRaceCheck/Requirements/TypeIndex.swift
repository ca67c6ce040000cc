/// The types of a package, with the protocols of Errand to which they conform.
struct TypeIndex {
    /// A type of a target.
    struct Key: Hashable {
        let target: String
        let path: String
    }

    /// The conformances of a type, including those through the protocols and classes of the package.
    struct Conformance {
        /// The protocols of Errand.
        var protocols: Set<ErrandProtocol> = []
        /// The names that protocols of the package require: a member with one of them is meant for that.
        var required: Set<String> = []
        /// True if it conforms to a type of another package, which may require anything.
        var hasOthers = false
        /// True if the whole value may be encoded, compared or hashed.
        var isEncodable = false

        mutating func formUnion(_ other: Conformance) {
            self.protocols.formUnion(other.protocols)
            self.required.formUnion(other.required)
            self.hasOthers = self.hasOthers || other.hasOthers
            self.isEncodable = self.isEncodable || other.isEncodable
        }
    }

    private(set) var blocks: [Key: [TypeBlock]] = [:]
    private(set) var aliases: Set<String> = []
    /// The targets with a file that imports Errand.
    private var users: Set<String> = []
    /// The targets that declare a type, by its path.
    private var homes: [String: [String]] = [:]

    /// Adds the types in a source of a target.
    mutating func add(_ types: SourceTypes, to target: String) {
        if types.importsErrand { self.users.insert(target) }
        self.aliases.formUnion(types.aliases)
        for block in types.blocks {
            self.blocks[Key(target: target, path: block.path), default: []].append(block)
            if block.kind != .extension { self.homes[block.path, default: []].append(target) }
        }
    }

    // MARK: - Conformances

    /// Returns the conformances of a type, or of the protocol that is extended.
    func conformance(of key: Key) -> Conformance {
        var seen: Set<Key> = []
        return self.conformance(of: key, &seen)
    }

    private func conformance(of key: Key, _ seen: inout Set<Key>) -> Conformance {
        guard seen.insert(key).inserted else { return Conformance() }
        var conformance = Conformance()
        if !self.isDeclared(key), let one = self.errandProtocol(key.path, in: key.target) {
            conformance.protocols.formUnion(one.all)
        }
        for block in self.blocks[key] ?? [] {
            if block.kind == .proto { conformance.required.formUnion(block.members.map(\.name)) }
            for reference in block.references {
                conformance.formUnion(self.conformance(of: reference, at: key, &seen))
            }
        }
        return conformance
    }

    private func conformance(of reference: String, at key: Key, _ seen: inout Set<Key>) -> Conformance {
        var prefix = key.path.split(separator: ".").map(String.init)
        while true {
            let path = (prefix + [reference]).joined(separator: ".")
            let own = Key(target: key.target, path: path)
            if self.isDeclared(own) { return self.conformance(of: own, &seen) }
            if prefix.isEmpty { break }
            prefix.removeLast()
        }
        if let one = self.errandProtocol(reference, in: key.target) {
            var conformance = self.conformance(ofExtended: one, in: key.target, &seen)
            conformance.protocols.formUnion(one.all)
            return conformance
        }
        if let target = self.homes[reference]?.first {
            return self.conformance(of: Key(target: target, path: reference), &seen)
        }
        let name = reference.split(separator: ".").last.map(String.init) ?? reference
        var conformance = Conformance()
        conformance.isEncodable = ["Codable", "Encodable"].contains(name)
        conformance.hasOthers = !Self.harmless.contains(name)
        return conformance
    }

    /// Returns the conformances that extensions of one of Errand's protocols in the same target add to it.
    private func conformance(
        ofExtended one: ErrandProtocol, in target: String, _ seen: inout Set<Key>
    ) -> Conformance {
        self.conformance(of: Key(target: target, path: one.rawValue), &seen)
    }

    private func isDeclared(_ key: Key) -> Bool {
        self.homes[key.path]?.contains(key.target) ?? false
    }

    /// Returns the protocol of Errand with a name, for a target that does not declare the name itself.
    private func errandProtocol(_ name: String, in target: String) -> ErrandProtocol? {
        guard self.users.contains(target) else { return nil }
        let isQualified = name.hasPrefix("Errand.")
        return ErrandProtocol(rawValue: isQualified ? String(name.dropFirst("Errand.".count)) : name)
    }

    /// Protocols and types of the standard library that do not require a relevant name.
    private static let harmless: Set<String> = [
        "Actor", "AnyObject", "CaseIterable", "Codable", "Comparable", "Copyable", "CustomDebugStringConvertible",
        "CustomStringConvertible", "Decodable", "Encodable", "Equatable", "Error", "Escapable", "Hashable",
        "Identifiable", "Int", "LocalizedError", "NSObject", "RawRepresentable", "Sendable", "SendableMetatype",
        "String",
    ]
}
