internal import Errand
internal import Foundation

/// Reads a stream by bytes, independently of its chunks.
struct ConformanceReader {
    private var iterator: BodyStream.Iterator
    private var rest = Data()

    /// Creates a reader at the beginning of a stream.
    init(_ stream: BodyStream) {
        self.iterator = stream.makeAsyncIterator()
    }

    /// Reads the given number of bytes, or fewer at the end.
    ///
    /// - Throws: The error with which the stream ends.
    mutating func read(_ count: Int) async throws(ErrandError) -> Data {
        while self.rest.count < count {
            guard let chunk = try await self.iterator.next() else { break }
            self.rest.append(chunk)
        }
        defer { self.rest = Data(self.rest.dropFirst(count)) }
        return Data(self.rest.prefix(count))
    }
}

// MARK: - Requirements for streams

extension ConformanceScene {
    /// Performs an exchange and requires a response with a stream.
    func stream(of exchange: ConformanceExchange) async throws(ConformanceFailure) -> BodyStream {
        let response = try await self.response(to: exchange)
        guard case .stream(let stream) = response.body else {
            throw self.failure("a response with a stream", Outcome.success(response).words)
        }
        return stream
    }

    /// Performs an exchange and requires a response with a stream of exactly these bytes.
    func expectStream(_ body: Data, of exchange: ConformanceExchange) async throws(ConformanceFailure) {
        try await self.expect(body, from: try await self.stream(of: exchange))
    }

    /// Reads a stream to its end, and requires exactly these bytes.
    func expect(_ body: Data, from stream: BodyStream) async throws(ConformanceFailure) {
        var reader = ConformanceReader(stream)
        let read = try await self.read(.max, from: &reader)
        try self.require(read == body, "a stream of \(body.excerpt)", read.excerpt)
    }

    /// Reads bytes, and requires that no error occurs before.
    func read(_ count: Int, from reader: inout ConformanceReader) async throws(ConformanceFailure) -> Data {
        self.note("reading a stream")
        do {
            return try await reader.read(count)
        } catch {
            throw self.failure("a chunk of a stream, or its end", "the error \(error)")
        }
    }

    /// Reads the length of a text, and requires that text.
    func expect(
        _ text: String, next count: Int, from reader: inout ConformanceReader
    ) async throws(ConformanceFailure) {
        let read = try await self.read(count, from: &reader)
        try self.require("the next bytes", String(decoding: read, as: UTF8.self), is: text)
    }

    /// Reads the rest, and requires that it is empty.
    func expectEnd(of reader: inout ConformanceReader) async throws(ConformanceFailure) {
        let rest = try await self.read(.max, from: &reader)
        try self.require("the rest of the stream", rest, is: Data())
    }

    /// Reads the rest, and requires an error.
    func expectFailure(
        _ code: ErrandError.Code, of reader: inout ConformanceReader
    ) async throws(ConformanceFailure) {
        self.note("reading a stream that has to fail")
        let rest: Data
        do {
            rest = try await reader.read(.max)
        } catch {
            return try self.require("the code of the error", error.code, is: code)
        }
        throw self.failure("the error \(code)", rest.isEmpty ? "the end of the stream" : "more bytes, \(rest.excerpt)")
    }
}
