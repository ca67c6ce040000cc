internal import Errand
internal import ErrandLocks
internal import Foundation

/// A transport to a simulated distant server, with latencies for connections and responses.
///
/// It reuses connections, and reports metrics like a real transport.
final class FarTransport: Transport {
    /// A reply of the server, with its latency.
    struct Reply: Sendable {
        /// The time to the first byte in milliseconds.
        let wait: Int
        /// The time from the first to the last byte in milliseconds.
        let body: Int
        let type: String
        let content: Data
    }

    private let clock: any Clock<Duration>
    private let timebase: Timebase
    private let replies: [String: Reply]
    private let idleConnections = Locked(0)

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - clock: The clock on which it sleeps.
    ///   - replies: The replies by path.
    init(clock: any Clock<Duration>, replies: [String: Reply]) {
        self.clock = clock
        self.timebase = Timebase(clock)
        self.replies = replies
    }

    var reportsConnections: Bool { true }

    func exchange(_ request: HTTPRequest, _ context: ExchangeContext) async throws(ErrandError) -> HTTPResponse {
        guard let reply = self.replies[request.url.path] else {
            throw ErrandError(.cannotConnect, "the simulated server has no \(request.url.path)")
        }
        do {
            return try await self.play(reply, context)
        } catch {
            throw ErrandError(.cancelled, "the exchange was cancelled")
        }
    }

    private func play(_ reply: Reply, _ context: ExchangeContext) async throws -> HTTPResponse {
        let start = self.timebase.now
        var metrics = ExchangeMetrics()
        metrics.started = .zero
        metrics.httpVersion = .http1_1
        metrics.isConnectionReused = self.takeConnection()
        if !metrics.isConnectionReused {
            metrics.nameResolved = try await self.pass(18, since: start)
            metrics.connected = try await self.pass(34, since: start)
            metrics.secured = try await self.pass(46, since: start)
        }
        context.report(.connected)
        metrics.requestStarted = self.timebase.now - start
        metrics.firstByte = try await self.pass(reply.wait, since: start)
        let response = HTTPResponse(
            status: 200, headers: ["Content-Type": reply.type, "Content-Length": "\(reply.content.count)"],
            body: reply.content)
        context.report(.responseHead(response.head))
        metrics.finished = try await self.pass(reply.body, since: start)
        metrics.bytesReceived = Int64(reply.content.count)
        context.report(.received(TransferProgress(bytes: metrics.bytesReceived, total: metrics.bytesReceived)))
        context.report(.finished(metrics))
        self.idleConnections.withLock { $0 += 1 }
        return response
    }

    /// Waits; returns the time since the start.
    private func pass(_ milliseconds: Int, since start: Duration) async throws -> Duration {
        try await self.clock.sleep(for: .milliseconds(milliseconds))
        return self.timebase.now - start
    }

    private func takeConnection() -> Bool {
        self.idleConnections.withLock { count in
            guard count > 0 else { return false }
            count -= 1
            return true
        }
    }
}
