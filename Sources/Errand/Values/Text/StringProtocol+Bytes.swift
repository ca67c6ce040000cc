internal import Foundation

// Comparing external text byte by byte.
//
// The functions of the standard library compare Characters by canonical equivalence: a comma with a combining mark is
// not a comma, and the Kelvin sign is a "k". Syntax is made of bytes.

extension String {
    /// Returns true if two texts have the same UTF-8 bytes; faster than with substrings.
    ///
    /// - Complexity: O(*n*) if they have the same length, and otherwise O(1).
    package func isExactly(_ other: String) -> Bool {
        guard self.utf8.count == other.utf8.count else { return false }
        // The buffers are used only within this closure, and have the same length.
        let answer = unsafe self.utf8.withContiguousStorageIfAvailable { one in
            unsafe other.utf8.withContiguousStorageIfAvailable { other in
                guard let start = one.baseAddress, let otherStart = other.baseAddress else { return true }
                return unsafe memcmp(start, otherStart, one.count) == 0
            }
        }
        return (answer ?? nil) ?? self.utf8.elementsEqual(other.utf8)
    }
}

extension StringProtocol {
    /// Returns true if two texts have the same UTF-8 bytes.
    ///
    /// - Complexity: O(*n*) if they have the same length, and otherwise O(1).
    package func isExactly(_ other: some StringProtocol) -> Bool {
        self.utf8.count == other.utf8.count && self.utf8.elementsEqual(other.utf8)
    }

    /// Returns true if it starts with the bytes of another text.
    package func startsExactly(with beginning: some StringProtocol) -> Bool {
        self.utf8.starts(with: beginning.utf8)
    }

    /// Returns true if it ends with the bytes of another text.
    package func endsExactly(with end: some StringProtocol) -> Bool {
        let count = end.utf8.count
        return self.utf8.count >= count && self.utf8.suffix(count).elementsEqual(end.utf8)
    }

    /// Returns true if it contains the bytes of another text.
    ///
    /// - Complexity: O(*n* · *m*); for short words.
    package func containsExactly(_ text: some StringProtocol) -> Bool {
        guard let first = text.utf8.first else { return true }
        return self.utf8.indices.contains { self.utf8[$0] == first && self.utf8[$0...].starts(with: text.utf8) }
    }

    /// Returns the text with ASCII letters in lower case; other characters are unchanged.
    ///
    /// `lowercased()` turns the Kelvin sign into "k", and "İ" into two characters. Tokens, host names, schemes and
    /// field names are ASCII.
    package func asciiLowercased() -> String {
        guard self.utf8.contains(where: { $0.asciiLowercase != $0 }) else { return String(self) }
        return String(decoding: self.utf8.map(\.asciiLowercase), as: UTF8.self)
    }

    /// Returns the parts between separators, which are scalars, whatever combines with them.
    package func parts(
        at separator: Unicode.Scalar, maxSplits: Int = .max, omittingEmpty: Bool = true
    ) -> [String] {
        self.unicodeScalars.split(
            maxSplits: maxSplits, omittingEmptySubsequences: omittingEmpty, whereSeparator: { $0 == separator }
        ).map { part in
            var scalars = String.UnicodeScalarView()
            scalars.append(contentsOf: part)
            return String(scalars)
        }
    }

    /// Returns the part before the first of some scalars; the whole text if it contains none of them.
    package func part(before ends: Unicode.Scalar...) -> SubSequence {
        self[..<(self.unicodeScalars.firstIndex { ends.contains($0) } ?? self.endIndex)]
    }

    /// Returns the text with each occurrence of a scalar replaced.
    package func replacingExactly(_ scalar: Unicode.Scalar, with replacement: String) -> String {
        var replaced = String.UnicodeScalarView()
        for next in self.unicodeScalars {
            if next == scalar { replaced += replacement.unicodeScalars } else { replaced.append(next) }
        }
        return String(replaced)
    }
}
