extension HTTPResponseHead {
    /// The target of the first link with a relation, such as `next`, among those of the field `Link` (RFC 8288).
    ///
    /// As the server wrote it: often relative to the URL of the response. A link of something else, which has an
    /// `anchor`, is none of the response, and what cannot be read is as if it was not there.
    ///
    /// - Parameter relation: The relation; whether its letters are upper or lower case makes no difference.
    /// - Returns: The target, or `nil` where there is none.
    public func link(to relation: String) -> String? {
        for value in self.headers.values(for: "Link").flatMap({ $0.splitOutsideOfQuotes(at: ",") }) {
            let value = value.trimmingFieldWhitespace()
            // Behind the target come the parameters of a media type (RFC 8288 §3).
            guard value.first == "<", let end = value.firstIndex(of: ">"),
                let link = MIMEType("x/x\(value[value.index(after: end)...])"),
                link["anchor"] == nil, let relations = link["rel"]
            else { continue }
            guard relations.split(separator: " ").contains(where: { $0.lowercased() == relation.lowercased() })
            else { continue }
            return String(value[..<end].dropFirst()).trimmingFieldWhitespace()
        }
        return nil
    }
}

extension String {
    /// The parts between separators that stand neither in a quoted string nor between `<` and `>`.
    fileprivate func splitOutsideOfQuotes(at separator: Character) -> [String] {
        var parts = [""]
        var (isQuoted, isEscaped, isTarget) = (false, false, false)
        for character in self {
            if isEscaped {
                isEscaped = false
            } else if isQuoted {
                if character == "\\" { isEscaped = true } else if character == "\"" { isQuoted = false }
            } else if isTarget {
                isTarget = character != ">"
            } else if character == separator {
                parts.append("")
                continue
            } else {
                isQuoted = character == "\""
                isTarget = character == "<"
            }
            parts[parts.count - 1].append(character)
        }
        return parts
    }
}
