/// Entity tags as texts (RFC 9110 §8.8.3).
enum EntityTag {
    /// The tag of a response; `nil` where there is none, or what would say something else in a condition.
    static func tag(of fields: HTTPFields) -> String? {
        // Most have no comma: what is no list need not be taken apart.
        fields[HTTPField.Name.etag].flatMap { tag in
            tag != "*" && (!tag.utf8.contains(UInt8(ascii: ",")) || Self.list(tag).count == 1) ? tag : nil
        }
    }

    static func isWeak(_ tag: String) -> Bool { tag.startsExactly(with: "W/") }

    /// Whether a tag is a quoted text without the mark of a weak one.
    static func isStrong(_ tag: String) -> Bool {
        tag.utf8.count >= 2 && tag.startsExactly(with: "\"") && tag.endsExactly(with: "\"")
            && tag.utf8.dropFirst().dropLast().allSatisfy { $0 != UInt8(ascii: "\"") && $0 > 0x20 && $0 != 0x7F }
    }

    /// Compares two tags (RFC 9110 §8.8.3.2).
    static func match(_ one: String, _ other: String, strongly: Bool) -> Bool {
        guard !strongly || !Self.isWeak(one) && !Self.isWeak(other) else { return false }
        return Self.opaque(one).isExactly(Self.opaque(other))
    }

    /// Whether two tags are the same but for the mark of a weak one; not where one is missing.
    static func areTwins(_ one: String?, _ other: String?) -> Bool {
        guard let one, let other else { return false }
        return Self.match(one, other, strongly: false)
    }

    private static func opaque(_ tag: String) -> Substring {
        Self.isWeak(tag) ? Substring(tag.utf8.dropFirst(2)) : tag[...]
    }

    /// The tags of a list; a comma may stand in one, and a backslash is itself.
    static func list(_ value: String) -> [String] { value.fieldParts(at: ",", hasEscapes: false) }
}
