public import Errand
internal import ErrandLocks

/// A path monitor whose network path is set by the test.
///
/// ```swift
/// let network = TestPathMonitor(.none)
/// let client = Client(baseURL: server.baseURL) {
///     $0.options = $0.options.connectivity(.wait(upTo: .seconds(60)))
///     $0.environment.pathMonitor = network
/// }
/// async let user = client.send(GetUser())
/// network.set(NetworkPath(interfaces: [.wifi]))
/// ```
public final class TestPathMonitor: NetworkPath.Monitor {
    private struct State {
        var path: NetworkPath
        var readers: [Int: AsyncStream<NetworkPath>.Continuation] = [:]
        var lastReader = 0
    }

    private let state: Locked<State>

    /// Creates a monitor with an initial path.
    public init(_ path: NetworkPath = NetworkPath(interfaces: [.wifi])) {
        self.state = Locked(State(path: path))
    }

    deinit {
        for reader in self.state.withLock({ Array($0.readers.values) }) { reader.finish() }
    }

    /// The path that was set last.
    public var path: NetworkPath { self.state.withLock { $0.path } }

    /// A stream of the current path and all later ones; a slow reader gets only the latest.
    public var changes: AsyncStream<NetworkPath> {
        let (stream, continuation) = AsyncStream.makeStream(of: NetworkPath.self, bufferingPolicy: .bufferingNewest(1))
        let key = self.state.withLock { state in
            state.lastReader += 1
            state.readers[state.lastReader] = continuation
            continuation.yield(state.path)
            return state.lastReader
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.readers.removeValue(forKey: key) }
        }
        return stream
    }

    /// The number of readers of the changes.
    public var readerCount: Int { self.state.withLock { $0.readers.count } }

    /// Sets another path, and notifies the readers.
    public func set(_ path: NetworkPath) {
        self.state.withLock { state in
            state.path = path
            for reader in state.readers.values { reader.yield(path) }
        }
    }
}
