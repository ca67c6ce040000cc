internal import struct Foundation.Data

extension ErrandError {
    /// The maximum number of bytes of a body that are read.
    private static let excerptSource = 1 << 10
    /// The maximum number of scalars that are shown.
    private static let excerptLength = 200

    /// The message with the beginning of the server's response, on one line and without secrets.
    ///
    /// The response is shown if it has JSON or plain text in its body and a status from 400 on. JSON members with names
    /// of secrets are hidden, and so is text that looks like a secret, as in logs.
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

    /// Returns the text at the beginning of a body; `nil` if it is not UTF-8.
    private static func text(_ body: Data) -> String? {
        // A character may be cut off at the end, with up to three bytes.
        let beginning = body.prefix(Self.excerptSource)
        return (0...3).lazy.compactMap { String(validUTF8: beginning.dropLast($0)) }.first
    }
}

extension String {
    /// Returns the text on one line with a maximum number of scalars and collapsed white space; `nil` if it has no
    /// visible characters.
    fileprivate func shortLine(_ limit: Int) -> String? {
        let words = self.unicodeScalars.split { $0 == " " || $0.breaksLines }
        let line = words.map { String(Substring($0)) }.joined(separator: " ").unicodeScalars
        guard !line.isEmpty else { return nil }
        return String(line.prefix(limit)) + (line.count > limit ? "…" : "")
    }
}
