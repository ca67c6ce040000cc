internal import Errand
internal import ErrandTesting
internal import Foundation

/// How the end of a body is found (RFC 9112 §6.3).
struct PlainFraming: Sendable {
    enum Kind: Sendable {
        case length(Int64)
        case chunks
        case untilClose
    }

    let kind: Kind
    let keepsConnection: Bool

    init(
        _ head: HTTPResponse.Head, of method: HTTPMethod, _ defect: PlainTransport.Defect?
    ) throws(ErrandError) {
        let codings = head.headers.values(for: "Transfer-Encoding")
        let lengths = head.headers.values(for: "Content-Length").joined(separator: ",")
            .filter { $0 != " " }.split(separator: ",", omittingEmptySubsequences: false)
        if defect != .ignoresStatus, method == .head || head.status == 204 || head.status == 304 {
            self.kind = .length(0)
        } else if !codings.isEmpty {
            guard codings.count == 1, codings[0].lowercased() == "chunked" else {
                throw ErrandError(.invalidResponse, "unknown transfer coding")
            }
            self.kind = .chunks
        } else if head.headers.contains("Content-Length") {
            let first = lengths.first ?? ""
            let isSame = lengths.allSatisfy { $0 == first } || defect == .countsFirstLength
            guard isSame, first.utf8.allSatisfy({ (48...57).contains($0) }), let length = Int64(first) else {
                throw ErrandError(.invalidResponse, "a length that is none")
            }
            self.kind = .length(length)
        } else {
            self.kind = .untilClose
        }
        let closes = head.headers["Connection"]?.lowercased() == "close"
        if case .untilClose = self.kind { self.keepsConnection = false } else { self.keepsConnection = !closes }
    }
}

/// A body as it comes in; reads no more than it is asked for.
actor PlainBody {
    private enum State {
        case fixed(missing: Int64)
        case chunkSize
        case chunk(missing: Int64)
        case untilClose
        case ended
    }

    private let input: PlainInput
    private let context: ExchangeContext
    private let defect: PlainTransport.Defect?
    private let total: Int64?
    private let giveBack: @Sendable (PlainConnection) -> Void
    private var state: State
    private var count: Int64 = 0
    private var ahead: [Data] = []

    init(
        _ input: PlainInput, _ framing: PlainFraming, _ context: ExchangeContext, _ defect: PlainTransport.Defect?,
        _ giveBack: @escaping @Sendable (PlainConnection) -> Void
    ) {
        self.input = input
        self.context = context
        self.defect = defect
        self.giveBack = giveBack
        switch framing.kind {
        case .length(let length): (self.state, self.total) = (.fixed(missing: length), length)
        case .chunks: (self.state, self.total) = (.chunkSize, nil)
        case .untilClose: (self.state, self.total) = (.untilClose, nil)
        }
    }

    nonisolated func abort(_ error: ErrandError) {
        self.input.connection.abort(error)
    }

    /// Answers the next piece, or nothing at the end.
    func next() async throws(ErrandError) -> Data? {
        if !self.ahead.isEmpty { return self.ahead.removeFirst() }
        do throws(ErrandError) {
            guard let piece = try await self.read() else {
                await self.end()
                return nil
            }
            self.count += Int64(piece.count)
            if self.defect != .reportsNoProgress {
                self.context.report(.received(TransferProgress(bytes: self.count, total: self.total)))
            }
            return piece
        } catch {
            self.state = .ended
            guard self.defect == .swallowsErrors, error.code == .connectionLost else { throw error }
            return nil
        }
    }

    /// Takes all of the body into memory, which is wrong.
    func readAhead() async {
        var all: [Data] = []
        while let piece = try? await self.next() { all.append(piece) }
        self.ahead = all
    }

    private func end() async {
        let rest = await self.input.rest
        guard rest.isEmpty || self.defect == .keepsEveryConnection else { return }
        self.input.connection.keep(rest)
        self.giveBack(self.input.connection)
    }

    private func read() async throws(ErrandError) -> Data? {
        while true {
            switch self.state {
            case .ended, .fixed(missing: 0):
                self.state = .ended
                return nil
            case .fixed(let missing):
                let piece = try await self.piece(missing)
                self.state = .fixed(missing: missing - Int64(piece.count))
                return piece
            case .untilClose:
                guard let piece = try await self.input.readPiece(atMost: .max) else {
                    self.state = .ended
                    return nil
                }
                return piece
            case .chunkSize: try await self.beginChunk()
            case .chunk(missing: 0):
                guard try await self.input.readLine(limit: 2).isEmpty else {
                    throw ErrandError(.invalidResponse, "a chunk that is longer than its size")
                }
                self.state = .chunkSize
            case .chunk(let missing):
                let piece = try await self.piece(missing)
                self.state = .chunk(missing: missing - Int64(piece.count))
                return piece
            }
        }
    }

    private func piece(_ missing: Int64) async throws(ErrandError) -> Data {
        guard let piece = try await self.input.readPiece(atMost: missing) else {
            throw ErrandError(.connectionLost, "the body was cut")
        }
        return piece
    }

    private func beginChunk() async throws(ErrandError) {
        let line = try await self.input.readLine(limit: 1000)
        let digits = line.prefix { $0 != ";" && $0 != " " }
        guard !digits.isEmpty, digits.allSatisfy(\.isHexDigit), let size = Int64(digits, radix: 16) else {
            throw ErrandError(.invalidResponse, "a size of a chunk that is none")
        }
        self.state = .chunk(missing: size)
        guard size == 0 else { return }
        while try await !self.input.readLine().isEmpty {}
        self.state = .ended
    }
}
