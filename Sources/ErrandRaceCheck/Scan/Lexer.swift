/// Splits Swift source into tokens, without comments and the content of string literals.
///
/// It terminates and does not trap for any bytes: unclosed constructs end with the source, and a single-line string
/// with its line. Interpolations are code. It has no recursion, so nesting only costs memory.
struct Lexer {
    private struct TextShape {
        let pounds: Int
        let isMultiline: Bool
    }

    /// The stack of enclosing string literals and interpolations; empty outside of them.
    private enum Place {
        case text(TextShape)
        case interpolation(parentheses: Int)
    }

    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var lineStart = 0
    private var lastTokenLine = 0
    private var places: [Place] = []
    private var tokens: [Token] = []

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Returns the tokens of a source, in order.
    static func tokens(of bytes: [UInt8]) -> [Token] {
        var lexer = Lexer(bytes)
        lexer.skipPreamble()
        while lexer.position < bytes.count {
            if case .text(let shape) = lexer.places.last { lexer.readText(shape) } else { lexer.readCode() }
        }
        return lexer.tokens
    }

    // MARK: - Bytes

    private func byte(at offset: Int) -> UInt8? {
        let index = self.position + offset
        return index < self.bytes.count ? self.bytes[index] : nil
    }

    private func count(of byte: UInt8, from offset: Int) -> Int {
        var count = 0
        while self.byte(at: offset + count) == byte { count += 1 }
        return count
    }

    /// Advances by one byte and counts lines.
    private mutating func step() {
        let byte = self.bytes[self.position]
        self.position += 1
        guard byte == Byte.newline || (byte == Byte.carriageReturn && self.byte(at: 0) != Byte.newline) else { return }
        self.line += 1
        self.lineStart = self.position
    }

    private var isAtLineEnd: Bool {
        self.byte(at: 0) == Byte.newline || self.byte(at: 0) == Byte.carriageReturn
    }

    private mutating func skipLine() {
        while self.position < self.bytes.count, !self.isAtLineEnd { self.position += 1 }
    }

