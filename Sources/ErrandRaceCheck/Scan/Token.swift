/// A token of Swift source, which is neither white space nor a comment.
struct Token: Hashable, Sendable {
    /// The kinds of tokens that rules distinguish.
    enum Kind: Sendable {
        /// A keyword or a name.
        case word
        /// A word between backticks, which is never a keyword.
        case quotedWord
        /// Any other single character.
        case punctuation
        /// A number, a string or a regular expression, whose content is irrelevant.
        case literal
    }

    let kind: Kind
    /// The characters, with the backticks of a quoted word; empty for a literal.
    let text: String
    /// The line, from 1.
    let line: Int
    /// The column in bytes of UTF-8, from 1, as compilers count.
    let column: Int
    /// True if only white space and comments precede it on its line.
    let startsLine: Bool

    /// Returns whether it is this keyword, name or character.
    func `is`(_ text: String) -> Bool {
        self.kind != .literal && self.kind != .quotedWord && self.text == text
    }

    /// The name without backticks; `nil` if it is not a name.
    var name: String? {
        switch self.kind {
        case .word: self.text
        case .quotedWord: String(self.text.dropFirst().dropLast())
        case .punctuation, .literal: nil
        }
    }

    /// Returns whether `next` follows it without white space.
    func touches(_ next: Token) -> Bool {
        self.line == next.line && self.column + self.text.utf8.count == next.column
    }
}
