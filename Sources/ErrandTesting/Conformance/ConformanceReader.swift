internal import Errand
internal import Foundation

/// Reads a stream by bytes, however they are spread over chunks.
struct ConformanceReader {
    private var iterator: BodyStream.Iterator
    private var rest = Data()

    /// Begins to read a stream.
    init(_ stream: BodyStream) {
        self.iterator = stream.makeAsyncIterator()
    }

    /// Reads so many bytes, or all there are before the end.
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

// MARK: - What has to come of a stream

extension ConformanceScene {
    /// Performs an exchange whose response has to have a stream.
    func stream(of exchange: ConformanceExchange) async throws(ConformanceFailure) -> BodyStream {
        let response = try await self.response(to: exchange)
        guard case .stream(let stream) = response.body else {
            throw self.failure("a response with a stream", Outcome.success(response).words)
        }
        return stream
    }

    /// Performs an exchange whose response has to have a stream of exactly these bytes.
    func expectStream(_ body: Data, of exchange: ConformanceExchange) async throws(ConformanceFailure) {
        try await self.expect(body, from: try await self.stream(of: exchange))
    }

    /// Reads a stream to its end, which has to have exactly these bytes.
    func expect(_ body: Data, from stream: BodyStream) async throws(ConformanceFailure) {
        var reader = ConformanceReader(stream)
        let read = try await self.read(.max, from: &reader)
        try self.require(read == body, "a stream of \(body.excerpt)", read.excerpt)
    }

    /// Reads bytes, which have to come before an error.
    func read(_ count: Int, from reader: inout ConformanceReader) async throws(ConformanceFailure) -> Data {
        self.note("reading a stream")
        do {
            return try await reader.read(count)
        } catch {
            throw self.failure("a chunk of a stream, or its end", "the error \(error)")
        }
    }

    /// Reads so many bytes, which have to be these.
    func expect(
        _ text: String, next count: Int, from reader: inout ConformanceReader
    ) async throws(ConformanceFailure) {
        let read = try await self.read(count, from: &reader)
        try self.require("the next bytes", String(decoding: read, as: UTF8.self), is: text)
    }

    /// Reads on, where there has to be nothing more.
    func expectEnd(of reader: inout ConformanceReader) async throws(ConformanceFailure) {
        let rest = try await self.read(.max, from: &reader)
        try self.require("the rest of the stream", rest, is: Data())
    }

    /// Reads on, where an error has to come.
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
