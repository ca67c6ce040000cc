/// A problem with a text, and its position.
struct TextProblem: Error, CustomStringConvertible {
    let message: String
    /// The line, from 1.
    let line: Int
    /// The column in bytes, from 1.
    let column: Int

    init(_ message: String, in bytes: some Collection<UInt8>, at offset: Int) {
        let before = bytes.prefix(offset)
        self.message = message
        self.line = 1 + before.reduce(0) { $1 == 0x0A ? $0 + 1 : $0 }
        self.column = 1 + before.reversedPrefixCount { $0 != 0x0A }
    }

    /// The position and the problem, on one line.
    var description: String { "line \(self.line), column \(self.column): \(self.message)" }

    /// Returns the description of a byte, or of the end of the text.
    static func name(of byte: UInt8?) -> String {
        switch byte {
        case nil: "the end"
        case let byte? where byte < 0x80: Unicode.Scalar(byte).nameInMessages
        case let byte?: "the byte 0x" + String(byte, radix: 16, uppercase: true)
        }
    }
}

extension Collection {
    /// Returns the number of elements at the end that satisfy a condition.
    fileprivate func reversedPrefixCount(while condition: (Element) -> Bool) -> Int {
        self.reduce(0) { condition($1) ? $0 + 1 : 0 }
    }
}
