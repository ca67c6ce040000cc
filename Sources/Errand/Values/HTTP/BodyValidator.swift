internal import struct Foundation.Date

/// A strong validator, which tells whether a representation is still the one of which a part was received.
///
/// A weak one does not say that all bytes are the same (RFC 9110 §8.8.1), so no part is kept by it.
struct BodyValidator: Sendable, Codable {
    /// A strong entity tag, with its quotes, or the date of the last change.
    private let value: String

    /// Takes the validator of a response; `nil` where it has no strong one.
    init?(_ head: HTTPResponse.Head) {
        if let tag = head.headers[HTTPField.Name.etag] {
            guard EntityTag.isStrong(tag) else { return nil }
            self.value = tag
        } else {
            // The date is strong only if the server looked at least a second later (RFC 9110 §8.8.2.2).
            guard let modified = head.headers[HTTPField.Name.lastModified],
                let sent = head.headers[HTTPField.Name.date].flatMap({ HTTPDate.parse($0) }),
                let changed = HTTPDate.parse(modified), sent.timeIntervalSince(changed) >= 1
            else { return nil }
            self.value = modified
        }
    }

    /// The value of `If-Range` (RFC 9110 §13.1.5).
    var ifRange: String { self.value }

    /// Tells whether a partial response is of the same representation.
    ///
    /// It has to repeat the entity tag (RFC 9110 §15.3.7). A date it need not repeat, but it must not name another one.
    func agrees(with head: HTTPResponse.Head) -> Bool {
        guard !self.isTag else { return head.headers[HTTPField.Name.etag]?.isExactly(self.value) == true }
        return !self.contradicts(head)
    }

    /// Tells whether a response names another representation.
    func contradicts(_ head: HTTPResponse.Head) -> Bool {
        let named = head.headers[self.isTag ? HTTPField.Name.etag : HTTPField.Name.lastModified]
        return named?.isExactly(self.value) == false
    }

    /// Whether it is one: what a record has that was damaged may be anything.
    var isValid: Bool { self.isTag ? EntityTag.isStrong(self.value) : HTTPDate.parse(self.value) != nil }

    private var isTag: Bool { self.value.startsExactly(with: "\"") }
}

extension BodyValidator: Hashable {
    /// Tells whether two validators are the same, octet by octet.
    static func == (left: BodyValidator, right: BodyValidator) -> Bool { left.value.isExactly(right.value) }

    /// Feeds the value to a hasher.
    func hash(into hasher: inout Hasher) { hasher.combine(ExactText(self.value)) }
}
