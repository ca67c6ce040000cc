public import struct Foundation.URL

extension HTTPURL {
    /// Parses an absolute http or https URL (RFC 3986, RFC 9110 §4.2).
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/invalidURL``, with the problem and its position.
    public init(_ string: String) throws(ErrandError) {
        do {
            try self.init(parsing: string)
        } catch {
            throw ErrandError(.invalidURL, Self.refusal(of: string, error))
        }
    }

    /// Converts a Foundation URL.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/invalidURL``.
    public init(_ url: URL) throws(ErrandError) {
        try self.init(url.absoluteString)
    }

    /// Resolves a reference against this URL (RFC 3986 §5.2); an absolute URL is used unchanged.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/invalidURL``.
    public func resolving(_ reference: String) throws(ErrandError) -> HTTPURL {
        do {
            return try self.resolving(reference: reference)
        } catch {
            throw ErrandError(.invalidURL, Self.refusal(of: reference, error))
        }
    }

    /// Returns the description of a problem with a text, without secrets in it: credentials and query.
    package static func refusal(of text: String, _ problem: HTTPURLProblem) -> String {
        "\(Self.quoted(text)) is not a URL: \(problem.message)"
    }

    /// Quotes an invalid URL, without secrets in it.
    package static func quoted(_ text: String) -> String {
        let shown = text.part(before: "?", "#")
        // The end of the authority of an invalid URL is uncertain.
        let mayHaveUser = shown.containsExactly("@") || (text.containsExactly("//") && text.containsExactly("@"))
        return "\"\(mayHaveUser ? "…" : shown)\""
    }
}
