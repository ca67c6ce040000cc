/// The directives of the `Cache-Control` fields of a message (RFC 9111 §5.2).
///
/// Names are compared case-insensitively, and arguments are accepted as tokens and as quoted strings. Malformed
/// directives are read on the safe side: one that restricts applies whatever follows its name, and one that allows
/// something for a number of seconds allows it for zero seconds.
struct CacheControl: Sendable, Hashable {
    private struct Directive: Hashable {
        let name: String
        let argument: String?
        let isWellFormed: Bool
    }

    private var directives: [Directive] = []
    /// Set if a part of the fields cannot be read, so that its restrictions are unknown.
    private(set) var isMalformed = false

    /// The upper limit for numbers of seconds (RFC 9111 §1.2.2).
    static let mostSeconds = 1 << 31
    /// The maximum number of directives.
    ///
    /// With more of them their restrictions are unknown, and no response is stored.
    static let mostDirectives = 256

    init(_ fields: HTTPFields) {
        for line in fields.values(for: HTTPField.Name.cacheControl) { self.parse(line) }
    }

    // MARK: - Reading

    var isEmpty: Bool { self.directives.isEmpty }

    /// Returns true if a directive is present, whatever its argument.
    func contains(_ name: String) -> Bool {
        self.directives.contains { $0.name == name }
    }

    /// Returns the smallest number of seconds of a directive, 0 if it is invalid (RFC 9111 §4.2.1), or `nil` if it is
    /// absent.
    func seconds(_ name: String) -> Int? {
        self.directives.lazy.filter { $0.name == name }.map { Self.seconds($0) ?? 0 }.min()
    }

    /// The staleness that a request accepts (RFC 9111 §5.2.1.2); unlimited without an argument.
    var maxStale: Int? {
        self.directives.filter { $0.name == "max-stale" }
            .map { $0.argument == nil && $0.isWellFormed ? Self.mostSeconds : Self.seconds($0) ?? 0 }.min()
    }

    /// The time for which a response must remain fresh (RFC 9111 §5.2.1.3).
    ///
    /// An invalid one cannot be satisfied.
    var minFresh: Int? {
        self.directives.filter { $0.name == "min-fresh" }.map { Self.seconds($0) ?? Self.mostSeconds }.max()
    }

    /// True if the whole response must not be used without validation (RFC 9111 §5.2.2.4).
    var isNoCache: Bool {
        self.isMalformed || self.directives.contains { $0.name == "no-cache" && Self.names($0) == nil }
    }

    /// The fields that must not be used without validation, in lower case.
    var noCacheFields: [String] { self.directives.filter { $0.name == "no-cache" }.flatMap { Self.names($0) ?? [] } }

    private static func seconds(_ directive: Directive) -> Int? {
        directive.isWellFormed ? directive.argument.flatMap { Self.seconds($0[...]) } : nil
    }

    /// Parses delta-seconds (RFC 9111 §1.2.2): only digits are valid.
    static func seconds(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
        return text.utf8.reduce(0) { min($0 * 10 + Int($1 & 0x0F), Self.mostSeconds) }
    }

    /// The names listed in an argument; `nil` if it is not a list of names.
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
            // Any other text before the comma makes the directive malformed; usually the comma follows at once.
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
