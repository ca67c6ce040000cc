/// Finds locks that are held while a task is suspended, or while user code may be run.
///
/// It follows each body from its beginning to its end. A lock is held from `lock()` to the `unlock()` of the same
/// receiver, to the end of the scope if that is deferred, and through the closure of `withLock`. A block that unlocks
/// and leaves the body does not affect the code after it. A lock that is itself awaited is made for suspension.
struct LockWalk {
    /// The tokens at which a lock is taken, and at which it must not be held.
    struct Held: Hashable {
        let lock: Int
        let place: Int
        let rule: Rule
    }

    private struct Lock {
        let index: Int
        let receiver: String
        /// The block at whose end it is unlocked.
        var releasedWith: Int?
        /// The rules for which it has been reported.
        var reported: Set<Rule> = []
    }

    /// A body with its own suspensions: of a function, an accessor or a closure.
    private struct Body {
        var locks: [Lock] = []
    }

    private struct Block {
        let brace: Outline.Brace
        /// The locks that were released in it.
        var released: [Lock] = []
        /// True if control leaves it before its end.
        var isLeft = false
    }

    private let tokens: [Token]
    private let outline: Outline
    private var bodies = [Body()]
    private var blocks = [Block(brace: .function)]
    /// The open parentheses, and the one that was closed last.
    private var parentheses: [Int] = []
    private var lastOpened: Int?
    private var found: [Held] = []

    private init(_ tokens: [Token], _ outline: Outline) {
        self.tokens = tokens
        self.outline = outline
    }

    /// Returns each lock that is held where it must not be, with the first such token for each rule.
    static func held(_ tokens: [Token], _ outline: Outline) -> [Held] {
        var walk = LockWalk(tokens, outline)
        for index in tokens.indices { walk.read(index) }
        return walk.found
    }

    private mutating func read(_ index: Int) {
        let token = self.tokens[index]
        if token.kind == .punctuation {
            switch token.text {
            case "{": self.open(index)
            case "}": self.close()
            case "(": self.parentheses.append(index)
            case ")": self.lastOpened = self.parentheses.popLast()
            default: break
            }
        } else if token.kind == .word {
            self.readWord(index)
        }
    }

    private mutating func readWord(_ index: Int) {
        switch self.tokens[index].text {
        case "await":
            self.report(.lockAcrossAwait, at: index)
        case let text where self.letsLoose(text, index):
            self.report(.resumeUnderLock, at: index)
        case "return", "throw", "break", "continue", "fatalError", "preconditionFailure":
            self.blocks[self.blocks.count - 1].isLeft = true
        case let text where Self.locking.contains(text):
            guard let receiver = self.receiver(ofCall: index), !self.isAwaited(index) else { return }
            self.body.locks.append(Lock(index: index, receiver: receiver))
        case let text where Self.unlocking.contains(text):
            guard let receiver = self.receiver(ofCall: index) else { return }
            self.unlock(receiver)
        default:
            break
        }
    }

    // MARK: - Blocks

    private var body: Body {
        get { self.bodies[self.bodies.count - 1] }
        set { self.bodies[self.bodies.count - 1] = newValue }
    }

    private mutating func open(_ index: Int) {
        let brace = self.outline.braces[index] ?? .function
        self.blocks.append(Block(brace: brace))
        guard brace == .function || brace == .type else { return }
        var body = Body()
        if brace == .function, let lock = self.lockedCall(before: index) {
            body.locks.append(Lock(index: lock, receiver: ""))
        }
        self.bodies.append(body)
    }

    private mutating func close() {
        guard self.blocks.count > 1 else { return }
        let depth = self.blocks.count
        let block = self.blocks.removeLast()
        if block.brace == .function || block.brace == .type {
            if self.bodies.count > 1 { self.bodies.removeLast() }
            return
        }
        self.body.locks.removeAll { $0.releasedWith == depth }
        if block.isLeft {
            self.body.locks += block.released
        } else {
            self.blocks[self.blocks.count - 1].released += block.released
        }
    }

    private mutating func unlock(_ receiver: String) {
        guard let index = self.body.locks.lastIndex(where: { $0.receiver == receiver && $0.releasedWith == nil }) else {
            return
        }
        if let depth = self.blocks.lastIndex(where: { $0.brace == .deferred }), self.isInThisBody(depth) {
            // The enclosing block of the `defer` releases it.
            self.body.locks[index].releasedWith = depth
        } else {
            self.blocks[self.blocks.count - 1].released.append(self.body.locks.remove(at: index))
        }
    }

