/// Entity tags as texts (RFC 9110 §8.8.3).
enum EntityTag {
    /// Returns the tag of a response; `nil` if there is none, or if it would have another meaning in a condition.
    static func tag(of fields: HTTPFields) -> String? {
        // Most have no comma, and need not be parsed as a list.
        fields[HTTPField.Name.etag].flatMap { tag in
            tag != "*" && (!tag.utf8.contains(UInt8(ascii: ",")) || Self.list(tag).count == 1) ? tag : nil
        }
    }

    static func isWeak(_ tag: String) -> Bool { tag.startsExactly(with: "W/") }

    /// Returns true for a quoted text without the mark of a weak tag.
    static func isStrong(_ tag: String) -> Bool {
        tag.utf8.count >= 2 && tag.startsExactly(with: "\"") && tag.endsExactly(with: "\"")
            && tag.utf8.dropFirst().dropLast().allSatisfy { $0 != UInt8(ascii: "\"") && $0 > 0x20 && $0 != 0x7F }
    }

    /// Compares two tags (RFC 9110 §8.8.3.2).
    static func match(_ one: String, _ other: String, strongly: Bool) -> Bool {
        guard !strongly || !Self.isWeak(one) && !Self.isWeak(other) else { return false }
        return Self.opaque(one).isExactly(Self.opaque(other))
    }

    /// Returns true if two tags are equal except for the weak mark; false if one is missing.
    static func areTwins(_ one: String?, _ other: String?) -> Bool {
        guard let one, let other else { return false }
        return Self.match(one, other, strongly: false)
    }

    private static func opaque(_ tag: String) -> Substring {
        Self.isWeak(tag) ? Substring(tag.utf8.dropFirst(2)) : tag[...]
    }

    /// Returns the tags of a list; a tag may contain a comma, and a backslash is not an escape.
    static func list(_ value: String) -> [String] { value.fieldParts(at: ",", hasEscapes: false) }
}
