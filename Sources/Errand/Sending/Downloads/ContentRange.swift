/// The byte range of a representation in a response (RFC 9110 §14.4).
struct ContentRange: Sendable, Hashable {
    /// The position of the first byte, from 0.
    let first: Int64
    /// The position of the last byte.
    let last: Int64
    /// The size of the representation; `nil` if it is unknown.
    let total: Int64?

    /// The number of bytes in the range.
    var count: Int64 { self.last - self.first + 1 }

    /// Parses the value of a `Content-Range`; `nil` if it has no satisfied byte range.
    init?(_ value: String) {
        let words = value.parts(at: " ")
        guard words.count == 2, words[0].asciiLowercased() == "bytes" else { return nil }
        let parts = words[1].parts(at: "/", omittingEmpty: false)
        guard parts.count == 2 else { return nil }
        let bounds = parts[0].parts(at: "-", omittingEmpty: false)
        guard bounds.count == 2, let first = Self.number(bounds[0]), let last = Self.number(bounds[1]), first <= last,
            last < .max
        else { return nil }
        let total = Self.number(parts[1])
        guard total != nil || parts[1] == "*", total.map({ last < $0 }) ?? true else { return nil }
        (self.first, self.last, self.total) = (first, last, total)
    }

    /// Parses the size in an unsatisfied `Content-Range` such as `bytes */10`; `nil` for any other value.
    static func total(ofUnsatisfied value: String) -> Int64? {
        let words = value.parts(at: " ")
        guard words.count == 2, words[0].asciiLowercased() == "bytes", words[1].startsExactly(with: "*/") else {
            return nil
        }
        return Self.number(String(Substring(words[1].utf8.dropFirst(2))))
    }

    private static func number(_ digits: String) -> Int64? {
        // `Int64` would accept a sign.
        guard !digits.isEmpty, digits.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else {
            return nil
        }
        return Int64(digits)
    }
}
