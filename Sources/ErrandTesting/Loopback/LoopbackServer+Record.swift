extension LoopbackServer {
    /// The latest requests, oldest first, up to the limit of the options; refused bytes are not included.
    ///
    /// A request is recorded when it has been received completely, before its handler runs. Complexity: O(n) in the
    /// number of requests.
    public var received: [LoopbackRequest] { core.record.latest }

    /// The number of all requests received so far.
    public var receivedCount: Int { core.record.requests.count }

    /// The number of connections accepted so far.
    public var connectionsAccepted: Int { core.record.acceptedConnections.count }

    /// The number of connections closed so far, by either end.
    public var connectionsClosed: Int { core.record.closedConnections.count }

    /// The number of connections that are open now.
    public var openConnections: Int { core.record.openConnections }

    /// The number of bytes received so far, over all connections.
    public var bytesReceived: Int { core.record.bytesReceived }

    /// The number of bytes that the sockets of all connections have taken so far, which clients may not have read yet.
    public var bytesSent: Int { core.record.bytesSent }

    /// Waits until at least `count` requests have been received, counted from the server's start.
    ///
    /// - Parameter count: The number of requests.
    /// - Returns: `false` if the waiting task was cancelled or the server stopped first.
    @discardableResult
    public func waitForRequests(_ count: Int) async -> Bool {
        await core.record.requests.wait(for: count)
    }

    /// Waits until at least `count` connections have been accepted, counted from the server's start.
    ///
    /// - Parameter count: The number of connections.
    /// - Returns: `false` if the waiting task was cancelled or the server stopped first.
    @discardableResult
    public func waitForConnections(_ count: Int) async -> Bool {
        await core.record.acceptedConnections.wait(for: count)
    }

    /// Waits until at least `count` connections have been closed, by either end, counted from the server's start.
    ///
    /// - Parameter count: The number of connections.
    /// - Returns: `false` if the waiting task was cancelled or the server stopped first.
    @discardableResult
    public func waitForClosedConnections(_ count: Int) async -> Bool {
        await core.record.closedConnections.wait(for: count)
    }
}
