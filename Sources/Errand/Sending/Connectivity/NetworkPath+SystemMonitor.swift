#if canImport(Network)
    internal import Dispatch
    internal import Network
#elseif os(Linux)
    internal import CErrandNetwork
    internal import Dispatch
    internal import ErrandLocks

    #if canImport(Musl)
        internal import Musl
    #else
        internal import Glibc
    #endif
#endif

extension NetworkPath {
    /// Monitors the system's networks: by netlink on Linux, by `NWPathMonitor` on Apple platforms.
    ///
    /// ```swift
    /// for await path in NetworkPath.SystemMonitor.shared.changes {
    ///     banner.isHidden = path.isSatisfied
    /// }
    /// ```
    ///
    /// On other systems, there is always one network of the kind ``NetworkPath/Interface/other``.
    public final class SystemMonitor: NetworkPath.Monitor {
        /// The monitor that all clients use by default.
        public static let shared = NetworkPath.SystemMonitor()

        #if canImport(Network)
            private let monitor = NWPathMonitor()
            private let readers = StreamReaders<AsyncStream<NetworkPath>.Continuation>()

            private init() {
                self.monitor.pathUpdateHandler = { [readers] path in
                    for reader in readers.all { reader.yield(NetworkPath(path)) }
                }
                self.monitor.start(queue: DispatchQueue(label: "errand network"))
            }

            deinit {
                self.monitor.cancel()
            }

            /// The current networks.
            public var path: NetworkPath { NetworkPath(self.monitor.currentPath) }

            /// The current networks, then each change; a slow reader gets the latest.
            public var changes: AsyncStream<NetworkPath> {
                let (stream, continuation) = AsyncStream.makeStream(
                    of: NetworkPath.self, bufferingPolicy: .bufferingNewest(1))
                let leave = self.readers.add(continuation)
                continuation.onTermination = { _ in leave() }
                continuation.yield(self.path)
                return stream
            }
        #elseif os(Linux)
            private let readers = StreamReaders<AsyncStream<NetworkPath>.Continuation>()
            /// The source of change events, while there are readers.
            private let source = Locked<(any DispatchSourceRead)?>(nil)
            private let shown = Locked(NetworkPath.none)

            private init() {}

            /// The current networks.
            public var path: NetworkPath {
                let kinds = errand_interfaces_up()
                return kinds < 0 ? .unknown : NetworkPath(linux: kinds)
            }

            /// The current networks, then each change; a slow reader gets the latest.
            ///
            /// Ends at once if the system has no descriptor left; all readers share one.
            public var changes: AsyncStream<NetworkPath> {
                let (stream, continuation) = AsyncStream.makeStream(
                    of: NetworkPath.self, bufferingPolicy: .bufferingNewest(1))
                let leave = self.readers.add(continuation)
                let isWatched = self.source.withLock { source in
                    if source == nil { source = self.makeSource() }
                    return source != nil
                }
                // Read again at each change.
                continuation.yield(self.path)
                guard isWatched else {
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

            private func makeSource() -> (any DispatchSourceRead)? {
                let descriptor = errand_network_watch()
                guard descriptor >= 0 else { return nil }
                let first = self.path
                self.shown.withLock { $0 = first }
                let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global())
                source.setEventHandler {
                    errand_network_drain(descriptor)
                    self.publish(self.path)
                }
                source.setCancelHandler { close(descriptor) }
                source.activate()
                return source
            }

            private func publish(_ path: NetworkPath) {
                let isNew = self.shown.withLock { shown in
                    defer { shown = path }
                    return shown != path
                }
                guard isNew else { return }
                for reader in self.readers.all { reader.yield(path) }
            }

            private func endUnlessRead() {
                self.source.withLock { source in
                    guard self.readers.count == 0 else { return }
                    source?.cancel()
                    source = nil
                }
            }
        #else
            private init() {}

            /// A network of unknown kind.
            public var path: NetworkPath { .unknown }

            /// The same path, without changes.
            public var changes: AsyncStream<NetworkPath> {
                AsyncStream { continuation in
                    continuation.yield(.unknown)
                    continuation.finish()
                }
            }
        #endif
    }
}

extension NetworkPath {
    fileprivate static let unknown = NetworkPath(interfaces: [.other])

    #if canImport(Network)
        fileprivate init(_ path: NWPath) {
            let kinds: [(NWInterface.InterfaceType, Interface)] = [
                (.wiredEthernet, .wired), (.wifi, .wifi), (.cellular, .cellular), (.other, .other),
            ]
            let used = Set(kinds.filter { path.usesInterfaceType($0.0) }.map(\.1))
            let isSatisfied = path.status == .satisfied
            self.init(
                interfaces: isSatisfied ? (used.isEmpty ? [.other] : used) : [], isExpensive: path.isExpensive,
                isConstrained: path.isConstrained)
        }
    #elseif os(Linux)
        fileprivate init(linux kinds: Int32) {
            let all: [(errand_interface_kind, Interface)] = [
                (ERRAND_INTERFACE_WIRED, .wired), (ERRAND_INTERFACE_WIFI, .wifi),
                (ERRAND_INTERFACE_CELLULAR, .cellular), (ERRAND_INTERFACE_OTHER, .other),
            ]
            let interfaces = Set(all.filter { kinds & (1 << Int32($0.0.rawValue)) != 0 }.map(\.1))
            self.init(interfaces: interfaces, isExpensive: interfaces == [.cellular])
        }
    #endif
}
