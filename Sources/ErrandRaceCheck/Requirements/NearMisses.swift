/// Finds members of endpoints, accessories and interceptors that almost match a requirement: they compile and are
/// ignored.
///
/// A member that another member of the type uses is considered the type's own, and so is a stored property of a type
/// that is encoded as a whole. Other members are reported if they cannot be data: computed properties, properties with
/// an initial value, and those of one of Errand's types.
struct NearMisses {
    private let index: TypeIndex
    /// The names that endpoints and the like use anywhere; an extension of a protocol may be declared for them.
    private let usedAnywhere: Set<String>

    /// Creates the search in the types of a package.
    init(in index: TypeIndex) {
        self.index = index
        self.usedAnywhere = Set(
            index.blocks.filter { !index.conformance(of: $0.key).protocols.isEmpty }
                .values.joined().flatMap(\.uses.keys))
    }

    /// Returns the findings, in the order of files and lines.
    func findings() -> [Finding] {
        var found: Set<Finding> = []
        for (key, blocks) in self.index.blocks {
            let conformance = self.index.conformance(of: key)
            guard !conformance.protocols.isEmpty else { continue }
            let type = Subject(key: key, blocks: blocks, conformance: conformance)
            for block in blocks where block.kind != .proto {
                for member in block.members {
                    guard let sentence = self.sentence(about: member, in: type) else { continue }
                    var finding = member.place
                    finding.note = sentence
                    found.insert(finding)
                }
            }
        }
        return found.sorted { ($0.file, $0.line, $0.column) < ($1.file, $1.line, $1.column) }
    }

    /// A type with all its known properties.
    private struct Subject {
        let blocks: [TypeBlock]
        let conformance: TypeIndex.Conformance
        let properties: [String: (requirement: ErrandProtocol.Property, of: ErrandProtocol)]
        let functions: [String: (requirement: ErrandProtocol.Function, of: ErrandProtocol)]
        /// True for an extension of a protocol of Errand's or of the package.
        let isProtocol: Bool

        init(key: TypeIndex.Key, blocks: [TypeBlock], conformance: TypeIndex.Conformance) {
            self.blocks = blocks
            self.conformance = conformance
            // A protocol that refines another comes first, and its requirements replace those of the other.
            let all = conformance.protocols.sorted { ($1.all.count, $0.rawValue) < ($0.all.count, $1.rawValue) }
            self.properties = Dictionary(
                all.flatMap { one in one.properties.map { ($0.name, (requirement: $0, of: one)) } }
            ) { one, _ in one }
            self.functions = Dictionary(
                all.flatMap { one in one.functions.map { ($0.name, (requirement: $0, of: one)) } }
            ) { one, _ in one }
            self.isProtocol = blocks.contains { $0.kind == .proto } || ErrandProtocol(rawValue: key.path) != nil
        }

        func members(named name: String) -> [TypeMember] {
            self.blocks.flatMap { $0.members.filter { $0.name == name } }
        }

        /// Returns whether a member with another name uses it.
        func uses(_ name: String) -> Bool {
            self.blocks.contains { !($0.uses[name] ?? []).subtracting([name]).isEmpty }
        }

        /// True if a stored property may be read along with all others.
        var isReadWhole: Bool { self.conformance.isEncodable || self.blocks.contains(where: \.isUsedWhole) }
    }

    private func sentence(about member: TypeMember, in type: Subject) -> String? {
        guard !type.conformance.required.contains(member.name), !type.uses(member.name) else { return nil }
        if type.isProtocol, self.usedAnywhere.contains(member.name) { return nil }
        switch member.kind {
        case .property: return self.sentence(aboutProperty: member, in: type)
        case .function: return self.sentence(aboutFunction: member, in: type)
        case .type: return self.sentence(aboutType: member, in: type)
        }
    }

    // MARK: - Properties

    private func sentence(aboutProperty member: TypeMember, in type: Subject) -> String? {
        if let (requirement, owner) = type.properties[member.name] {
            return self.sentence(about: member, named: requirement, of: owner, in: type)
        }
        let isErrands = member.type.map(Self.isPart) ?? false
        let mayBeOthers = type.conformance.hasOthers && !isErrands
        guard !member.isStatic, !mayBeOthers else { return nil }
        if type.conformance.protocols.contains(.endpoint), let remedy = ForeignNames.remedy(for: member.name) {
            guard member.origin != .stored || isErrands && !type.isReadWhole else { return nil }
            return "`\(member.name)` is not a requirement of Endpoint: \(remedy)"
        }
        let near = type.properties.values.filter { Spelling.isNear(member.name, $0.requirement.name) }
            .min { $0.requirement.name < $1.requirement.name }
        guard let near, type.members(named: near.requirement.name).isEmpty else { return nil }
        let hasItsType = member.type.map { self.isType($0, near.requirement.type) } ?? false
        guard member.origin != .stored || hasItsType else { return nil }
        return "`\(member.name)` is not a requirement of \(near.of.rawValue): write `\(near.requirement.name)`"
    }

