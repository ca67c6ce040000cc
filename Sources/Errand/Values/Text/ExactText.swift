/// An external text as a key, compared and ordered by its UTF-8 bytes.
///
/// A `String` is equal to all canonically equivalent ones: "é" as one code point and as two, or "K" and the Kelvin
/// sign, are one key of a dictionary. For a peer, they are different names (RFC 8259 §8.3, RFC 3986 §6.2.1, XML 1.0
/// §1.2), and must not be confused.
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
    /// Returns true if two texts have the same bytes.
    package static func == (left: ExactText, right: ExactText) -> Bool {
        left.string.isExactly(right.string)
    }

    /// Returns true if the bytes of one text are ordered before those of another.
    package static func < (left: ExactText, right: ExactText) -> Bool {
        left.string.utf8.lexicographicallyPrecedes(right.string.utf8)
    }

    /// Feeds the bytes to a hasher.
    package func hash(into hasher: inout Hasher) {
        // The buffer is used only within this closure; the text is contiguous.
        _ = unsafe self.string.utf8.withContiguousStorageIfAvailable { buffer in
            unsafe hasher.combine(bytes: UnsafeRawBufferPointer(buffer))
        }
        // Not a UTF-8 byte, to separate consecutive texts.
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
    /// Returns the texts without repetitions, in the order of their first occurrence.
    package func uniqued() -> [String] {
        var seen: Set<ExactText> = []
        return self.filter { seen.insert(ExactText($0)).inserted }
    }
}
