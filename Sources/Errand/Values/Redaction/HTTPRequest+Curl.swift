internal import Foundation

extension HTTPRequest {
    /// Writes the command that sends this request with the `curl` program, for a POSIX shell.
    ///
    /// It can be run as it is printed, unless it hides a secret: in place of one stands `***`. Hidden are credentials
    /// but for their scheme, cookies, and whatever has a name that secrets have (see ``HTTPURL/redacted``) among header
    /// fields, query items (of a `Referer`, too), items of a form and members of JSON; of a multipart body everything.
    /// Other bodies are shown as they are.
    ///
    /// The content of a file is read from the file, also where it is a part of a ``MultipartForm``, and where it is
    /// sent with gzip: the `gzip` program compresses it then, at the same level but perhaps to other bytes. How fast a
    /// body is sent does not show. The content of a stream is not at hand: the command reads it from its standard
    /// input, and so it does with the whole of a form that has more than one. User and password of the URL are left out:
    /// where Errand sends the request they have become a credential in its header fields.
    ///
    /// - Parameters:
    ///   - showingSecrets: Whether secrets stand in it.
    ///   - secretHeaders: Names of more header fields that are secret.
    /// - Returns: The command, on one line but for the line breaks of a body that is text.
    /// - Complexity: O(*n*) in the length of the body.
    public func curlCommand(showingSecrets: Bool = false, secretHeaders: [String] = []) -> String {
        CurlCommand(self, hiding: showingSecrets ? nil : Redaction(secretHeaders: secretHeaders)).text
    }
}

/// The parts of a command for the `curl` program.
private struct CurlCommand {
    private let request: HTTPRequest
    private let redaction: Redaction?

    /// Up to this size a body stands in the command itself: systems bound the length of a word.
    private static let wordLimit = 64 << 10

    init(_ request: HTTPRequest, hiding redaction: Redaction?) {
        self.request = request
        self.redaction = redaction
    }

    var text: String {
        let content = self.content
        var words = ["curl"] + self.methodWords(hasContent: content != nil)
        let url = self.redaction == nil ? self.request.url.stringForTransport : self.request.url.redacted
        if url.containsExactly("[") || url.containsExactly("]") { words.append("--globoff") }
        if self.request.url.layout.tail.mayHaveDotSegments { words.append("--path-as-is") }
        words.append(url)
        for line in self.headerLines(hasContent: content != nil) { words += ["--header", line] }
        if !self.request.headers.contains(HTTPField.Name.acceptEncoding) {
            let isPart = self.request.headers.contains("Range")
            words += isPart ? ["--header", "Accept-Encoding: identity"] : ["--compressed"]
        }
        words += content?.words ?? []
        let command = words.map(Self.quote).joined(separator: " ")
        return content?.source.map { "\($0) | \(command)" } ?? command
    }

    private func methodWords(hasContent: Bool) -> [String] {
        switch self.request.method {
        case .get where !hasContent, .post where hasContent: []
        case .head where !hasContent: ["--head"]
        default: ["--request", self.request.method.rawValue]
        }
    }

    // MARK: - Header fields

    /// The lines to add; one with nothing behind its colon keeps the program from adding a field of its own.
    private func headerLines(hasContent: Bool) -> [String] {
        var lines: [String] = []
        for field in self.request.headers where !Self.framing.contains(where: { field.isNamed($0) }) {
            let value = self.redaction?.value(of: field) ?? field.value
            lines.append(value.isEmpty ? "\(field.name);" : "\(field.name): \(value)")
        }
        var own = [HTTPField.Name.accept, HTTPField.Name.userAgent]
        if hasContent { own += [HTTPField.Name.contentType, HTTPField.Name.expect] }
        return lines + own.filter { !self.request.headers.contains($0) }.map { "\($0):" }
    }

    /// What says how the message is framed is for the program to say.
    private static let framing = [HTTPField.Name.contentLength, HTTPField.Name.transferEncoding]

    // MARK: - Content

    private struct Content {
        let words: [String]
        /// The command that writes it, where it comes through a pipe.
        var source: String?