    private func sentence(
        about member: TypeMember, named requirement: ErrandProtocol.Property, of owner: ErrandProtocol, in type: Subject
    ) -> String? {
        let right = "write `var \(requirement.name): \(requirement.type)`"
        let ignored = "is ignored by \(owner.rawValue)"
        switch self.fit(of: member, to: requirement) {
        case .unknown:
            return nil
        case .right where member.isStatic:
            return "a static `\(member.name)` \(ignored): remove `static`"
        case .right where member.isAsync || member.isThrowing && !requirement.mayThrow:
            return "`\(member.name)` with a getter that throws or waits \(ignored): \(right)"
        case .right:
            return nil
        case .wrong where member.isStatic:
            return nil
        case .wrong:
            if member.origin == .stored, type.isReadWhole || type.conformance.hasOthers { return nil }
            guard let written = member.type else { return "`\(member.name)` of this value \(ignored): \(right)" }
            return "`\(member.name): \(written)` \(ignored): \(right)"
        }
    }

    private enum Fit { case right, wrong, unknown }

    private func fit(of member: TypeMember, to requirement: ErrandProtocol.Property) -> Fit {
        if let written = member.type {
            if self.index.aliases.contains(Self.base(written)) { return .unknown }
            return self.isType(written, requirement.type) ? .right : .wrong
        }
        switch member.valueType {
        case .literal: return requirement.type == "String" ? .unknown : .wrong
        case .named(let name, let isInstance):
            if name == requirement.type { return .right }
            return isInstance && !self.index.aliases.contains(name) ? .wrong : .unknown
        case nil: return .unknown
        }
    }

    /// True if a type, or the type that an optional wraps, is that of a part of `RequestOptions`.
    private static func isPart(_ written: String) -> Bool {
        ForeignNames.partTypes.contains(self.base(written.hasSuffix("?") ? String(written.dropLast()) : written))
    }

    /// True if the written type is the required one, apart from its arguments.
    private func isType(_ written: String, _ asked: String) -> Bool {
        Self.base(written) == Self.base(asked)
    }

    /// A type without its arguments, its module, and enclosing parentheses.
    private static func base(_ type: String) -> String {
        var text = type[...]
        if text.hasPrefix("("), text.hasSuffix(")") { text = text.dropFirst().dropLast() }
        if let angle = text.firstIndex(of: "<") { text = text[..<angle] }
        return String(text).replacing("Errand.", with: "")
    }

    // MARK: - Functions and types

    private func sentence(aboutFunction member: TypeMember, in type: Subject) -> String? {
        if let (requirement, owner) = type.functions[member.name] {
            guard !self.isMet(requirement, by: member) else { return nil }
            let isElsewhere = type.members(named: member.name).contains { self.isMet(requirement, by: $0) }
            let mayBeOthers = member.isGeneric || type.conformance.hasOthers
            guard !isElsewhere, !mayBeOthers, self.isMeant(requirement, by: member) else { return nil }
            if owner == .accessory, let waiting = ErrandProtocol.asyncAccessory.function(named: member.name),
                self.isMet(waiting, by: member)
            {
                return
                    "an async `\(member.name)` is ignored by Accessory: conform to `AsyncAccessory`, or remove `async`"
            }
            return "this `\(member.name)` is ignored by \(owner.rawValue): write `\(requirement.declaration)`"
        }
        if type.conformance.protocols.contains(.endpoint), !type.conformance.hasOthers,
            let hook = ErrandProtocol.processingEndpoint.function(named: member.name),
            self.isMet(hook, by: member)
        {
            return "`\(member.name)` is never called of a plain Endpoint: conform to `ProcessingEndpoint`"
        }
        let near = type.functions.values.filter { Spelling.isNear(member.name, $0.requirement.name) }
            .min { $0.requirement.name < $1.requirement.name }
        guard let near, type.members(named: near.requirement.name).isEmpty else { return nil }
        // A function with a similar name may well be the type's own, but hardly one with the same parameter types.
        let types = member.parameters.map { Self.base($0.type) }
        let isOfSame = types == near.requirement.parameters.map { Self.base($0.type) }
        let hasResult = near.requirement.result == nil || member.type == near.requirement.result
        guard isOfSame, hasResult, !member.isStatic else { return nil }
        return "`\(member.name)` is not a requirement of \(near.of.rawValue): write `\(near.requirement.declaration)`"
    }

    private func isMet(_ requirement: ErrandProtocol.Function, by member: TypeMember) -> Bool {
        guard member.kind == .function, !member.isStatic, !member.isAsync || requirement.mayWait,
            member.parameters.count == requirement.parameters.count
        else { return false }
        let areSame = zip(member.parameters, requirement.parameters).allSatisfy { written, asked in
            let isAlias = self.index.aliases.contains(Self.base(written.type))
            return written.label == asked.label && (isAlias || self.isType(written.type, asked.type))
        }
        guard let result = requirement.result else { return areSame }
        let isAlias = member.type.map { self.index.aliases.contains($0) } ?? false
        return areSame && (isAlias || member.type == result || member.type == "Optional<\(result.dropLast())>")
    }

    /// True if a function with the name of a requirement can only be meant as that requirement.
    private func isMeant(_ requirement: ErrandProtocol.Function, by member: TypeMember) -> Bool {
        guard requirement.name == "decode" else { return true }
        return member.parameters.count == 1 && ["Data", "HTTPResponse"].contains(Self.base(member.parameters[0].type))
    }

    private func sentence(aboutType member: TypeMember, in type: Subject) -> String? {
        guard type.conformance.protocols.contains(.endpoint), Spelling.isNear(member.name, "Response"),
            type.members(named: "Response").isEmpty
        else { return nil }
        return "`\(member.name)` is not a requirement of Endpoint: write `Response`"
    }
}
