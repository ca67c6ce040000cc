/// Scans one source by the rules about races.
struct SourceScanner {
    /// The tokens of the source.
    let tokens: [Token]
    /// The enclosing declarations of the tokens.
    let outline: Outline
    private let file: String
    private let lines: [ArraySlice<UInt8>]

    /// Parses a source.
    ///
    /// - Parameters:
    ///   - bytes: The source, which may be any bytes.
    ///   - file: The path of the file, for the findings.
    init(_ bytes: [UInt8], file: String) {
        self.file = file
        self.lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        self.tokens = Lexer.tokens(of: bytes)
        self.outline = Outline(self.tokens)
    }

    /// Returns the findings in a source, in order.
    ///
    /// - Parameters:
    ///   - bytes: The source, which may be any bytes.
    ///   - file: The path of the file, for the findings.
    /// - Returns: The findings.
    static func findings(in bytes: [UInt8], file: String) -> [Finding] {
        SourceScanner(bytes, file: file).findings()
    }

    /// Returns the findings in order.
    func findings() -> [Finding] {
        var found: [(index: Int, rule: Rule, note: String?)] = []
        for index in self.tokens.indices {
            if let rule = self.rule(at: index) { found.append((index, rule, nil)) }
        }
        for held in LockWalk.held(self.tokens, self.outline) {
            let what = held.rule == .lockAcrossAwait ? "suspended" : "let loose"
            found.append((held.lock, held.rule, "\(what) at line \(self.tokens[held.place].line)"))
        }
        return found.sorted { ($0.index, $0.rule.rawValue) < ($1.index, $1.rule.rawValue) }
            .map { self.finding($0.rule, at: $0.index, note: $0.note) }
    }

    /// Returns a finding at a token.
    func finding(_ rule: Rule, at index: Int, note: String? = nil) -> Finding {
        let token = self.tokens[index]
        let source =
            self.lines.indices.contains(token.line - 1)
            ? String(decoding: self.lines[token.line - 1], as: UTF8.self) : ""
        return Finding(
            rule: rule, file: self.file, line: token.line, column: token.column,
            declaration: self.outline.declaration(at: index),
            source: source.trimmed, note: note)
    }

    // MARK: - Rules that look at a few tokens

    private func rule(at index: Int) -> Rule? {
        let token = self.tokens[index]
        if token.is("@") {
            switch self.token(index + 1)?.name {
            case "unchecked": return .uncheckedSendable
            case "preconcurrency": return .preconcurrency
            default: return nil
            }
        }
        guard let name = token.name else { return nil }
        if name == "nonisolated" { return self.isUnsafeArgument(index + 1) ? .nonisolatedUnsafe : nil }
        if Self.continuations.contains(name) { return .unsafeContinuation }
        if Self.semaphores.contains(name) { return .semaphore }
        if Self.detaching.contains(name) { return self.isOfTask(index) ? .detachedTask : nil }
        return nil
    }

    private func token(_ index: Int) -> Token? {
        self.tokens.indices.contains(index) ? self.tokens[index] : nil
    }

    private func isUnsafeArgument(_ index: Int) -> Bool {
        self.token(index)?.is("(") == true && self.token(index + 1)?.is("unsafe") == true
            && self.token(index + 2)?.is(")") == true
    }

    /// True if `detached` is that of a task: `Task.`, `Task<…>.`, or a bare dot before a call.
    private func isOfTask(_ index: Int) -> Bool {
        guard self.token(index - 1)?.is(".") == true else { return false }
        guard let owner = self.token(index - 2) else { return true }
        if owner.name == "Task" { return true }
        if owner.is(">") { return self.isGenericTask(index - 2) }
        let isImplicit = owner.kind == .punctuation && ![")", "]", "}", "?", "!"].contains(owner.text)
        return (isImplicit || owner.is("return")) && ["{", "("].contains(self.token(index + 1)?.text)
    }

    private func isGenericTask(_ end: Int) -> Bool {
        var depth = 0
        for index in stride(from: end, through: max(0, end - 200), by: -1) {
            // The angle bracket of `->` is not a closing one.
            if self.tokens[index].is(">"), self.token(index - 1)?.is("-") != true { depth += 1 }
            if self.tokens[index].is("<") { depth -= 1 }
            if depth == 0 { return self.token(index - 1)?.name == "Task" }
        }
        return false
    }

    private static let continuations: Set<String> = [
        "withUnsafeContinuation", "withUnsafeThrowingContinuation", "UnsafeContinuation",
    ]
    private static let detaching: Set<String> = ["detached", "immediateDetached"]
    private static let semaphores: Set<String> = [
        "DispatchSemaphore", "DispatchGroup", "NSCondition", "NSConditionLock", "sem_wait", "sem_timedwait",
        "pthread_cond_wait", "pthread_cond_timedwait",
    ]
}
