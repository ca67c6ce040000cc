public import Foundation

extension MultipartForm {
    /// The media type with the boundary.
    public var contentType: MIMEType {
        MIMEType("multipart/form-data; boundary=\"\(self.boundary)\"") ?? "multipart/form-data"
    }

    /// Writes the body into a file, for something that sends it later; send it with ``contentType``.
    ///
    /// The file appears whole, and replaces one that was there. Cancelling the task ends the writing.
    ///
    /// - Throws: ``ErrandError``.
    public func write(to file: URL) async throws(ErrandError) {
        try TemporaryFile.check(file)
        let part = TemporaryFile(for: file)
        try await part.write(try (try self.encoded() ?? .none).chunks())
        try part.replaceFile(at: file)
    }

    /// The body; `nil` without a part.
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

    /// The body as a sequence of bytes and contents of parts.
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

    /// The characters of RFC 2046 §5.1.1, but for the space.
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

    /// All of it, where it is at hand.
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

/// A delimiter between parts, or the content of one; errors about that name the part.
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

    /// The content as a stream, which ends with an error when it has more or fewer bytes than it should, or the delimiter.
    func chunks() throws(ErrandError) -> BodyStream {
        do throws(ErrandError) {
            let chunks = try self.content.chunks()
            // What stands between parts cannot fail.
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
    /// How errors call this part.
    fileprivate func title(at index: Int) -> String {
        guard let name = self.name else { return "part \(index + 1) of the form" }
        return "the part \"\(name.prefix(100))\" of the form"
    }
}

extension ErrandError {
    fileprivate static let boundaryInContent = ErrandError(
        .encodingFailed, "its content has the boundary of the form in it: choose another one, or leave it to the form")

    /// The same error with what it is about in front; one about something else as it is.
    fileprivate func about(_ title: String) -> ErrandError {
        guard self.code == .encodingFailed || self.code == .unsupported else { return self }
        return ErrandError(self.code, "\(title): \(self.message)", cause: self.cause, context: self.context)
    }
}

extension BodyStream {
    /// Streams one after another.
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

    /// This stream, ending with an error when it has more or fewer bytes than it should.
    fileprivate func ofLength(_ length: Int64) -> BodyStream {
        BodyStream(of: [self], origin: nil) {
            var (chunks, left) = (self.makeAsyncIterator(), length)
            return { () async throws(ErrandError) -> Data? in
                let chunk = try await chunks.next()
                left -= Int64(chunk?.count ?? 0)
                guard left >= 0, chunk != nil || left == 0 else {
                    throw ErrandError(
                        .encodingFailed, "it has another length than the \(length) bytes it was said to have")
                }
                return chunk
            }
        }
    }

    /// This stream, ending with an error before the piece in which a delimiter ends.
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

    /// This stream with other errors.
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
