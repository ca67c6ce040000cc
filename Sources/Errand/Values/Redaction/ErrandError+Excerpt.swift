internal import struct Foundation.Data

extension ErrandError {
    /// The most bytes of a body that are looked at.
    private static let excerptSource = 1 << 10
    /// The most scalars of them that are shown.
    private static let excerptLength = 200

    /// The message with the beginning of what the server said about its refusal, on one line and without secrets.
    ///
    /// That is JSON or plain text in the body of a response with a status from 400 on. Members of the JSON with a name of
    /// secrets are hidden, and what looks like a secret in a text, as in logs.
    package var fullMessage: String { self.excerpt.map { "\(self.message): \($0)" } ?? self.message }

    private var excerpt: String? {
        guard let kind = self.context.status?.kind, kind == .clientError || kind == .serverError,
            let body = self.context.body, !body.isEmpty,
            let type = self.context.headers?[HTTPField.Name.contentType].flatMap(MIMEType.init)
        else { return nil }
        let text: String
        if type.matches(.json) || type.subtype.endsExactly(with: "+json") {
            text = String(
                decoding: Redaction.standard.beginning(
                    ofJSON: body.prefix(Self.excerptSource), isAboutError: true), as: UTF8.self)
        } else if type.matches(.plainText), let plain = Self.text(body) {
            text = Redaction.standard.text(plain)
        } else {
            return nil
        }
        return text.shortLine(Self.excerptLength)
    }

    /// The text that a body begins with; `nil` if it is none in UTF-8.
    private static func text(_ body: Data) -> String? {
        // A character may be cut at the end, of which there are up to three bytes.
        let beginning = body.prefix(Self.excerptSource)
        return (0...3).lazy.compactMap { String(validUTF8: beginning.dropLast($0)) }.first
    }
}

extension String {
    /// The text on one line with no more than so many scalars, with one space for each piece of white space; `nil` if
    /// nothing can be seen of it.
    fileprivate func shortLine(_ limit: Int) -> String? {
        let words = self.unicodeScalars.split { $0 == " " || $0.breaksLines }
        let line = words.map { String(Substring($0)) }.joined(separator: " ").unicodeScalars
        guard !line.isEmpty else { return nil }
        return String(line.prefix(limit)) + (line.count > limit ? "…" : "")
    }
}
