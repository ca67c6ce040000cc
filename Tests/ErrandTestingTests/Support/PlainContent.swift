internal import Errand
internal import Foundation

/// The content of a request: how it is framed, and its pieces.
struct PlainContent: Sendable {
    /// The pieces of content, one after another.
    typealias Pieces = () async throws(ErrandError) -> Data?

    /// The field that frames it, if one does.
    let field: (name: String, value: String)?
    /// How many bytes there are, where that is known.
    let length: Int64?
    private let body: HTTPRequest.Body
    private let isUnchecked: Bool
    private let isGreedy: Bool

    /// Prepares content.
    ///
    /// - Throws: ``ErrandError`` when it cannot be read.
    init(_ body: HTTPRequest.Body, _ defect: PlainTransport.Defect?) throws(ErrandError) {
        self.body = body
        self.isUnchecked = defect == .sendsStreamsAsTheyAre
        self.isGreedy = defect == .asksAhead
        switch body {
        case .none: self.length = nil
        case .bytes(let data): self.length = Int64(data.count)
        case .stream(_, let length): self.length = length
        case .file(let file):
            let values = file.isFileURL ? try? file.resourceValues(forKeys: [.isRegularFileKey, .fileSizeKey]) : nil
            guard values?.isRegularFile == true, let size = values?.fileSize else {
                throw ErrandError(.encodingFailed, "no file at \(file)")
            }
            self.length = Int64(size)
        }
        if case .stream(_, nil) = body {
            self.field = ("Transfer-Encoding", "chunked")
        } else {
            self.field = self.length.map { ("Content-Length", "\($0)") }
        }
    }

    var isChunked: Bool { if case .stream(_, nil) = self.body { true } else { false } }

    /// Begins to read the content; the pieces have its length in all, or an error comes before their end.
    func makePieces() throws(ErrandError) -> Pieces {
        let next = try self.makeRawPieces()
        guard let length = self.length, !self.isUnchecked else { return next }
        var missing = length
        return { () async throws(ErrandError) -> Data? in
            let piece = try await next()
            missing -= Int64(piece?.count ?? 0)
            guard missing >= 0, piece != nil || missing == 0 else {
                throw ErrandError(.encodingFailed, "the content has not the length of \(length) bytes")
            }
            return piece
        }
    }

    private func makeRawPieces() throws(ErrandError) -> Pieces {
        switch self.body {
        case .none:
            return { () async throws(ErrandError) -> Data? in nil }
        case .bytes(let data):
            var rest = data
            return { () async throws(ErrandError) -> Data? in
                defer { rest = rest.dropFirst(1 << 16) }
                return rest.isEmpty ? nil : Data(rest.prefix(1 << 16))
            }
        case .stream(let stream, _):
            var iterator = stream.makeAsyncIterator()
            guard self.isGreedy else { return { () async throws(ErrandError) -> Data? in try await iterator.next() } }
            return { () async throws(ErrandError) -> Data? in
                var all = Data()
                while let piece = try await iterator.next() { all.append(piece) }
                return all.isEmpty ? nil : all
            }
        case .file(let file):
            guard let handle = try? FileHandle(forReadingFrom: file) else {
                throw ErrandError(.encodingFailed, "the file cannot be read")
            }
            return { () async throws(ErrandError) -> Data? in
                guard let piece = try? handle.read(upToCount: 1 << 16), !piece.isEmpty else { return nil }
                return piece
            }
        }
    }
}
