/// Reads the types of a source, with the relevant members.
///
/// It is a heuristic on tokens, like ``Outline``; in doubt, it finds no members.
struct TypeReader {
    private let source: SourceScanner
    private let brackets: Brackets
    private var vocabulary = Vocabulary()
    private var types = SourceTypes()

    private var tokens: [Token] { self.source.tokens }

    private init(_ source: SourceScanner) {
        self.source = source
        self.brackets = Brackets(source.tokens)
    }

    /// Returns the types in a source.
    static func types(in source: SourceScanner) -> SourceTypes {
        var reader = TypeReader(source)
        reader.read()
        return reader.types
    }

    private mutating func read() {
        for index in self.tokens.indices {
            let token = self.tokens[index]
            if token.is("import") {
                self.readImport(index)
            } else if token.is("typealias"), let name = self.token(index + 1)?.name {
                self.types.aliases.insert(name)
            } else if token.is("{"), self.source.outline.braces[index] == .type, let start = self.head(before: index) {
                self.types.blocks.append(self.block(head: start, brace: index))
            }
        }
    }

    private func token(_ index: Int) -> Token? {
        self.tokens.indices.contains(index) ? self.tokens[index] : nil
    }

    /// Parses `import Errand` and `import struct Errand.Client`.
    private mutating func readImport(_ index: Int) {
        let isKind = ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var"]
            .contains(self.token(index + 1)?.text)
        if self.token(index + (isKind ? 2 : 1))?.name == "Errand" { self.types.importsErrand = true }
    }

    // MARK: - Heads

    /// Returns the index of the keyword of the declaration whose members are in a brace.
    private func head(before brace: Int) -> Int? {
        for index in stride(from: brace - 1, through: max(0, brace - 500), by: -1) {
            if self.tokens[index].is("}") { return nil }
            guard Self.keywords.contains(self.tokens[index].text), self.tokens[index].kind == .word else { continue }
            if Declaration(self.tokens, at: index, isAmongMembers: true)?.isType == true { return index }
        }
        return nil
    }

    private static let keywords: Set<String> = ["struct", "enum", "class", "actor", "extension", "protocol"]

    private mutating func block(head: Int, brace: Int) -> TypeBlock {
        let kind: TypeBlock.Kind =
            switch self.tokens[head].text {
            case "extension": .extension
            case "protocol": .proto
            default: .type
            }
        var block = TypeBlock(kind: kind, path: Self.withoutModule(self.source.outline.paths[brace]))
        block.references = self.references(from: head + 1, to: brace)
        self.readMembers(from: brace + 1, to: min(self.brackets.end(of: brace), self.tokens.count), into: &block)
        return block
    }

    private static func withoutModule(_ path: String) -> String {
        path.hasPrefix("Errand.") ? String(path.dropFirst("Errand.".count)) : path
    }

    /// The names after the colon of a head, without type arguments and attributes.
    private func references(from start: Int, to brace: Int) -> [String] {
        var index = start
        while index < brace, !self.tokens[index].is(":") {
            if self.tokens[index].is("where") { return [] }
            index = self.tokens[index].is("<") ? self.end(ofAngles: index, brace) : index + 1
        }
        var names: [String] = []
        var name = ""
        index += 1
        while index < brace, !self.tokens[index].is("where") {
            let token = self.tokens[index]
            if token.is("<") {
                index = self.end(ofAngles: index, brace)
                continue
            } else if token.is("@") {
                index += 1
            } else if token.is(",") || token.is("&") {
                names.append(name)
                name = ""
            } else if token.is(".") {
                name += "."
            } else if let word = token.name, !["nonisolated", "any", "unsafe"].contains(word) {
                name = name.hasSuffix(".") ? name + word : word
            }
            index += 1
        }
        return (names + [name]).filter { !$0.isEmpty }
    }

    /// The index after the angle bracket that closes the one at `start`.
    private func end(ofAngles start: Int, _ limit: Int) -> Int {
        var depth = 0
        for index in start..<limit {
            if self.tokens[index].is("<") { depth += 1 }
            if self.tokens[index].is(">"), self.token(index - 1)?.is("-") != true { depth -= 1 }
            if depth == 0 { return index + 1 }
        }
        return limit
    }