        /// What comes from the standard input, or from a command.
        static func piped(from source: String? = nil) -> Content {
            Content(words: ["--data-binary", "@-"], source: source)
        }
    }

    private var content: Content? {
        self.content(of: self.request.body)
    }

    private func content(of body: HTTPRequest.Body) -> Content? {
        switch body {
        case .none: self.request.method.announcesContent ? Content(words: ["--data-raw", ""]) : nil
        case .file(let url): Content(words: ["--data-binary", "@\(url.path)"])
        case .stream(let stream, _): self.content(of: stream.origin)
        case .bytes(let data): self.content(self.hidden(data) ?? Array(data))
        }
    }

    private func hidden(_ data: Data) -> [UInt8]? {
        self.redaction?.content(
            data, self.request.headers[HTTPField.Name.contentType],
            isCoded: self.request.headers.contains(HTTPField.Name.contentEncoding))
    }

    /// The content of a stream; all of it is for the standard input if that is where several of its pieces are.
    private func content(of origin: BodyStream.Origin?) -> Content? {
        guard let origin, origin.pieces.count(where: \.isStream) <= 1 else { return .piped() }
        if origin.pieces.count == 1, origin.gzipLevel == nil { return self.content(of: origin.pieces[0]) }
        if !origin.isFile, let hidden = self.hidden(Data()), !hidden.isEmpty { return self.content(hidden) }
        let commands = origin.pieces.compactMap(Self.command)
        let joined = commands.count == 1 ? commands[0] : "{ \(commands.joined(separator: "; ")); }"
        // The program has no level that does not compress.
        return .piped(from: origin.gzipLevel.map { "\(joined) | gzip -\(max(1, $0))" } ?? joined)
    }

    /// The command that writes a piece.
    private static func command(_ piece: HTTPRequest.Body) -> String? {
        switch piece {
        case .none: nil
        case .bytes(let data): Self.printing(Array(data))
        case .file(let url): "cat \(Self.quote(url.path))"
        case .stream: "cat"
        }
    }

    private func content(_ bytes: [UInt8]) -> Content {
        if bytes.count <= Self.wordLimit, let text = String(validUTF8: bytes), text.canBeShown {
            return Content(words: ["--data-raw", text])
        }
        return .piped(from: Self.printing(bytes))
    }

    private static func printing(_ bytes: [UInt8]) -> String {
        let octal = bytes.map { byte in
            byte.canStandInFormat ? String(Unicode.Scalar(byte)) : "\\\(byte >> 6)\(byte >> 3 & 7)\(byte & 7)"
        }
        return "printf '\(octal.joined())'"
    }

    // MARK: - Words

    /// Writes a word so that a shell takes it for itself.
    private static func quote(_ word: String) -> String {
        if !word.isEmpty, word.utf8.allSatisfy(\.isPlainInShell) { return word }
        // A zero cannot stand in a word; it cannot be sent either.
        return "'" + word.replacingExactly("\0", with: "").replacingExactly("'", with: #"'\''"#) + "'"
    }
}

extension HTTPRequest.Body {
    fileprivate var isStream: Bool {
        if case .stream = self { true } else { false }
    }
}

extension BodyStream.Origin {
    /// Whether only the name of a file can be seen of it.
    fileprivate var isFile: Bool {
        if self.pieces.count == 1, case .file = self.pieces[0] { true } else { false }
    }
}

extension String {
    /// Whether there is nothing in it that a terminal would act on, but for line breaks and tabs.
    fileprivate var canBeShown: Bool {
        self.unicodeScalars.allSatisfy { $0 == "\n" || $0 == "\t" || $0.properties.generalCategory != .control }
    }
}

extension UInt8 {
    /// Whether no shell gives this byte a meaning in a word.
    fileprivate var isPlainInShell: Bool {
        switch self {
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: "_"),
            UInt8(ascii: ","), UInt8(ascii: "@"):
            true
        default: self.isASCIILetter || self.isASCIIDigit
        }
    }

    /// Whether this byte stands for itself in a quoted format of `printf`, whatever comes before it.
    fileprivate var canStandInFormat: Bool { self.isASCIILetter }
}