    private mutating func skipPreamble() {
        if self.bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            self.position = 3
            self.lineStart = 3
        }
        if self.byte(at: 0) == Byte.pound, self.byte(at: 1) == Byte.exclamation { self.skipLine() }
    }

    /// Takes the next bytes as a token.
    private mutating func take(_ kind: Token.Kind, _ count: Int) {
        let end = min(self.position + count, self.bytes.count)
        let text = kind == .literal ? "" : String(decoding: self.bytes[self.position..<end], as: UTF8.self)
        self.note(kind, text)
        self.position = end
    }

    private mutating func note(_ kind: Token.Kind, _ text: String) {
        self.tokens.append(
            Token(
                kind: kind, text: text, line: self.line, column: self.position - self.lineStart + 1,
                startsLine: self.lastTokenLine != self.line))
        self.lastTokenLine = self.line
    }

    // MARK: - Code

    private mutating func readCode() {
        let byte = self.bytes[self.position]
        switch byte {
        case Byte.newline, Byte.carriageReturn, Byte.space, Byte.tab, 0x0B, 0x0C, 0x00: self.step()
        case Byte.slash: self.readSlash()
        case Byte.pound: self.readPound()
        case Byte.quote: self.beginText(pounds: 0)
        case Byte.backtick: self.readQuotedWord()
        case Byte.openParenthesis, Byte.closeParenthesis: self.readParenthesis(byte)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self.readNumber()
        case _ where Byte.isInWord(byte): self.take(.word, self.wordLength(from: 0))
        default: self.take(.punctuation, 1)
        }
    }

    private func wordLength(from offset: Int) -> Int {
        var length = 0
        while let byte = self.byte(at: offset + length), Byte.isInWord(byte) { length += 1 }
        return length
    }

    private mutating func readNumber() {
        var length = self.wordLength(from: 0)
        if self.byte(at: length) == Byte.dot, let next = self.byte(at: length + 1), Byte.isDigit(next) {
            length += 1 + self.wordLength(from: length + 1)
        }
        self.take(.literal, length)
    }

    private mutating func readQuotedWord() {
        var length = 1
        while let byte = self.byte(at: length), byte != Byte.newline, byte != Byte.carriageReturn {
            length += 1
            if byte == Byte.backtick { return self.take(.quotedWord, length) }
        }
        self.take(.punctuation, 1)
    }

    private mutating func readParenthesis(_ byte: UInt8) {
        if case .interpolation(let parentheses) = self.places.last {
            let depth = parentheses + (byte == Byte.openParenthesis ? 1 : -1)
            self.places[self.places.count - 1] = .interpolation(parentheses: depth)
            if depth == 0 {
                self.places.removeLast()
                self.position += 1
                return
            }
        }
        self.take(.punctuation, 1)
    }

    // MARK: - Comments and regular expressions

    private mutating func readSlash() {
        switch self.byte(at: 1) {
        case Byte.slash: self.skipLine()
        case Byte.star: self.skipComment()
        default:
            if let length = self.expressionLength() {
                self.take(.literal, length)
            } else {
                self.take(.punctuation, 1)
            }
        }
    }

    private mutating func skipComment() {
        var depth = 0
        repeat {
            if self.byte(at: 0) == Byte.slash, self.byte(at: 1) == Byte.star {
                depth += 1
                self.position += 2
            } else if self.byte(at: 0) == Byte.star, self.byte(at: 1) == Byte.slash {
                depth -= 1
                self.position += 2
            } else {
                self.step()
            }
        } while depth > 0 && self.position < self.bytes.count
    }

    /// Returns the length of the regular expression literal that begins here; `nil` if the slash is an operator.
    private func expressionLength() -> Int? {
        guard self.mayBeginOperand, let first = self.byte(at: 1), !Byte.endsOperator(first) else {
            return nil
        }
        var length = 1
        var isInSet = false
        while let byte = self.byte(at: length), byte != Byte.newline, byte != Byte.carriageReturn {
            switch byte {
            case Byte.backslash: length += 1
            case UInt8(ascii: "["): isInSet = true
            case UInt8(ascii: "]"): isInSet = false
            case Byte.slash where !isInSet: return self.byte(at: length - 1) == Byte.space ? nil : length + 1
            default: break
            }
            length += 1
        }
        return nil
    }

    /// True if an operand, and not an operator, can follow the last token.
    private var mayBeginOperand: Bool {
        guard let last = self.tokens.last else { return true }
        switch last.kind {
        case .literal, .quotedWord: return false
        case .word: return Self.wordsBeforeOperands.contains(last.text)
        case .punctuation: return ![")", "]", "}", "?", "!"].contains(last.text)
        }
    }

    private static let wordsBeforeOperands: Set<String> = [
        "return", "in", "case", "if", "while", "guard", "switch", "where", "try", "await", "throw", "else", "unsafe",
        "repeat", "do", "is", "as", "consume", "copy",
    ]

    private mutating func readPound() {
        let pounds = self.count(of: Byte.pound, from: 0)
        switch self.byte(at: pounds) {
        case Byte.quote: self.beginText(pounds: pounds)
        case Byte.slash where self.mayBeginOperand: self.skipExpression(pounds: pounds)
        default: self.take(.punctuation, 1)
        }
    }

    /// Skips an extended regular expression literal, which may have many lines.
    private mutating func skipExpression(pounds: Int) {
        self.note(.literal, "")
        for _ in 0...pounds { self.step() }
        while self.position < self.bytes.count {
            if self.byte(at: 0) == Byte.slash, self.count(of: Byte.pound, from: 1) >= pounds {
                self.position += 1 + pounds
                return
            }
            if self.byte(at: 0) == Byte.backslash { self.step() }
            if self.position < self.bytes.count { self.step() }
        }
    }

    // MARK: - String literals

    private mutating func beginText(pounds: Int) {
        self.note(.literal, "")
        let isMultiline = self.count(of: Byte.quote, from: pounds) >= 3
        self.position += pounds + (isMultiline ? 3 : 1)
        self.places.append(.text(TextShape(pounds: pounds, isMultiline: isMultiline)))
    }

    /// Reads a string literal to its end or to an interpolation.
    private mutating func readText(_ shape: TextShape) {
        while self.position < self.bytes.count {
            switch self.bytes[self.position] {
            case Byte.backslash where self.count(of: Byte.pound, from: 1) >= shape.pounds:
                self.position += 1 + shape.pounds
                if self.byte(at: 0) == Byte.openParenthesis {
                    self.position += 1
                    self.places.append(.interpolation(parentheses: 1))
                    return
                }
                // Skips the escaped character, unless it is the line end that terminates the literal.
                if self.position < self.bytes.count, shape.isMultiline || !self.isAtLineEnd { self.step() }
            case Byte.quote where self.endsText(shape):
                self.position += (shape.isMultiline ? 3 : 1) + shape.pounds
                self.places.removeLast()
                self.lastTokenLine = self.line
                return
            case Byte.newline where !shape.isMultiline, Byte.carriageReturn where !shape.isMultiline:
                self.places.removeLast()
                return
            default:
                self.step()
            }
        }
    }

    private func endsText(_ shape: TextShape) -> Bool {
        let quotes = shape.isMultiline ? 3 : 1
        return self.count(of: Byte.quote, from: 0) >= quotes
            && self.count(of: Byte.pound, from: quotes) >= shape.pounds
    }
}

/// Names of bytes.
private enum Byte {
    static let newline = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
    static let space = UInt8(ascii: " ")
    static let tab = UInt8(ascii: "\t")
    static let slash = UInt8(ascii: "/")
    static let star = UInt8(ascii: "*")
    static let pound = UInt8(ascii: "#")
    static let quote = UInt8(ascii: "\"")
    static let backtick = UInt8(ascii: "`")
    static let backslash = UInt8(ascii: "\\")
    static let exclamation = UInt8(ascii: "!")
    static let dot = UInt8(ascii: ".")
    static let openParenthesis = UInt8(ascii: "(")
    static let closeParenthesis = UInt8(ascii: ")")

    /// True if a slash before it is an operator and not the start of a regular expression.
    static func endsOperator(_ byte: UInt8) -> Bool {
        [self.space, self.tab, self.closeParenthesis].contains(byte) || [UInt8]("],}:;".utf8).contains(byte)
    }

    static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    static func isInWord(_ byte: UInt8) -> Bool {
        byte >= 0x80 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$") || self.isDigit(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