    // MARK: - Members

    private mutating func readMembers(from start: Int, to end: Int, into block: inout TypeBlock) {
        var index = start
        while index < end {
            let token = self.tokens[index]
            if self.isOpening(index) {
                // Also skips the body of an initializer: it sets values, and its uses do not count.
                index = self.brackets.end(of: index) + 1
            } else if token.is("var") || token.is("let") {
                index = self.readProperties(index, end, &block)
            } else if token.is("func") {
                index = self.readFunction(index, end, &block)
            } else if token.is("typealias"), let name = self.token(index + 1)?.name {
                self.add(name, kind: .type, at: index + 1, to: &block) { _ in }
                index = self.end(ofType: index + 2, end)
            } else if token.kind == .word, self.token(index - 1)?.is(".") != true,
                let type = Declaration(self.tokens, at: index, isAmongMembers: true), type.isType
            {
                self.add(type.name, kind: .type, at: index + 1, to: &block) { _ in }
                index += 2
                while index < end, !self.tokens[index].is("{") { index += 1 }
            } else {
                index += 1
            }
        }
    }

    private mutating func add(
        _ name: String, kind: TypeMember.Kind, at index: Int, to block: inout TypeBlock,
        _ fill: (inout TypeMember) -> Void
    ) {
        guard self.vocabulary.isOfInterest(name) else { return }
        var member = TypeMember(name: name, kind: kind, place: self.source.finding(.nearMiss, at: index))
        fill(&member)
        block.members.append(member)
    }

    /// True if `static` or `class` is among the modifiers before a keyword.
    private func isStatic(_ keyword: Int) -> Bool {
        guard !self.tokens[keyword].startsLine else { return false }
        var index = keyword - 1
        while let token = self.token(index) {
            if token.is("static") || token.is("class") { return true }
            if token.is(")") {
                // The parentheses of an attribute or of `private(set)`.
                while let other = self.token(index), !other.is("(") { index -= 1 }
            } else if token.kind != .word {
                return false
            }
            if token.startsLine, !self.tokens[index].is("(") { return false }
            index -= 1
        }
        return false
    }

    // MARK: - Properties

    /// Reads `let` or `var` with all its properties, and returns the index after them.
    private mutating func readProperties(_ keyword: Int, _ end: Int, _ block: inout TypeBlock) -> Int {
        let isStatic = self.isStatic(keyword)
        var index = keyword + 1
        while index < end, let name = self.tokens[index].name {
            let nameIndex = index
            index += 1
            var type: String?
            if index < end, self.tokens[index].is(":") {
                let typeEnd = self.end(ofType: index + 1, end)
                type = self.text(index + 1..<typeEnd)
                index = typeEnd
            }
            var origin = TypeMember.Origin.stored
            var value: Range<Int>?
            if index < end, self.tokens[index].is("=") {
                let valueEnd = self.end(ofExpression: index + 1, end)
                value = index + 1..<valueEnd
                origin = .initialized
                index = valueEnd
            }
            var body: Range<Int>?
            if index < end, self.tokens[index].is("{") {
                let bodyEnd = min(self.brackets.end(of: index), end)
                body = index + 1..<bodyEnd
                if value == nil, !self.isObserver(index + 1) { origin = .computed }
                index = bodyEnd + 1
            }
            let effects = origin == .computed ? self.effects(ofGetter: body) : []
            let valueType = value.flatMap(self.valueType)
            self.add(name, kind: .property, at: nameIndex, to: &block) { member in
                member.isStatic = isStatic
                member.type = type
                member.origin = origin
                member.valueType = valueType
                member.isAsync = effects.contains("async")
                member.isThrowing = effects.contains("throws")
            }
            for range in [value, body].compactMap(\.self) { self.readUses(in: range, by: name, into: &block) }
            guard index < end, self.tokens[index].is(",") else { break }
            index += 1
        }
        return index
    }

    private func isObserver(_ index: Int) -> Bool {
        self.token(index)?.is("willSet") == true || self.token(index)?.is("didSet") == true
    }

    private func effects(ofGetter body: Range<Int>?) -> Set<String> {
        guard let body, let first = body.first, self.tokens[first].is("get") else { return [] }
        return Set(self.tokens[body].dropFirst().prefix { $0.kind == .word }.map(\.text))
    }

