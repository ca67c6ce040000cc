extension HTTPResponse.Head {
    /// The target of the first link with a relation, such as `next`, among those of the field `Link` (RFC 8288).
    ///
    /// As the server wrote it, but without user and password: often relative to the URL of the response. A link of something else, which has an
    /// `anchor`, is none of the response, and what cannot be read is as if it was not there.
    ///
    /// - Parameter relation: The relation; whether its letters are upper or lower case makes no difference.
    /// - Returns: The target, or `nil` where there is none.
    public func link(to relation: String) -> String? {
        for line in self.headers.values(for: "Link") {
            var scanner = FieldScanner(line)
            while !scanner.isAtEnd {
                scanner.skipWhitespace()
                let target = scanner.take("<") ? scanner.text { $0 != UInt8(ascii: ">") } : nil
                let rest = scanner.part(upTo: ",")
                guard let target, rest.utf8.first == UInt8(ascii: ">") else { continue }
                // Behind the target come parameters, of each the first (RFC 8288 §3); one with a flaw is none.
                var description = FieldScanner(String(rest.unicodeScalars.dropFirst()))
                description.skipWhitespace()
                guard description.isAtEnd || description.take(";") else { continue }
                let parameters = description.soundParameters()
                guard !parameters.contains(where: { $0.name == "anchor" }),
                    let relations = parameters.first(where: { $0.name == "rel" })?.value,
                    relations.parts(at: " ").contains(where: { $0.isEqualIgnoringASCIICase(to: relation) })
                else { continue }
                return HTTPURL.withoutUserInfo(target.trimmingFieldWhitespace())
            }
        }
        return nil
    }
}
