/// A piece of Swift source that is neither white space nor a comment.
struct Token: Hashable, Sendable {
    /// The sorts of pieces that rules tell apart.
    enum Kind: Sendable {
        /// A keyword or a name.
        case word
        /// A word between backticks, which is never a keyword.
        case quotedWord
        /// One character that is none of the others.
        case punctuation
        /// A number, a text or a regular expression; what is in it does not matter.
        case literal
    }

    let kind: Kind
    /// The characters, with the backticks of a quoted word; empty for a literal.
    let text: String
    /// The line, from 1.
    let line: Int
    /// The column in bytes of UTF-8, from 1, as compilers count.
    let column: Int
    /// Whether nothing but white space and comments is before it on its line.
    let startsLine: Bool

    /// Whether it is this keyword, name or character.
    func `is`(_ text: String) -> Bool {
        self.kind != .literal && self.kind != .quotedWord && self.text == text
    }

    /// The name without backticks; `nil` where there is no name.
    var name: String? {
        switch self.kind {
        case .word: self.text
        case .quotedWord: String(self.text.dropFirst().dropLast())
        case .punctuation, .literal: nil
        }
    }

    /// Whether `next` comes right behind it.
    func touches(_ next: Token) -> Bool {
        self.line == next.line && self.column + self.text.utf8.count == next.column
    }
}