    /// The type that an initial value implies.
    private func valueType(of range: Range<Int>) -> TypeMember.ValueType? {
        guard let first = range.first else { return nil }
        let token = self.tokens[first]
        let isAlone = range.count == 1
        if token.kind == .literal { return isAlone ? .literal : nil }
        if token.is("[") { return self.brackets.end(of: first) + 1 == range.upperBound ? .literal : nil }
        if isAlone, ["true", "false", "nil"].contains(token.text) { return .literal }
        guard var name = token.name, name.first?.isUppercase == true else { return nil }
        var index = first + 1
        if name == "Errand", self.token(index)?.is(".") == true, let next = self.token(index + 1)?.name {
            name = next
            index += 2
        }
        guard index < range.upperBound else { return nil }
        if self.tokens[index].is("<") { index = self.end(ofAngles: index, range.upperBound) }
        guard index < range.upperBound else { return nil }
        if self.tokens[index].is("("), self.brackets.end(of: index) + 1 == range.upperBound {
            return .named(name, isInstance: true)
        }
        return self.tokens[index].is(".") ? .named(name, isInstance: false) : nil
    }

    // MARK: - Functions

    /// Reads a function, and returns the index after it.
    private mutating func readFunction(_ keyword: Int, _ end: Int, _ block: inout TypeBlock) -> Int {
        let isStatic = self.isStatic(keyword)
        guard keyword + 1 < end, let name = self.tokens[keyword + 1].name else { return keyword + 1 }
        var index = keyword + 2
        let isGeneric = index < end && self.tokens[index].is("<")
        if isGeneric { index = self.end(ofAngles: index, end) }
        guard index < end, self.tokens[index].is("(") else { return index }
        let close = min(self.brackets.end(of: index), end)
        let (parameters, names) = self.parameters(in: index + 1..<close)
        index = close + 1
        var effects: Set<String> = []
        while index < end, self.tokens[index].kind == .word, Self.effectWords.contains(self.tokens[index].text) {
            effects.insert(self.tokens[index].text)
            index += 1
            if index < end, self.tokens[index].is("(") { index = self.brackets.end(of: index) + 1 }
        }
        var result: String?
        if index + 1 < end, self.tokens[index].is("-"), self.tokens[index + 1].is(">") {
            let resultEnd = self.end(ofType: index + 2, end)
            result = self.text(index + 2..<resultEnd)
            index = resultEnd
        }
        if index < end, self.tokens[index].is("where") {
            while index < end, !self.tokens[index].is("{"), !self.beginsMember(index) { index += 1 }
        }
        self.add(name, kind: .function, at: keyword + 1, to: &block) { member in
            member.isStatic = isStatic
            member.type = result
            member.origin = .computed
            member.parameters = parameters
            member.isGeneric = isGeneric
            member.isAsync = effects.contains("async")
            member.isThrowing = effects.contains("throws")
        }
        if index < end, self.tokens[index].is("{") {
            let bodyEnd = min(self.brackets.end(of: index), end)
            self.readUses(in: index + 1..<bodyEnd, by: name, hiding: names, into: &block)
            index = bodyEnd + 1
        }
        return index
    }

    private static let effectWords: Set<String> = ["async", "throws", "rethrows", "reasync"]

    /// Reads parameters, and the names that shadow members in the body.
    private func parameters(in range: Range<Int>) -> ([TypeMember.Parameter], Set<String>) {
        var parameters: [TypeMember.Parameter] = []
        var names: Set<String> = []
        var index = range.lowerBound
        while index < range.upperBound {
            guard let label = self.tokens[index].name else {
                index += 1
                continue
            }
            let colon = self.tokens[index..<range.upperBound].firstIndex { $0.is(":") } ?? range.upperBound
            guard colon < range.upperBound else { break }
            names.insert(self.tokens[colon - 1].name ?? label)
            var typeEnd = self.end(ofType: colon + 1, range.upperBound, isParameter: true)
            parameters.append(TypeMember.Parameter(label: label, type: self.text(colon + 1..<typeEnd)))
            while typeEnd < range.upperBound, !self.tokens[typeEnd].is(",") {
                typeEnd = self.isOpening(typeEnd) ? self.brackets.end(of: typeEnd) + 1 : typeEnd + 1
            }
            index = typeEnd + 1
        }
        return (parameters, names)
    }