    private func isInThisBody(_ depth: Int) -> Bool {
        !self.blocks[depth...].contains { $0.brace == .function || $0.brace == .type }
    }

    private mutating func report(_ rule: Rule, at index: Int) {
        for position in self.body.locks.indices where self.body.locks[position].reported.insert(rule).inserted {
            self.found.append(Held(lock: self.body.locks[position].index, place: index, rule: rule))
        }
    }

    /// Returns whether a call resumes a continuation, yields to or finishes a stream, or starts a task.
    private func letsLoose(_ text: String, _ index: Int) -> Bool {
        let next = self.text(index + 1)
        if text == "Task" { return next == "{" || next == "(" && self.text(index - 1) != "func" }
        guard self.text(index - 1) == ".", next == "(", let labels = Self.loosing[text] else { return false }
        // Unrelated functions have these names as well, with other arguments.
        let argument = self.text(index + 2)
        return labels.isEmpty || argument == ")" || self.text(index + 3) == ":" && labels.contains(argument ?? "")
    }

    // MARK: - Calls

    /// Returns the receiver that a call at an index locks or unlocks; `nil` if there is no such call.
    private func receiver(ofCall index: Int) -> String? {
        guard self.text(index + 1) == "(", self.text(index - 1) != "func" else { return nil }
        if Self.functions.contains(self.tokens[index].text) {
            let argument = self.tokens[(index + 2)...].prefix(12).prefix { !$0.is(")") }
            return self.normalized(argument.map(\.text))
        }
        guard self.text(index + 2) == ")" || self.text(index + 2) == "before" else { return nil }
        return self.normalized(self.tokens[self.start(ofCall: index)..<index].map(\.text))
    }

    private func normalized(_ words: [String]) -> String {
        words.filter { !["self", ".", "&", "?", "!", "unsafe", "`"].contains($0) }.joined(separator: ".")
    }

    /// The index of the first token of a chain of names.
    private func start(ofCall index: Int) -> Int {
        var start = index
        while start >= 2, self.tokens[start - 1].is(".") {
            let isOptional = ["?", "!"].contains(self.tokens[start - 2].text)
            let owner = isOptional ? start - 3 : start - 2
            guard owner >= 0, self.tokens[owner].name != nil else { return start }
            start = owner
        }
        return start
    }

    private func isAwaited(_ index: Int) -> Bool {
        var before = self.start(ofCall: index) - 1
        while before >= 0, self.tokens[before].is("unsafe") { before -= 1 }
        return self.text(before) == "await"
    }

    /// The index of the call that runs a closure under a lock.
    private func lockedCall(before brace: Int) -> Int? {
        var index = brace - 1
        if self.text(index) == ")", let opened = self.lastOpened { index = opened }
        if self.text(index) == "(" { index -= 1 }
        guard let text = self.text(index), Self.scoped.contains(text) else { return nil }
        return index
    }

    private func text(_ index: Int) -> String? {
        self.tokens.indices.contains(index) && self.tokens[index].kind != .literal ? self.tokens[index].text : nil
    }

    /// Functions of continuations, with the labels of their arguments; empty if any argument matches.
    private static let loosing: [String: Set<String>] = [
        "resume": ["returning", "throwing", "with"], "yield": [], "finish": ["throwing"],
    ]
    private static let functions: Set<String> = [
        "pthread_mutex_lock", "pthread_mutex_unlock", "pthread_rwlock_rdlock", "pthread_rwlock_wrlock",
        "pthread_rwlock_unlock", "pthread_spin_lock", "pthread_spin_unlock", "os_unfair_lock_lock",
        "os_unfair_lock_unlock",
    ]
    private static let locking: Set<String> = [
        "lock", "tryLock", "lockIfAvailable", "pthread_mutex_lock", "pthread_rwlock_rdlock", "pthread_rwlock_wrlock",
        "pthread_spin_lock", "os_unfair_lock_lock",
    ]
    private static let unlocking: Set<String> = [
        "unlock", "pthread_mutex_unlock", "pthread_rwlock_unlock", "pthread_spin_unlock", "os_unfair_lock_unlock",
    ]
    private static let scoped: Set<String> = [
        "withLock", "withLockUnchecked", "withLockVoid", "withLockIfAvailable", "withLockIfAvailableUnchecked",
    ]
}
