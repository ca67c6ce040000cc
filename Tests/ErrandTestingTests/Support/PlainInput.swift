internal import Errand
internal import ErrandTesting
internal import Foundation

/// The bytes that come over a connection, read by lines and by pieces.
actor PlainInput {
    nonisolated let connection: PlainConnection
    private let defect: PlainTransport.Defect?
    private var buffer = Data()
    /// Whether the last head was one of HTTP/1.0, where connections are not kept.
    private(set) var isOld = false

    init(_ connection: PlainConnection, _ defect: PlainTransport.Defect?) {
        self.connection = connection
        self.defect = defect
    }

    /// What waits and belongs to no message.
    var rest: Data { self.buffer }

    /// Reads a line without its end.
    func readLine(limit: Int = 200_000) async throws(ErrandError) -> String {
        while true {
            if let end = self.buffer.firstIndex(of: 10) {
                let line = self.buffer[..<end]
                self.buffer = Data(self.buffer[(end + 1)...])
                guard line.last == 13, !line.contains(0) else { throw ErrandError(.invalidResponse, "a bad line") }
                return String(decoding: line.dropLast(), as: UTF8.self)
            }
            guard self.buffer.count <= limit else { throw ErrandError(.invalidResponse, "a line without end") }
            try await self.fill()
        }
    }

    /// Reads at most so many bytes, or nothing at the end of the connection.
    func readPiece(atMost limit: Int64) async throws(ErrandError) -> Data? {
        if self.buffer.isEmpty {
            guard let bytes = try await self.connection.read() else { return nil }
            self.buffer = bytes
        }
        let piece = self.buffer.prefix(Int(clamping: limit))
        self.buffer = Data(self.buffer.dropFirst(piece.count))
        return Data(piece)
    }

    /// Reads the head of a response.
    func readHead() async throws(ErrandError) -> HTTPResponse.Head {
        let first: String
        do throws(ErrandError) {
            first = try await self.readLine()
        } catch {
            // What was there was no line.
            guard error.code == .connectionLost, !self.buffer.isEmpty else { throw error }
            throw ErrandError(.invalidResponse, "no status line")
        }
        self.isOld = first.hasPrefix("HTTP/1.0")
        var head = HTTPResponse.Head(status: try Self.status(first))
        var size = 0
        while true {
            let line = try await self.readLine()
            if line.isEmpty { return head }
            size += line.utf8.count
            guard size < 300_000 else { throw ErrandError(.invalidResponse, "a head without end") }
            try self.add(line, to: &head.headers)
        }
    }

    private func add(_ line: String, to fields: inout HTTPFields) throws(ErrandError) {
        if line.first == " " || line.first == "\t" {
            guard let last = fields.last else { throw ErrandError(.invalidResponse, "space before the first field") }
            fields = HTTPFields(fields.dropLast())
            fields.append(name: last.name, value: last.value + " " + line.drop { $0 == " " || $0 == "\t" })
            return
        }
        guard let colon = line.firstIndex(of: ":"), colon > line.startIndex else {
            throw ErrandError(.invalidResponse, "a field without a colon")
        }
        let (name, value) = (String(line[..<colon]), String(line[line.index(after: colon)...]))
        if self.defect == .mergesFields, let before = fields[name] {
            fields[name] = "\(before), \(HTTPField(name: name, value: value).value)"
        } else {
            fields.append(name: name, value: value)
        }
    }

    private static func status(_ line: String) throws(ErrandError) -> HTTPStatus {
        guard let match = line.wholeMatch(of: /HTTP\/1\.[01] ([1-9][0-9]{2})( .*)?/), let code = Int(match.1) else {
            throw ErrandError(.invalidResponse, "no status line")
        }
        return HTTPStatus(rawValue: code)
    }

    private func fill() async throws(ErrandError) {
        guard let bytes = try await self.connection.read() else {
            throw ErrandError(.connectionLost, "the connection was closed")
        }
        self.buffer.append(bytes)
    }
}
