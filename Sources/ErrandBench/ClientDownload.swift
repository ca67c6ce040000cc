internal import Errand
internal import ErrandTesting
internal import Foundation

/// One large file, downloaded by a whole client.
struct ClientDownload {
    let url: String
    let bytes: Int
    /// The destination of the file, which does not exist before or after.
    let target: URL
    let client: Client

    /// Downloads it once; returns the duration.
    func run(_ resumption: DownloadResumption) async throws -> Duration {
        defer { try? FileManager.default.removeItem(at: self.target) }
        let start = ContinuousClock.now
        let file = try await self.client.download(
            GetTarget(path: .url(self.url)), to: self.target, resuming: resumption)
        let time = ContinuousClock.now - start
        guard file.size == self.bytes else { throw BenchError("\(file.size) bytes came instead of \(self.bytes)") }
        return time
    }

    /// Downloads it with each setting in turn, after a warm-up round; returns the shortest duration of each.
    func fastest(of ways: [DownloadResumption], rounds: Int) async throws -> [Duration] {
        var fastest = Array(repeating: Duration.seconds(Int64.max), count: ways.count)
        for round in 0...rounds {
            for (index, way) in ways.enumerated() {
                try Task.checkCancellation()
                let time = try await self.run(way)
                if round > 0 { fastest[index] = min(fastest[index], time) }
            }
        }
        return fastest
    }
}

/// A server that limits the bytes per second on each connection.
struct PacedServer {
    /// The size of a chunk, which is sent at a fixed interval.
    private static let chunk = 64 << 10
    private static let interval = Duration.milliseconds(8)

    private let server: LoopbackServer

    init(bytes: Int) throws {
        self.server = try LoopbackServer()
        self.server.route("GET", "/file") { Self.reply(to: $0, of: bytes) }
    }

    var url: String { "\(self.server.baseURL)file" }

    func stop() { self.server.stop() }

    private static func reply(to request: LoopbackRequest, of bytes: Int) -> LoopbackReply {
        var range = 0..<bytes
        var headers: LoopbackFields = ["ETag": "\"1\""]
        if let value = request.headers["Range"] {
            let bounds = value.dropFirst("bytes=".count).split(separator: "-").compactMap { Int($0) }
            let end = min(bounds.count > 1 ? bounds[1] + 1 : bytes, bytes)
            range = min(bounds.first ?? 0, end)..<end
            headers.append("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(bytes)")
        }
        let message = LoopbackMessage(
            status: range.count == bytes ? 200 : 206, headers: headers, body: .declared(range.count, sent: Data()))
        return LoopbackReply(
            .message(message), .drip(Data(count: range.count), chunk: Self.chunk, every: Self.interval))
    }
}