    // MARK: - Types and expressions

    private func isOpening(_ index: Int) -> Bool {
        self.tokens[index].kind == .punctuation && ["(", "[", "{"].contains(self.tokens[index].text)
    }

    /// The index after a type.
    private func end(ofType start: Int, _ limit: Int, isParameter: Bool = false) -> Int {
        var index = start
        while index < limit {
            let token = self.tokens[index]
            if token.is("{") || token.is("=") || token.is(",") || token.is(";") || token.is("where") { return index }
            if index > start, !isParameter, self.beginsMember(index) { return index }
            if token.is("(") || token.is("[") {
                index = self.brackets.end(of: index) + 1
            } else if token.is("<") {
                index = self.end(ofAngles: index, limit)
            } else {
                index += 1
            }
        }
        return limit
    }

    /// The index after an initial value.
    private func end(ofExpression start: Int, _ limit: Int) -> Int {
        var index = start
        while index < limit {
            let token = self.tokens[index]
            if token.is(",") || token.is(";") { return index }
            if token.is("{"), self.isObserver(index + 1) { return index }
            if index > start, self.beginsMember(index) { return index }
            if self.isOpening(index) {
                index = self.brackets.end(of: index) + 1
            } else if token.is("<"), let owner = self.token(index - 1), owner.touches(token),
                owner.name?.first?.isUppercase == true
            {
                index = self.end(ofAngles: index, limit)
            } else {
                index += 1
            }
        }
        return min(index, limit)
    }

    /// True if a token that is first on its line begins a new member.
    private func beginsMember(_ index: Int) -> Bool {
        let token = self.tokens[index]
        guard token.startsLine, token.kind != .punctuation || token.is("@") || token.is("#") || token.is("}") else {
            return false
        }
        guard let previous = self.token(index - 1), previous.kind == .punctuation else { return true }
        return [")", "]", "}", "?", "!", ">"].contains(previous.text)
    }

    /// Formats a type with standard white space.
    private func text(_ range: Range<Int>) -> String {
        var text = ""
        var previous: Token?
        for token in self.tokens[range] {
            let isSpaced =
                previous.map {
                    $0.name != nil && token.name != nil || $0.is(",") || $0.is(":") || $0.is("&") || token.is("&")
                        || token.is("-") || $0.is(">") && token.name != nil
                } ?? false
            text += (isSpaced ? " " : "") + (token.name ?? token.text)
            previous = token
        }
        return text.hasPrefix("Errand.") ? String(text.dropFirst("Errand.".count)) : text
    }

    // MARK: - Uses

    /// Records the relevant names that a body uses of its type.
    private mutating func readUses(
        in range: Range<Int>, by member: String, hiding parameters: Set<String> = [], into block: inout TypeBlock
    ) {
        var bare: Set<String> = []
        var used: Set<String> = []
        var locals = parameters
        let typeName = block.path.split(separator: ".").last.map(String.init)
        for index in range {
            guard let name = self.tokens[index].name else { continue }
            let previous = self.token(index - 1)
            let next = self.token(index + 1)
            if self.tokens[index].is("self") {
                let isGiven = previous.map { $0.is("(") || $0.is(",") || $0.is(":") } ?? false
                if isGiven, next?.is(")") == true || next?.is(",") == true { block.isUsedWhole = true }
                continue
            }
            guard self.vocabulary.isOfInterest(name) else { continue }
            if previous?.is(".") == true {
                let owner = self.token(index - 2)?.name
                if owner == "self" || owner == "Self" || owner == typeName { used.insert(name) }
            } else if previous?.is("let") == true || previous?.is("var") == true {
                // `if let name {` reads the member.
                let isShort = next?.is("{") == true || next?.is(",") == true || next?.is("else") == true
                if isShort { used.insert(name) } else { locals.insert(name) }
            } else if next?.is(":") == true, previous?.is("?") != true {
                if previous?.kind == .word { locals.insert(name) }
            } else {
                bare.insert(name)
            }
        }
        for name in used.union(bare.subtracting(locals)) { block.uses[name, default: []].insert(member) }
    }
}
