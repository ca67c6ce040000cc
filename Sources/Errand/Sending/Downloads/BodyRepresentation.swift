/// A representation, whose bytes are those of one body in each response: a validator, and the resource that it is one of.
///
/// A validator tells apart only the representations of one resource (RFC 9110 §8.8.3), and a URL may lead to several.
struct BodyRepresentation: Sendable, Hashable, Codable {
    let validator: BodyValidator
    /// The digest of the URL that the response came from, without its signature: that may be another each time.
    let source: String

    init(_ validator: BodyValidator, from url: HTTPURL) {
        self.validator = validator
        let query = url.query.map { "?\(SignedQuery.unsigned($0))" } ?? ""
        self.source = SHA256(of: "\(url.origin)\(url.path)\(query)").description
    }

    /// Takes the representation of a response; `nil` where no part of it can be kept.
    init?(_ head: HTTPResponse.Head, from url: HTTPURL) {
        guard let validator = BodyValidator(head) else { return nil }
        self.init(validator, from: url)
    }

    /// What tells it apart from others without saying what it is.
    var digest: String { SHA256(of: "\(self.validator.ifRange) \(self.source)").description }

    /// Tells whether a partial response is of the same representation.
    func agrees(with head: HTTPResponse.Head, from url: HTTPURL) -> Bool {
        self.validator.agrees(with: head) && self == BodyRepresentation(self.validator, from: url)
    }

    /// Tells whether a response without any of it, which need not repeat the validator, may be about the same
    /// representation.
    func mayBe(of head: HTTPResponse.Head, from url: HTTPURL) -> Bool {
        !self.validator.contradicts(head) && self == BodyRepresentation(self.validator, from: url)
    }
}
