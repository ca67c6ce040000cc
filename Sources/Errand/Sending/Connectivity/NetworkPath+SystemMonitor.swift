internal import ErrandLocks

extension NetworkPath {
    /// Monitors the system's networks: by netlink on Linux, by `NWPathMonitor` on Apple platforms.
    ///
    /// ```swift
    /// for await path in NetworkPath.SystemMonitor.shared.changes {
    ///     banner.isHidden = path.isSatisfied
    /// }
    /// ```
    public final class SystemMonitor: NetworkPath.Monitor {
        /// The monitor that all clients use by default.
        public static let shared = NetworkPath.SystemMonitor(SystemNetworks())

        private let source: any NetworkSource
        private let readers = StreamReaders<AsyncStream<NetworkPath>.Continuation>()
        /// The function that ends the observation, while there are readers.
        private let observation = Locked<(@Sendable () -> Void)?>(nil)
        /// The networks at the last change that was reported.
        private let shown = Locked(NetworkPath.none)

        init(_ source: any NetworkSource) {
            self.source = source
        }

        /// The current networks.
        public var path: NetworkPath { self.source.path }

        /// The current networks, then each change; a slow reader gets the latest.
        ///
        /// On Linux, it ends at once if the system has no descriptor left; all readers share one.
        public var changes: AsyncStream<NetworkPath> {
            let (stream, continuation) = AsyncStream.makeStream(
                of: NetworkPath.self, bufferingPolicy: .bufferingNewest(1))
            let leave = self.readers.add(continuation)
            let isObserved = self.observation.withLock { end in
                if end == nil { end = self.source.observe { [weak self] in self?.publish() } }
                return end != nil
            }
            self.publish(to: continuation)
            guard isObserved else {
                leave()
                continuation.finish()
                return stream
            }
            continuation.onTermination = { _ in
                leave()
                self.endUnlessRead()
            }
            return stream
        }

        /// Reports the current networks to all readers if they have changed, and in any case to a new reader.
        ///
        /// Under the lock, since otherwise an older path could be the last one that a reader gets.
        private func publish(to newReader: AsyncStream<NetworkPath>.Continuation? = nil) {
            self.shown.withLock { shown in
                let path = self.path
                if path != shown {
                    for reader in self.readers.all { reader.yield(path) }
                } else {
                    newReader?.yield(path)
                }
                shown = path
            }
        }

        private func endUnlessRead() {
            self.observation.withLock { end in
                guard self.readers.count == 0 else { return }
                end?()
                end = nil
            }
        }
    }
}
