extension HTTPResponse.Head {
    /// Returns the target of the first link with a relation, such as `next`, in the field `Link` (RFC 8288).
    ///
    /// The target is as the server wrote it, often relative to the URL of the response, but without user and password.
    /// Links with an `anchor`, which are about another resource, and invalid links are ignored.
    ///
    /// - Parameter relation: The relation, ignoring case.
    /// - Returns: The target, or `nil` if there is none.
    public func link(to relation: String) -> String? {
        for line in self.headers.values(for: "Link") {
            var scanner = FieldScanner(line)
            while !scanner.isAtEnd {
                scanner.skipWhitespace()
                let target = scanner.take("<") ? scanner.text { $0 != UInt8(ascii: ">") } : nil
                let rest = scanner.part(upTo: ",")
                guard let target, rest.utf8.first == UInt8(ascii: ">") else { continue }
                // Parameters follow the target, of which the first of each name is used (RFC 8288 §3); an invalid one
                // is ignored.
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
