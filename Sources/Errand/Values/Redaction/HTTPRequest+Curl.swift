internal import Foundation

extension HTTPRequest {
    /// Returns a POSIX shell command that sends this request with the `curl` program.
    ///
    /// It can be run as printed, unless it hides a secret, which is replaced by `***`. Hidden are credentials except
    /// their scheme, cookies, and all header fields, query items (also of a `Referer`), form items and JSON members
    /// with names of secrets (see ``HTTPURL/redacted``); of a multipart body, everything. Other bodies are shown.
    ///
    /// The content of a file is read from the file, also as a part of a ``MultipartForm``. For a body compressed with
    /// gzip, the `gzip` program is used, at the same level but possibly with other bytes. Bandwidth limits are not
    /// included. The content of a stream is not available: the command reads it from its standard input, and reads a
    /// whole form from there if it has more than one stream. User and password of the URL are omitted: Errand sends
    /// them as a credential in a header field.
    ///
    /// - Parameters:
    ///   - showingSecrets: Pass true to include secrets.
    ///   - secretHeaders: Names of additional secret header fields.
    /// - Returns: The command, on one line except for the line breaks of a text body.
    /// - Complexity: O(*n*) in the length of the body.
    public func curlCommand(showingSecrets: Bool = false, secretHeaders: [String] = []) -> String {
        CurlCommand(self, hiding: showingSecrets ? nil : Redaction(secretHeaders: secretHeaders)).text
    }
}

/// The parts of a command for the `curl` program.
private struct CurlCommand {
    private let request: HTTPRequest
    private let redaction: Redaction?

    /// The maximum size of a body in the command itself: systems limit the length of a word.
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

    /// Returns the header lines; one without a value keeps the program from adding its own field.
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

    /// The program sets the fields for message framing.
    private static let framing = [HTTPField.Name.contentLength, HTTPField.Name.transferEncoding]

    // MARK: - Content

    private struct Content {
        let words: [String]
        /// The command that writes the content to a pipe, if any.
        var source: String?

        /// Returns content from the standard input, or from a command.
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

    /// Returns the content of a stream; if several of its pieces need the standard input, all of it does.
    private func content(of origin: BodyStream.Origin?) -> Content? {
        guard let origin, origin.pieces.count(where: \.isStream) <= 1 else { return .piped() }
        if origin.pieces.count == 1, origin.gzipLevel == nil { return self.content(of: origin.pieces[0]) }
        if !origin.isFile, let hidden = self.hidden(Data()), !hidden.isEmpty { return self.content(hidden) }
        let commands = origin.pieces.compactMap(Self.command)
        let joined = commands.count == 1 ? commands[0] : "{ \(commands.joined(separator: "; ")); }"
        // The program has no level without compression.
        return .piped(from: origin.gzipLevel.map { "\(joined) | gzip -\(max(1, $0))" } ?? joined)
    }

    /// Returns the command that writes a piece.
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

    /// Quotes a word for a shell.
    private static func quote(_ word: String) -> String {
        if !word.isEmpty, word.utf8.allSatisfy(\.isPlainInShell) { return word }
        // A word cannot contain a zero byte, which cannot be sent either.
        return "'" + word.replacingExactly("\0", with: "").replacingExactly("'", with: #"'\''"#) + "'"
    }
}

extension HTTPRequest.Body {
    fileprivate var isStream: Bool {
        if case .stream = self { true } else { false }
    }
}

extension BodyStream.Origin {
    /// True if only the name of a file is shown.
    fileprivate var isFile: Bool {
        if self.pieces.count == 1, case .file = self.pieces[0] { true } else { false }
    }
}

extension String {
    /// True if it contains no control characters except line breaks and tabs.
    fileprivate var canBeShown: Bool {
        self.unicodeScalars.allSatisfy { $0 == "\n" || $0 == "\t" || $0.properties.generalCategory != .control }
    }
}

extension UInt8 {
    /// True if the byte has no special meaning in a shell word.
    fileprivate var isPlainInShell: Bool {
        switch self {
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: "_"),
            UInt8(ascii: ","), UInt8(ascii: "@"):
            true
        default: self.isASCIILetter || self.isASCIIDigit
        }
    }

    /// True if the byte is literal in a quoted format of `printf`, whatever precedes it.
    fileprivate var canStandInFormat: Bool { self.isASCIILetter }
}
