internal import Errand

internal import struct Foundation.Data

/// An expected outcome of an exchange: a check, and a description.
struct ConformanceExpectation: Sendable {
    typealias Outcome = ConformanceScene.Outcome

    let words: String
    let holds: @Sendable (Outcome) -> Bool

    /// An error with one of the given codes, or any error if none is given.
    static func failure(_ codes: ErrandError.Code...) -> ConformanceExpectation {
        let names = codes.map(\.description).joined(separator: " or ")
        return ConformanceExpectation(words: codes.isEmpty ? "an error" : "the error \(names)") { outcome in
            guard case .failure(let error) = outcome else { return false }
            return codes.isEmpty || codes.contains(error.code)
        }
    }

    /// A complete response.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - fields: Required values of fields by name; repeated fields are joined.
    ///   - body: The body.
    /// - Returns: The expectation.
    static func response(
        _ status: HTTPStatus = .ok, fields: KeyValuePairs<String, String> = [:], body: Data
    ) -> ConformanceExpectation {
        let list = fields.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
        let words = "status \(status.code) with the body \(body.excerpt)" + (list.isEmpty ? "" : " and \(list)")
        return ConformanceExpectation(words: words) { outcome in
            guard case .success(let response) = outcome, case .bytes(let data) = response.body else { return false }
            return response.status == status && data == body
                && fields.allSatisfy { response.headers[$0.key] == $0.value }
        }
    }

    /// A complete response with a text body.
    static func response(
        _ status: HTTPStatus = .ok, fields: KeyValuePairs<String, String> = [:], body: String = "hello"
    ) -> ConformanceExpectation {
        .response(status, fields: fields, body: Data(body.utf8))
    }

    /// A response that satisfies a predicate.
    static func response(
        where words: String, _ isSo: @escaping @Sendable (HTTPResponse) -> Bool
    ) -> ConformanceExpectation {
        ConformanceExpectation(words: "a response \(words)") { outcome in
            guard case .success(let response) = outcome else { return false }
            return isSo(response)
        }
    }

    /// Returns an expectation that also accepts another outcome, where the standard leaves a choice.
    func or(_ other: ConformanceExpectation) -> ConformanceExpectation {
        ConformanceExpectation(words: "\(self.words), or \(other.words)") { self.holds($0) || other.holds($0) }
    }

    /// Not a valid head, or a connection that ended too early: both are right about a head that is cut.
    static let brokenHead = ConformanceExpectation.failure(.invalidResponse, .connectionLost)
}

// MARK: - Descriptions

extension ConformanceScene.Outcome {
    /// A description of the outcome.
    var words: String {
        switch self {
        case .failure(let error): "the error \(error)"
        case .success(let response):
            switch response.body {
            case .bytes(let data):
                "status \(response.status.code) with the body \(data.excerpt) and the fields [\(response.headers.excerpt)]"
            case .stream: "status \(response.status.code) with a stream"
            case .file(let file): "status \(response.status.code) with the file \(file.path)"
            }
        }
    }
}

extension HTTPFields {
    fileprivate var excerpt: String {
        let start = self.prefix(5).map { "\($0.name): \($0.value.prefix(60))" }.joined(separator: ", ")
        return self.count > 5 ? "\(start), … \(self.count - 5) more" : start
    }
}

extension Data {
    /// The beginning of the bytes as text, with their number if it is truncated.
    var excerpt: String {
        let text = "\"\(String(decoding: self.prefix(40), as: UTF8.self))\""
        return self.count > 40 ? "\(text)… of \(self.count) bytes" : text
    }
}
