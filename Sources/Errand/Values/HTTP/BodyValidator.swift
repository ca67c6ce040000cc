internal import struct Foundation.Date

/// A strong validator, which identifies the representation of a partial body.
///
/// A weak one does not guarantee identical bytes (RFC 9110 §8.8.1), so no partial body is kept with it.
struct BodyValidator: Sendable, Codable {
    /// A strong entity tag with its quotes, or the modification date.
    private let value: String

    /// Creates the validator of a response; `nil` if it has no strong one.
    init?(_ head: HTTPResponse.Head) {
        if let tag = head.headers[HTTPField.Name.etag] {
            guard EntityTag.isStrong(tag) else { return nil }
            self.value = tag
        } else {
            // The date is strong only if the response was sent at least a second later (RFC 9110 §8.8.2.2).
            guard let modified = head.headers[HTTPField.Name.lastModified],
                let sent = head.headers[HTTPField.Name.date].flatMap({ HTTPDate.parse($0) }),
                let changed = HTTPDate.parse(modified), sent.timeIntervalSince(changed) >= 1
            else { return nil }
            self.value = modified
        }
    }

    /// The value of `If-Range` (RFC 9110 §13.1.5).
    var ifRange: String { self.value }

    /// Returns true if a partial response is of the same representation.
    ///
    /// It has to repeat the entity tag (RFC 9110 §15.3.7). It need not repeat a date, but must not name another one.
    func agrees(with head: HTTPResponse.Head) -> Bool {
        guard !self.isTag else { return head.headers[HTTPField.Name.etag]?.isExactly(self.value) == true }
        return !self.contradicts(head)
    }

    /// Returns true if a response names another representation.
    func contradicts(_ head: HTTPResponse.Head) -> Bool {
        let named = head.headers[self.isTag ? HTTPField.Name.etag : HTTPField.Name.lastModified]
        return named?.isExactly(self.value) == false
    }

    /// True if it is valid: a damaged record may contain any text.
    var isValid: Bool { self.isTag ? EntityTag.isStrong(self.value) : HTTPDate.parse(self.value) != nil }

    private var isTag: Bool { self.value.startsExactly(with: "\"") }
}

extension BodyValidator: Hashable {
    /// Returns true if two validators are equal, octet by octet.
    static func == (left: BodyValidator, right: BodyValidator) -> Bool { left.value.isExactly(right.value) }

    /// Feeds the value to a hasher.
    func hash(into hasher: inout Hasher) { hasher.combine(ExactText(self.value)) }
}
