/// A text from outside as a key: two are equal if their bytes in UTF-8 are, and are ordered as these are.
///
/// A `String` is equal to every other spelling of its characters: "é" as one code point and as two, or "K" and the
/// Kelvin sign, are one key of a dictionary. To a peer they are different names (RFC 8259 §8.3, RFC 3986 §6.2.1, XML
/// 1.0 §1.2), so that one would stand for the other.
package struct ExactText: Sendable {
    /// The text.
    package let string: String

    /// Creates a key.
    package init(_ string: some StringProtocol) {
        var string = String(string)
        // So that all are hashed in the same way.
        string.makeContiguousUTF8()
        self.string = string
    }
}

extension ExactText: Hashable, Comparable {
    /// Tells whether two texts have the same bytes.
    package static func == (left: ExactText, right: ExactText) -> Bool {
        left.string.isExactly(right.string)
    }

    /// Tells whether the bytes of one text come before those of another.
    package static func < (left: ExactText, right: ExactText) -> Bool {
        left.string.utf8.lexicographicallyPrecedes(right.string.utf8)
    }

    /// Feeds the bytes to a hasher.
    package func hash(into hasher: inout Hasher) {
        // The buffer is used only in here, for as long as it is lent; the text is contiguous.
        _ = unsafe self.string.utf8.withContiguousStorageIfAvailable { buffer in
            unsafe hasher.combine(bytes: UnsafeRawBufferPointer(buffer))
        }
        // No byte of UTF-8: texts that follow each other do not run together.
        hasher.combine(0xFF as UInt8)
    }
}

extension ExactText: ExpressibleByStringLiteral, CustomStringConvertible {
    /// Creates a key from a literal.
    package init(stringLiteral value: String) {
        self.init(value)
    }

    /// The text.
    package var description: String { self.string }
}

extension Sequence<String> {
    /// The texts, each where it occurs first.
    package func uniqued() -> [String] {
        var seen: Set<ExactText> = []
        return self.filter { seen.insert(ExactText($0)).inserted }
    }
}
