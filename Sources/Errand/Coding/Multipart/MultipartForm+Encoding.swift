public import Foundation

extension MultipartForm {
    /// The media type with the boundary.
    public var contentType: MIMEType {
        MIMEType("multipart/form-data; boundary=\"\(self.boundary)\"") ?? "multipart/form-data"
    }

    /// Writes the body to a file, for sending it later with ``contentType``.
    ///
    /// The file appears only when it is complete, and replaces an existing one. Cancelling the task ends the writing.
    ///
    /// - Throws: ``ErrandError``.
    public func write(to file: URL) async throws(ErrandError) {
        try TemporaryFile.check(file)
        let part = TemporaryFile(for: file)
        try await part.write(try (try self.encoded() ?? .none).chunks())
        try part.replaceFile(at: file)
    }

    /// Returns the body; `nil` without parts.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/encodingFailed``.
    func encoded() throws(ErrandError) -> HTTPRequest.Body? {
        guard Self.isBoundary(self.boundary) else {
            throw ErrandError(
                .encodingFailed,
                "\"\(self.boundary)\" cannot be the boundary of a form: it has 1 to 70 letters, digits and '()+_,-./:=?"
            )
        }
        let parts = try self.fieldParts() + self.parts
        guard !parts.isEmpty else { return nil }
        let pieces = try self.pieces(of: parts)
        if let data = Self.joined(pieces) { return .bytes(data) }
        return .stream(try Self.stream(of: pieces), length: try Self.length(of: pieces))
    }

    private func fieldParts() throws(ErrandError) -> [MultipartPart] {
        try self.fields.flattened().map { name, value in
            MultipartPart(name, filename: nil, contentType: nil, .bytes(Data((value ?? "").utf8)))
        }
    }

    /// Returns the body as a sequence of delimiters and contents of parts.
    private func pieces(of parts: [MultipartPart]) throws(ErrandError) -> [FormPiece] {
        var (pieces, text): ([FormPiece], Data) = ([], Data())
        for (index, part) in parts.enumerated() {
            text += Data(((index == 0 ? "" : "\r\n") + "--\(self.boundary)\r\n").utf8)
            let title = part.title(at: index)
            do throws(ErrandError) {
                text += Data(try part.head().utf8)
            } catch {
                throw error.about(title)
            }
            switch part.content {
            case .none: break
            case .bytes(let data):
                var search = self.delimiter.map { DelimiterSearch(for: $0) }
                if search?.finds(in: data) == true { throw ErrandError.boundaryInContent.about(title) }
                text += data
            case .file, .stream:
                pieces += [FormPiece(.bytes(text)), FormPiece(part.content, of: title, without: self.delimiter)]
                text = Data()
            }
        }
        return pieces + [FormPiece(.bytes(text + Data("\r\n--\(self.boundary)--\r\n".utf8)))]
    }

    /// The characters of RFC 2046 §5.1.1, except the space.
    private static func isBoundary(_ text: String) -> Bool {
        (1...70).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"):
                    true
                default: "'()+_,-./:=?".utf8.contains(byte)
                }
            }
    }

    // MARK: - Pieces

    /// Returns the whole body, if it is in memory.
    private static func joined(_ pieces: [FormPiece]) -> Data? {
        guard pieces.count == 1, case .bytes(let data) = pieces[0].content else { return nil }
        return data
    }

    private static func length(of pieces: [FormPiece]) throws(ErrandError) -> Int64? {
        var length: Int64 = 0
        for piece in pieces {
            guard let count = try piece.length() else { return nil }
            let (sum, isTooMuch) = length.addingReportingOverflow(count)
            guard count >= 0, !isTooMuch else { throw piece.about(Self.impossible(count)) }
            length = sum
        }
        return length
    }

    private static func impossible(_ count: Int64) -> ErrandError {
        ErrandError(.encodingFailed, "it cannot have \(count) bytes")
    }

    private static func stream(of pieces: [FormPiece]) throws(ErrandError) -> BodyStream {
        var streams: [BodyStream] = []
        for piece in pieces { streams.append(try piece.chunks()) }
        return BodyStream(joining: streams, of: pieces.map(\.content))
    }
}

