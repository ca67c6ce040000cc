import Errand
import ErrandLocks
import ErrandTesting
import Foundation

/// Serves parts of a body into files, piece by piece in a simulation, and refuses and loses connections by chance.
final class RangeTransport: Transport {
    private struct State {
        var activeCount = 0
        var isCalm = false
    }

    private static let piece = 200_000

    private let body: Data
    private let simulation: Simulation.Context
    private let state = Locked(State())

    init(_ body: Data, _ simulation: Simulation.Context) {
        self.body = body
        self.simulation = simulation
    }

    /// How many exchanges are under way.
    var activeCount: Int { self.state.withLock { $0.activeCount } }

    /// Serves whatever comes from now on.
    func calmDown() { self.state.withLock { $0.isCalm = true } }

    func exchange(_ request: HTTPRequest, _ context: ExchangeContext) async throws(ErrandError) -> HTTPResponse {
        self.state.withLock { $0.activeCount += 1 }
        defer { self.state.withLock { $0.activeCount -= 1 } }
        guard case .file(let file) = context.destination else { throw ErrandError(.unsupported, "files only") }
        let fate = self.state.withLock { $0.isCalm } ? 0 : self.simulation.random.int(in: 0..<12)
        try await self.pause()
        guard fate != 11 else { throw ErrandError(.connectionLost, "before the head") }
        let (head, range) = fate == 10 ? Self.refusal : self.head(for: request)
        context.report(.responseHead(head))
        do throws(ErrandError) {
            try await self.write(range, into: file, context, cut: fate == 8 || fate == 9)
        } catch {
            if !context.keepsPartOfFile { try? FileManager.default.removeItem(at: file) }
            throw error
        }
        return HTTPResponse(head: head, body: .file(file))
    }

    /// Goes on at a moment that the simulation chooses.
    private func pause() async throws(ErrandError) {
        for _ in 0..<self.simulation.random.int(in: 0..<4) { await self.simulation.yield() }
        if Task.isCancelled { throw .cancelled() }
    }

    // MARK: - The response

    private static var refusal: (HTTPResponse.Head, Range<Int>) { (HTTPResponse.Head(status: 503), 0..<0) }

    /// The head of a response, and what comes with it (RFC 9110 §14).
    private func head(for request: HTTPRequest) -> (HTTPResponse.Head, Range<Int>) {
        var head = HTTPResponse.Head(status: .ok, headers: ["ETag": "\"1\"", "Accept-Ranges": "bytes"])
        var range = 0..<self.body.count
        if let value = request.headers["Range"], ["\"1\"", nil].contains(request.headers["If-Range"]) {
            let bounds = value.dropFirst("bytes=".count).split(separator: "-").compactMap { Int($0) }
            range = bounds[0]..<min(self.body.count, bounds.count > 1 ? bounds[1] + 1 : .max)
            head.status = .partialContent
            head.headers["Content-Range"] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(self.body.count)"
        }
        head.headers["Content-Length"] = "\(range.count)"
        return (head, range)
    }

    private func write(
        _ range: Range<Int>, into file: URL, _ context: ExchangeContext, cut: Bool
    ) async throws(ErrandError) {
        guard FileManager.default.createFile(atPath: file.path, contents: nil),
            let handle = try? FileHandle(forWritingTo: file)
        else { throw ErrandError(.fileFailed, "the file cannot be made") }
        defer { try? handle.close() }
        let end = cut ? range.lowerBound + self.simulation.random.int(in: 0..<range.count) : range.upperBound
        var position = range.lowerBound
        while position < end {
            let next = min(end, position + Self.piece)
            try await self.pause()
            try await context.waitToTransfer(next - position, .receiving)
            try? handle.write(contentsOf: self.body[position..<next])
            position = next
            context.report(
                .received(
                    TransferProgress(bytes: Int64(position - range.lowerBound), total: Int64(range.count))))
        }
        try await self.pause()
        if cut { throw ErrandError(.connectionLost, "after \(position - range.lowerBound) bytes") }
    }
}
