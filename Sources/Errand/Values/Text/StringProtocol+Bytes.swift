internal import Foundation

// Looking at a text from outside, byte by byte.
//
// What the standard library has under the usual names compares Characters, and these by canonical equivalence: a comma
// with a combining mark behind it is no comma then, and the Kelvin sign is a "k". Syntax is made of bytes.

extension String {
    /// Tells whether two texts have the same bytes in UTF-8; quicker than with substrings.
    ///
    /// - Complexity: O(*n*) where they have equally many, or else O(1).
    package func isExactly(_ other: String) -> Bool {
        guard self.utf8.count == other.utf8.count else { return false }
        // The buffers are used only in here, for as long as they are lent, and are equally long.
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
    /// Tells whether two texts have the same bytes in UTF-8.
    ///
    /// - Complexity: O(*n*) where they have equally many, or else O(1).
    package func isExactly(_ other: some StringProtocol) -> Bool {
        self.utf8.count == other.utf8.count && self.utf8.elementsEqual(other.utf8)
    }

    /// Tells whether it begins with the bytes of another text.
    package func startsExactly(with beginning: some StringProtocol) -> Bool {
        self.utf8.starts(with: beginning.utf8)
    }

    /// Tells whether it ends with the bytes of another text.
    package func endsExactly(with end: some StringProtocol) -> Bool {
        let count = end.utf8.count
        return self.utf8.count >= count && self.utf8.suffix(count).elementsEqual(end.utf8)
    }

    /// Tells whether the bytes of another text stand in it.
    ///
    /// - Complexity: O(*n* · *m*); for short words.
    package func containsExactly(_ text: some StringProtocol) -> Bool {
        guard let first = text.utf8.first else { return true }
        return self.utf8.indices.contains { self.utf8[$0] == first && self.utf8[$0...].starts(with: text.utf8) }
    }

    /// The text with small letters in place of the capital ones of ASCII; all others stay.
    ///
    /// `lowercased()` makes a "k" of the Kelvin sign, and two characters of "İ". Tokens, names of hosts, schemes and
    /// the names of header fields know no letters but those of ASCII.
    package func asciiLowercased() -> String {
        guard self.utf8.contains(where: { $0.asciiLowercase != $0 }) else { return String(self) }
        return String(decoding: self.utf8.map(\.asciiLowercase), as: UTF8.self)
    }

    /// The parts between separators, which are scalars, whatever combines with them.
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

    /// The part before the first of some scalars; all of it where there is none of them.
    package func part(before ends: Unicode.Scalar...) -> SubSequence {
        self[..<(self.unicodeScalars.firstIndex { ends.contains($0) } ?? self.endIndex)]
    }

    /// The text with another in place of each occurrence of a scalar.
    package func replacingExactly(_ scalar: Unicode.Scalar, with replacement: String) -> String {
        var replaced = String.UnicodeScalarView()
        for next in self.unicodeScalars {
            if next == scalar { replaced += replacement.unicodeScalars } else { replaced.append(next) }
        }
        return String(replaced)
    }
}