/// A delimiter, or the content of a part, whose errors name the part.
private struct FormPiece: Sendable {
    let content: HTTPRequest.Body
    private let title: String?
    private let delimiter: [UInt8]?

    init(_ content: HTTPRequest.Body, of title: String? = nil, without delimiter: [UInt8]? = nil) {
        self.content = content
        self.title = title
        self.delimiter = delimiter
    }

    func about(_ error: ErrandError) -> ErrandError {
        self.title.map(error.about) ?? error
    }

    func length() throws(ErrandError) -> Int64? {
        do throws(ErrandError) {
            return try self.content.length()
        } catch {
            throw self.about(error)
        }
    }

    /// Returns the content as a stream, which fails if its length is wrong, or if it contains the delimiter.
    func chunks() throws(ErrandError) -> BodyStream {
        do throws(ErrandError) {
            let chunks = try self.content.chunks()
            // Delimiters cannot fail.
            if case .bytes = self.content { return chunks }
            let checked = self.delimiter.map(chunks.without) ?? chunks
            guard case .stream(_, let length?) = self.content else { return checked.mappingErrors(self.about) }
            return checked.ofLength(length).mappingErrors(self.about)
        } catch {
            throw self.about(error)
        }
    }
}

extension MultipartPart {
    /// Returns the name of this part in errors.
    fileprivate func title(at index: Int) -> String {
        guard let name = self.name else { return "part \(index + 1) of the form" }
        return "the part \"\(name.prefix(100))\" of the form"
    }
}

extension ErrandError {
    fileprivate static let boundaryInContent = ErrandError(
        .encodingFailed, "its content contains the boundary of the form: choose another one, or let the form choose it")

    /// Returns an error about encoding or support with a title in front; other errors are unchanged.
    fileprivate func about(_ title: String) -> ErrandError {
        guard self.code == .encodingFailed || self.code == .unsupported else { return self }
        return ErrandError(self.code, "\(title): \(self.message)", cause: self.cause, context: self.context)
    }
}

extension BodyStream {
    /// Creates a concatenation of streams.
    fileprivate init(joining streams: [BodyStream], of pieces: [HTTPRequest.Body]) {
        self.init(of: streams, origin: Origin(pieces: pieces)) {
            var rest = streams[...]
            var current = rest.popFirst()?.makeAsyncIterator()
            return { () async throws(ErrandError) -> Data? in
                while current != nil {
                    if let chunk = try await current?.next() { return chunk }
                    current = rest.popFirst()?.makeAsyncIterator()
                }
                return nil
            }
        }
    }

    /// Returns this stream, failing if its length is wrong.
    fileprivate func ofLength(_ length: Int64) -> BodyStream {
        BodyStream(of: [self], origin: nil) {
            var (chunks, left) = (self.makeAsyncIterator(), length)
            return { () async throws(ErrandError) -> Data? in
                let chunk = try await chunks.next()
                left -= Int64(chunk?.count ?? 0)
                guard left >= 0, chunk != nil || left == 0 else {
                    throw ErrandError(
                        .encodingFailed, "its length differs from the declared \(length) bytes")
                }
                return chunk
            }
        }
    }

    /// Returns this stream, failing before the piece in which a delimiter ends.
    fileprivate func without(_ delimiter: [UInt8]) -> BodyStream {
        BodyStream(of: [self], origin: nil) {
            var (chunks, search) = (self.makeAsyncIterator(), DelimiterSearch(for: delimiter))
            return { () async throws(ErrandError) -> Data? in
                let chunk = try await chunks.next()
                if let chunk, search.finds(in: chunk) { throw ErrandError.boundaryInContent }
                return chunk
            }
        }
    }

    /// Returns this stream with its errors changed.
    fileprivate func mappingErrors(_ change: @escaping @Sendable (ErrandError) -> ErrandError) -> BodyStream {
        BodyStream(of: [self], origin: nil) {
            var chunks = self.makeAsyncIterator()
            return { () async throws(ErrandError) -> Data? in
                do throws(ErrandError) {
                    return try await chunks.next()
                } catch {
                    throw change(error)
                }
            }
        }
    }
}
