/// The directives of the `Cache-Control` fields of a message (RFC 9111 §5.2).
///
/// Names are compared without regard to case, arguments are taken as tokens and as quoted strings. What is malformed
/// counts for the safe side: a directive that restricts holds with whatever stands behind its name, and one that allows
/// something for so many seconds allows it for none.
struct CacheControl: Sendable, Hashable {
    private struct Directive: Hashable {
        let name: String
        let argument: String?
        let isWellFormed: Bool
    }

    private var directives: [Directive] = []
    /// Whether something in them cannot be read, so that nobody knows what they forbid.
    private(set) var isMalformed = false

    /// The most seconds that are told apart (RFC 9111 §1.2.2).
    static let mostSeconds = 1 << 31
    /// The most directives that are read; with more of them nobody knows what they forbid, and nothing is stored.
    static let mostDirectives = 256

    init(_ fields: HTTPFields) {
        for line in fields.values(for: HTTPField.Name.cacheControl) { self.parse(line) }
    }

    // MARK: - Looking

    /// Whether there are no directives.
    var isEmpty: Bool { self.directives.isEmpty }

    /// Tells whether there is a directive, whatever its argument.
    func contains(_ name: String) -> Bool {
        self.directives.contains { $0.name == name }
    }

    /// The seconds of a directive; the fewest, none for what is invalid (RFC 9111 §4.2.1), and `nil` without one.
    func seconds(_ name: String) -> Int? {
        self.directives.lazy.filter { $0.name == name }.map { Self.seconds($0) ?? 0 }.min()
    }

    /// How stale a response may be for a request (RFC 9111 §5.2.1.2); without an argument as stale as it is.
    var maxStale: Int? {
        self.directives.filter { $0.name == "max-stale" }
            .map { $0.argument == nil && $0.isWellFormed ? Self.mostSeconds : Self.seconds($0) ?? 0 }.min()
    }

    /// For how long a response has to be fresh yet (RFC 9111 §5.2.1.3); an invalid one cannot be met.
    var minFresh: Int? {
        self.directives.filter { $0.name == "min-fresh" }.map { Self.seconds($0) ?? Self.mostSeconds }.max()
    }

    /// Whether a response must not be used without validation at all (RFC 9111 §5.2.2.4).
    var isNoCache: Bool {
        self.isMalformed || self.directives.contains { $0.name == "no-cache" && Self.names($0) == nil }
    }

    /// The fields that must not be used without validation, in lower case.
    var noCacheFields: [String] { self.directives.filter { $0.name == "no-cache" }.flatMap { Self.names($0) ?? [] } }

    private static func seconds(_ directive: Directive) -> Int? {
        directive.isWellFormed ? directive.argument.flatMap { Self.seconds($0[...]) } : nil
    }

    /// Reads delta-seconds (RFC 9111 §1.2.2): digits and nothing else.
    static func seconds(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
        return text.utf8.reduce(0) { min($0 * 10 + Int($1 & 0x0F), Self.mostSeconds) }
    }

    /// The names that an argument lists; `nil` where it does not list any.
    private static func names(_ directive: Directive) -> [String]? {
        guard directive.isWellFormed, let argument = directive.argument else { return nil }
        let names = argument.asciiLowercased().parts(at: ",").map { $0.trimmingFieldWhitespace() }
        return names.isEmpty || !names.allSatisfy(\.isHTTPToken) ? nil : names
    }

    // MARK: - Parsing

    private mutating func parse(_ line: String) {
        var scanner = FieldScanner(line)
        while !scanner.isAtEnd {
            scanner.skipWhitespace()
            let name = scanner.token()
            let hasArgument = name != nil && scanner.take("=")
            let argument = hasArgument ? scanner.quotedString() ?? scanner.token() ?? "" : nil
            // Whatever else there is up to the comma makes the directive malformed; most often it follows at once.
            let rest = scanner.isAtEnd || scanner.take(",") ? "" : scanner.part(upTo: ",")
            if !rest.isEmpty { self.isMalformed = true }
            guard let name else { continue }
            guard self.directives.count < Self.mostDirectives else {
                self.isMalformed = true
                self.directives[0] = Directive(name: "no-store", argument: nil, isWellFormed: true)
                return
            }
            self.directives.append(
                Directive(
                    name: name.asciiLowercased(), argument: argument, isWellFormed: argument != "" && rest.isEmpty))
        }
        if scanner.isCut { self.isMalformed = true }
    }
}
