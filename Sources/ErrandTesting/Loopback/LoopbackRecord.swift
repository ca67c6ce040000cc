internal import Errand
internal import ErrandLocks

internal import struct Foundation.Data

/// The record of a server: the latest requests, and counts of everything.
final class LoopbackRecord: Sendable {
    private struct Ring {
        var requests: [LoopbackRequest] = []
        var oldest = 0
    }

    private struct Traffic {
        var received = 0
        var sent = 0
    }

    let requests = LoopbackMilestone()
    let acceptedConnections = LoopbackMilestone()
    let closedConnections = LoopbackMilestone()

    private let limit: Int
    private let keepsBodies: Bool
    private let ring = Locked(Ring())
    private let traffic = Locked(Traffic())

    init(options: LoopbackOptions) {
        limit = max(0, options.recordLimit)
        keepsBodies = options.keepsBodies
    }

    /// The latest requests, oldest first.
    var latest: [LoopbackRequest] {
        ring.withLock { Array($0.requests[$0.oldest...] + $0.requests[..<$0.oldest]) }
    }

    /// The number of connections that are open now.
    var openConnections: Int {
        // The closed ones are read first: a connection that is accepted and closed in between makes this too large,
        // never negative.
        let closed = closedConnections.count
        return acceptedConnections.count - closed
    }

    /// The number of bytes received over all connections.
    var bytesReceived: Int { traffic.withLock { $0.received } }

    /// The number of bytes that the sockets of all connections have taken.
    var bytesSent: Int { traffic.withLock { $0.sent } }

    func noteReceived(_ count: Int) { traffic.withLock { $0.received += count } }

    func noteSent(_ count: Int) { traffic.withLock { $0.sent += count } }

    /// Records a request, then counts it, so that a task that waits for the count finds the request.
    func note(_ request: LoopbackRequest) {
        if limit > 0 { keep(request) }
        requests.advance()
    }

    /// Resumes all tasks that wait for one of the counts.
    func finish() {
        requests.finish()
        acceptedConnections.finish()
        closedConnections.finish()
    }

    private func keep(_ request: LoopbackRequest) {
        var request = request
        if !keepsBodies { request.body = Data() }
        ring.withLock { [request] ring in
            guard ring.requests.count == limit else { return ring.requests.append(request) }
            ring.requests[ring.oldest] = request
            ring.oldest = (ring.oldest + 1) % limit
        }
    }
}
