/// A representation with identical bytes in each response, identified by a validator and a resource.
///
/// A validator identifies a representation of one resource only (RFC 9110 §8.8.3), and a URL may lead to several
/// resources.
struct BodyRepresentation: Sendable, Hashable, Codable {
    let validator: BodyValidator
    /// The digest of the response's URL without its signature, which can differ each time.
    let source: String

    init(_ validator: BodyValidator, from url: HTTPURL) {
        self.validator = validator
        let query = url.query.map { "?\(SignedQuery.unsigned($0))" } ?? ""
        self.source = SHA256(of: "\(url.origin)\(url.path)\(query)").description
    }

    /// Creates the representation of a response; `nil` if no part of its body can be kept.
    init?(_ head: HTTPResponse.Head, from url: HTTPURL) {
        guard let validator = BodyValidator(head) else { return nil }
        self.init(validator, from: url)
    }

    /// An identifier that does not reveal the validator or URL.
    var digest: String { SHA256(of: "\(self.validator.ifRange) \(self.source)").description }

    /// Returns true if a partial response is of the same representation.
    func agrees(with head: HTTPResponse.Head, from url: HTTPURL) -> Bool {
        self.validator.agrees(with: head) && self == BodyRepresentation(self.validator, from: url)
    }

    /// Returns true if a response without content, which need not repeat the validator, may be of the same
    /// representation.
    func mayBe(of head: HTTPResponse.Head, from url: HTTPURL) -> Bool {
        !self.validator.contradicts(head) && self == BodyRepresentation(self.validator, from: url)
    }
}
