#if os(Linux) || os(macOS)
    internal import Errand
    internal import ErrandTesting
    internal import Foundation

    /// A part of a form as a test sends it, and as a parser has to see it.
    struct SentPart: Sendable {
        enum Kind: Int, CaseIterable {
            case field, data, file, stream, streamOfLength
        }

        var kind = Kind.field
        var name: String
        var filename: String?
        var contentType: String?
        var content: Data

        init(_ name: String, _ value: String) {
            (self.name, self.content) = (name, Data(value.utf8))
        }

        init(_ kind: Kind, _ name: String, _ filename: String?, _ contentType: String?, _ content: Data) {
            self.kind = kind
            self.name = name
            self.filename = filename
            self.contentType = contentType
            self.content = content
        }

        /// Adds it to a form; files are made in the folder.
        func add(to form: inout MultipartForm, _ folder: FixtureFolder) throws {
            let type = self.contentType.flatMap(MIMEType.init)
            switch self.kind {
            case .field: form.append(self.name, String(decoding: self.content, as: UTF8.self))
            case .data: form.append(self.name, data: self.content, filename: self.filename, contentType: type)
            case .file:
                let file = try folder.file(UUID().uuidString, self.content)
                form.append(self.name, file: file, filename: self.filename, contentType: type)
            case .stream, .streamOfLength:
                let middle = self.content.count / 3
                let stream = FixtureBody.stream([self.content.prefix(middle), self.content.dropFirst(middle)])
                let length = self.kind == .streamOfLength ? Int64(self.content.count) : nil
                form.append(
                    self.name, stream: stream, length: length, filename: self.filename, contentType: type)
            }
        }

        /// What parsers see: no parser undoes the escapes of the HTML standard.
        var read: ParserAnswer.Part {
            ParserAnswer.Part(
                name: Self.escaped(Self.endingLines(self.name)), filename: self.filename.map(Self.escaped),
                contentType: self.contentType, content: self.content)
        }

        /// In names of fields, and only there, a CR and an LF that stand alone become both of them.
        static func endingLines(_ name: String) -> String {
            name.replacing("\r\n", with: "\n").replacing("\r", with: "\n").replacing("\n", with: "\r\n")
        }

        /// The rule of the documentation: quotes, line breaks and the other control characters but the tab are
        /// percent-encoded, nothing else is, the percent sign neither.
        static func escaped(_ name: String) -> String {
            name.unicodeScalars.map { scalar in
                switch scalar {
                case "\t": "\t"
                case "\r": "%0D"
                case "\n": "%0A"
                case "\"": "%22"
                case "\u{7F}": "%7F"
                case "\u{0}"..<" ":
                    "%" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16, uppercase: true)
                default: String(Character(scalar))
                }
            }
            .joined()
        }
    }

    extension MultipartForm {
        /// Creates a form of parts.
        init(_ parts: [SentPart], in folder: FixtureFolder, boundary: String? = nil) throws {
            self.init(boundary: boundary)
            for part in parts { try part.add(to: &self, folder) }
        }
    }

    // MARK: - Random parts

    extension SentPart {
        private static let words = [
            "a", "name", "\"", "\r\n", "\r", "\n", "\u{0}", "\t", "\u{1B}", "\u{7F}", "😀", "👩‍👩‍👧", "é", "e\u{301}", "日本",
            "\u{85}", "\u{2028}",
            "%", "%22", "+", "&", ";", "=", "; filename=\"x\"", "'", "[", "]", "<", ">", " ", "  ", ",", ":", "/", "--",
            "?",
        ]

        private static let lines = ["\r\n", "\r", "\n", "--", "\r\n--", "x", "é😀", "\u{0}", ": ", "=\"a\""]

        /// Makes any part; its content may look like a delimiter in part, which is never whole.
        static func random(boundary: String, _ random: inout SplitMix64) -> SentPart {
            let kind = Kind.allCases[random.next(below: Kind.allCases.count)]
            let name = Self.text(Self.words, &random)
            guard kind != .field else { return SentPart(name, Self.content(boundary, &random)) }
            // The only kind that may have no name of a file: a file has one of its own.
            let isNamed = kind == .file || random.next(below: 4) > 0
            let type = ["text/plain", "application/octet-stream", "image/png", "text/x-a; charset=utf-8"][
                random.next(below: 4)]
            return SentPart(
                kind, name, isNamed ? Self.text(Self.words, &random) : nil, type,
                random.next(below: 2) == 0
                    ? Data(Self.content(boundary, &random).utf8)
                    : Data((0..<random.next(below: 70_000)).map { _ in UInt8(truncatingIfNeeded: random.next()) }))
        }

        private static func text(_ words: [String], _ random: inout SplitMix64) -> String {
            (0..<random.next(below: 6)).map { _ in words[random.next(below: words.count)] }.joined()
        }

        private static func content(_ boundary: String, _ random: inout SplitMix64) -> String {
            let pieces =
                Self.lines + ["--" + boundary.dropLast(), "\r\n--" + boundary.dropLast(), String(boundary.dropFirst())]
            return (0..<random.next(below: 20)).map { _ in pieces[random.next(below: pieces.count)] + "." }.joined()
        }
    }
#endif
