internal import Errand

/// A pattern for requests: a path or a whole URL, with an optional `*` at its end for any rest.
///
/// A query must match exactly; without one, any query matches.
struct RoutePattern: Sendable, Hashable {
    /// The path or the URL, for display.
    let text: String
    /// The reason why no request can match, if any.
    let problem: String?

    private let origin: String?
    private let target: String
    private let isPrefix: Bool
    private let hasQuery: Bool

    init(_ pattern: String) {
        let isPrefix = pattern.endsExactly(with: "*")
        let rest = isPrefix ? String(pattern.dropLast()) : pattern
        let parts = Self.split(rest, isPrefix: isPrefix)
        // The whole of `*` also stands for targets without a path, as of `OPTIONS *` (RFC 9112 §3.2.4).
        let target = parts.target.startsExactly(with: "/") || pattern == "*" ? parts.target : "/\(parts.target)"
        self.origin = parts.origin
        self.target = target
        self.isPrefix = isPrefix
        self.hasQuery = target.utf8.contains(UInt8(ascii: "?"))
        self.problem = parts.problem ?? Self.problem(of: target)
        self.text = parts.problem == nil ? (parts.origin ?? "") + target + (isPrefix ? "*" : "") : pattern
    }

    /// Returns whether a request has the origin, the path and the query of the pattern.
    func matches(_ request: some RoutedRequest) -> Bool {
        guard self.problem == nil else { return false }
        let path = request.routedPath
        let target = self.hasQuery ? request.routedQuery.map { "\(path)?\($0)" } ?? path : path
        guard self.isPrefix ? target.startsExactly(with: self.target) : target == self.target else { return false }
        return self.origin == nil || request.routedOrigin == self.origin
    }

    // MARK: - Private helpers

    private static func isWholeURL(_ text: String) -> Bool {
        guard let scheme = text.firstRange(of: "://") else { return false }
        return !text[..<scheme.lowerBound].contains { $0 == "/" || $0 == "?" }
    }

    private static func split(
        _ text: String, isPrefix: Bool
    ) -> (origin: String?, target: String, problem: String?) {
        guard Self.isWholeURL(text) else { return (nil, text, nil) }
        do throws(HTTPURLProblem) {
            let url = try HTTPURL(parsing: text)
            let hasPath = text.parts(at: "/", maxSplits: 3, omittingEmpty: false).count > 3
            guard hasPath || !isPrefix else { return (nil, text, "* may only follow a path") }
            guard url.user == nil else {
                return (nil, text, "user and password are not part of the request target")
            }
            return (url.origin, url.requestTarget + (url.fragment.map { "#\($0)" } ?? ""), nil)
        } catch {
            return (nil, text, error.message)
        }
    }

    /// Returns the reason why a target can never be sent, if any.
    private static func problem(of target: String) -> String? {
        if target.utf8.contains(UInt8(ascii: "#")) { return "a fragment is not sent" }
        if target.utf8.contains(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") }) {
            return "{ and } are percent-encoded on the wire, and are not placeholders: use * at the end"
        }
        if target.contains("/*/") { return "* matches any rest at the end only: use a predicate elsewhere" }
        let isOnTheWire = target.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        return isOnTheWire ? nil : "characters that are not visible ASCII are percent-encoded on the wire"
    }
}
