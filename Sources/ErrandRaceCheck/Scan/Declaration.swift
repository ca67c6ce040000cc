/// The head of a declaration, beginning at its keyword.
struct Declaration: Hashable {
    /// Its name without backticks; the names of several variables are joined.
    let name: String
    /// True if its braces contain members.
    let isType: Bool
    /// True for a variable or an alias, whose value may have braces of its own.
    let isValue: Bool

    /// Parses the declaration whose keyword is at an index.
    ///
    /// - Parameters:
    ///   - tokens: The tokens of the source.
    ///   - index: The index of the possible keyword.
    ///   - isAmongMembers: True to accept variables and initializers, which do not count in the body of a function.
    init?(_ tokens: [Token], at index: Int, isAmongMembers: Bool) {
        guard index + 1 < tokens.count, index == 0 || !Self.isKindOfImport(tokens, index) else { return nil }
        let next = tokens[index + 1]
        self.isType = Self.types.contains(tokens[index].text)
        self.isValue = Self.values.contains(tokens[index].text)
        switch tokens[index].text {
        case "extension", "struct", "enum", "protocol", "class", "actor":
            guard let name = Self.typeName(tokens, index) else { return nil }
            self.name = name
        case "func":
            self.name = next.name ?? Self.operatorName(tokens, index + 1)
        case "var" where isAmongMembers, "let" where isAmongMembers:
            guard index == 0 || !Self.beforePatterns.contains(tokens[index - 1].text) else { return nil }
            self.name = Self.valueName(tokens, index + 1)
        case "typealias", "associatedtype":
            guard let name = next.name else { return nil }
            self.name = name
        case "init" where isAmongMembers && ["(", "<", "?", "!"].contains(next.text),
            "subscript" where isAmongMembers && ["(", "<"].contains(next.text),
            "deinit" where isAmongMembers:
            self.name = tokens[index].text
        default:
            return nil
        }
    }

    /// Returns the name of the declaration that an attribute or a modifier belongs to; `nil` if there is none.
    static func behindAttributes(_ tokens: [Token], at start: Int) -> String? {
        var index = start
        while index < tokens.count {
            let token = tokens[index]
            if token.is("@") {
                index = self.end(ofAttribute: index, tokens)
            } else if token.kind == .word, self.isModifier(tokens, index) {
                index = self.end(ofArguments: index + 1, tokens)
            } else if token.is("import") {
                return self.importName(tokens, index)
            } else if index > start, token.kind == .word {
                return Declaration(tokens, at: index, isAmongMembers: true)?.name
            } else {
                return nil
            }
        }
        return nil
    }

    // MARK: - Names

    private static func typeName(_ tokens: [Token], _ index: Int) -> String? {
        guard var name = tokens[index + 1].name else { return nil }
        if tokens[index].text == "class", self.isModifier(tokens, index) { return nil }
        if tokens[index].text == "actor" {
            guard index + 2 < tokens.count, ["{", ":", "<", "where"].contains(tokens[index + 2].text) else {
                return nil
            }
        }
        guard tokens[index].text == "extension" else { return name }
        var end = index + 2
        while end + 1 < tokens.count, tokens[end].is("."), let next = tokens[end + 1].name {
            name += ".\(next)"
            end += 2
        }
        return name
    }

    private static func operatorName(_ tokens: [Token], _ start: Int) -> String {
        var name = tokens[start].text
        var index = start
        while index + 1 < tokens.count, tokens[index].touches(tokens[index + 1]), !tokens[index + 1].is("("),
            tokens[index + 1].kind == .punctuation
        {
            index += 1
            name += tokens[index].text
        }
        return name
    }

    /// The name of a variable, or the names in a pattern.
    private static func valueName(_ tokens: [Token], _ start: Int) -> String {
        guard tokens[start].is("(") else { return tokens[start].name ?? tokens[start].text }
        let names = tokens[start...].prefix { !$0.is(")") && !$0.is("=") && !$0.is("{") }.compactMap(\.name)
        return names.joined(separator: ", ")
    }

    private static func importName(_ tokens: [Token], _ index: Int) -> String {
        var name = "import"
        for token in tokens[(index + 1)...] {
            guard token.name != nil || token.is("."), token.line == tokens[index].line else { break }
            name += name.hasSuffix(".") || token.is(".") ? token.text : " \(token.text)"
        }
        return name
    }

    // MARK: - Attributes and modifiers

    private static func end(ofAttribute start: Int, _ tokens: [Token]) -> Int {
        var index = start + 1
        guard index < tokens.count, tokens[index].name != nil else { return index }
        index += 1
        while index + 1 < tokens.count, tokens[index].is("."), tokens[index + 1].name != nil { index += 2 }
        return tokens.indices.contains(index) && tokens[index - 1].touches(tokens[index])
            ? self.end(ofArguments: index, tokens) : index
    }

    /// The index after the parentheses at `start`, or `start`.
    private static func end(ofArguments start: Int, _ tokens: [Token]) -> Int {
        guard start < tokens.count, tokens[start].is("(") else { return start }
        var depth = 0
        for index in start..<tokens.count {
            if tokens[index].is("(") { depth += 1 }
            if tokens[index].is(")") { depth -= 1 }
            if depth == 0 { return index + 1 }
        }
        return tokens.count
    }

    private static func isModifier(_ tokens: [Token], _ index: Int) -> Bool {
        guard tokens[index].text == "class" else { return self.modifiers.contains(tokens[index].text) }
        guard index + 1 < tokens.count else { return false }
        let next = tokens[index + 1].text
        return self.modifiers.contains(next) || ["func", "var", "let", "subscript"].contains(next)
    }

    private static func isKindOfImport(_ tokens: [Token], _ index: Int) -> Bool {
        tokens[index - 1].is("import")
    }

    private static let types: Set<String> = ["extension", "struct", "enum", "protocol", "class", "actor"]
    private static let values: Set<String> = ["var", "let", "typealias", "associatedtype"]
    /// The tokens after which `let` and `var` are part of a pattern.
    private static let beforePatterns: Set<String> = ["if", "guard", "while", "for", "case", "catch", ",", "("]
    private static let modifiers: Set<String> = [
        "public", "private", "fileprivate", "internal", "package", "open", "static", "final", "override", "mutating",
        "nonmutating", "lazy", "weak", "unowned", "dynamic", "optional", "required", "convenience", "indirect",
        "prefix",
        "postfix", "infix", "nonisolated", "isolated", "distributed", "consuming", "borrowing", "sending", "unsafe",
    ]
}
