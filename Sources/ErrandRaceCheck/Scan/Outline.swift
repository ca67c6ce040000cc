/// The enclosing declaration of each token, and the purpose of each brace.
///
/// It is a heuristic on tokens, which names a place in the same way after its lines have moved.
struct Outline {
    /// The purpose of a brace.
    enum Brace: Hashable {
        /// The members of a type or an extension.
        case type
        /// The body of a function, an accessor or a closure, with suspensions of its own.
        case function
        /// A statement such as `if` or `do`, part of the function around it.
        case statement
        /// A statement that runs at the end of its scope.
        case deferred
    }

    /// The name for code outside of any declaration.
    static let topLevel = "top level"

    /// The declarations around each token, without the one that the token itself begins.
    private(set) var paths: [String] = []
    /// The enclosing declaration of each token.
    private(set) var declarations: [String] = []
    /// The purposes of the braces, by the index of their tokens.
    private(set) var braces: [Int: Brace] = [:]

    private let tokens: [Token]
    private var scopes = [Scope(brace: .type, path: "")]

    private struct Scope {
        let brace: Brace
        let path: String
        /// The number of open round and square brackets.
        var depth = 0
        /// The current member, until another begins or its body has ended.
        var member: Member?
        /// The keyword of a statement whose brace is still to come.
        var statement: String?
        /// True right after the block of a `repeat`, whose `while` has no brace.
        var hasEndedRepeat = false
        let isRepeat: Bool

        init(brace: Brace, path: String, isRepeat: Bool = false) {
            self.brace = brace
            self.path = path
            self.isRepeat = isRepeat
        }

        var declaration: String { self.member?.path ?? self.path }
    }

    private struct Member {
        let path: String
        /// The purpose of its brace.
        let brace: Brace
        /// True for a value, which may continue after its braces.
        let isValue: Bool
    }

    /// Creates the outline of a source.
    init(_ tokens: [Token]) {
        self.tokens = tokens
        self.paths.reserveCapacity(tokens.count)
        self.declarations.reserveCapacity(tokens.count)
        for index in tokens.indices { self.read(index) }
        self.scopes = []
    }

    /// Returns the name of the enclosing declaration of a token, or of the one that an attribute or modifier there
    /// belongs to.
    func declaration(at index: Int) -> String {
        if let ahead = Declaration.behindAttributes(self.tokens, at: index) {
            return Self.join(self.paths[index], ahead)
        }
        let name = self.declarations[index]
        return name.isEmpty ? Self.topLevel : name
    }

    private static func join(_ path: String, _ name: String) -> String {
        path.isEmpty ? name : "\(path).\(name)"
    }

    // MARK: - Reading

    private var scope: Scope {
        get { self.scopes[self.scopes.count - 1] }
        set { self.scopes[self.scopes.count - 1] = newValue }
    }

    private mutating func read(_ index: Int) {
        let token = self.tokens[index]
        switch token.text {
        case "{" where token.kind == .punctuation: self.open(index)
        case "}" where token.kind == .punctuation: self.close()
        case "(" where token.kind == .punctuation, "[" where token.kind == .punctuation: self.scope.depth += 1
        case ")" where token.kind == .punctuation, "]" where token.kind == .punctuation:
            self.scope.depth = max(0, self.scope.depth - 1)
        default: if self.scope.depth == 0 { self.readWord(index) }
        }
        self.paths.append(self.scope.path)
        self.declarations.append(self.scope.declaration)
    }

    private mutating func readWord(_ index: Int) {
        let token = self.tokens[index]
        if token.startsLine, self.scope.member?.isValue == true, self.beginsStatement(index) { self.scope.member = nil }
        guard token.kind == .word, !self.isMemberName(index) else { return }
        if Self.statements.contains(token.text) {
            if token.text != "while" || !self.scope.hasEndedRepeat { self.scope.statement = token.text }
            self.scope.hasEndedRepeat = false
        } else if token.text == "import" {
            self.scope.member = nil
        } else if let declaration = Declaration(self.tokens, at: index, isAmongMembers: self.scope.brace == .type) {
            self.begin(declaration)
        }
    }

    private mutating func begin(_ declaration: Declaration) {
        self.scope.statement = nil
        self.scope.member = Member(
            path: Self.join(self.scope.path, declaration.name), brace: declaration.isType ? .type : .function,
            isValue: declaration.isValue)
    }

    /// True if a word is a name after a dot or a pound sign, and not a keyword.
    private func isMemberName(_ index: Int) -> Bool {
        guard index > 0 else { return false }
        let previous = self.tokens[index - 1]
        return previous.is(".") || (previous.is("#") && previous.touches(self.tokens[index]))
    }

    /// True if a token that is first on its line begins a new statement rather than continuing a value.
    private func beginsStatement(_ index: Int) -> Bool {
        let token = self.tokens[index]
        guard token.kind != .punctuation || token.is("@") || token.is("#"), index > 0 else { return false }
        let previous = self.tokens[index - 1]
        let goesOn = previous.kind == .punctuation && ![")", "]", "}", "?", "!", ">"].contains(previous.text)
        return !goesOn && !["as", "is", "where", "in", "throws", "async"].contains(token.text)
    }

    private mutating func open(_ index: Int) {
        let scope = self.scope
        let brace: Brace
        var path = scope.declaration
        if scope.depth > 0 {
            brace = .function
        } else if let statement = scope.statement {
            brace = statement == "defer" ? .deferred : .statement
            path = scope.path
        } else {
            brace = scope.member?.brace ?? .function
        }
        self.braces[index] = brace
        let isRepeat = brace == .statement && scope.statement == "repeat"
        if scope.depth == 0 {
            self.scope.statement = nil
            if self.scope.member?.isValue == false { self.scope.member = nil }
        }
        self.scope.hasEndedRepeat = false
        self.scopes.append(Scope(brace: brace, path: path, isRepeat: isRepeat))
    }

    private mutating func close() {
        guard self.scopes.count > 1 else { return }
        let ended = self.scopes.removeLast()
        self.scope.hasEndedRepeat = ended.isRepeat
    }

    private static let statements: Set<String> = [
        "if", "guard", "while", "for", "switch", "do", "catch", "else", "defer", "repeat",
    ]
}
