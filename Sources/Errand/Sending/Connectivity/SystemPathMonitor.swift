#if canImport(Network)
    internal import Dispatch
    internal import Network
#elseif os(Linux)
    internal import CErrandNetwork
    internal import Dispatch
    internal import ErrandLocks
    internal import Glibc
#endif

/// The networks as the system knows them: by netlink on Linux, by `NWPathMonitor` on Apple's systems.
///
/// ```swift
/// for await path in SystemPathMonitor.shared.changes {
///     banner.isHidden = path.isSatisfied
/// }
/// ```
///
/// Where the system tells nothing about networks there is always one, of the kind ``NetworkPath/Interface/other``.
public final class SystemPathMonitor: PathMonitor {
    /// The one that all clients use unless they are told otherwise.
    public static let shared = SystemPathMonitor()

    #if canImport(Network)
        private let monitor = NWPathMonitor()

        private init() {
            self.monitor.start(queue: DispatchQueue(label: "errand network"))
        }

        deinit {
            self.monitor.cancel()
        }

        /// The networks now.
        public var path: NetworkPath { NetworkPath(self.monitor.currentPath) }

        /// The networks now, then each change; a slow reader gets the latest.
        public var changes: AsyncStream<NetworkPath> {
            let (stream, continuation) = AsyncStream.makeStream(
                of: NetworkPath.self, bufferingPolicy: .bufferingNewest(1))
            // Each reader has one of its own: a monitor tells one handler.
            let monitor = NWPathMonitor()
            monitor.pathUpdateHandler = { continuation.yield(NetworkPath($0)) }
            continuation.onTermination = { _ in monitor.cancel() }
            monitor.start(queue: DispatchQueue(label: "errand network"))
            return stream
        }
    #elseif os(Linux)
        private init() {}

        /// The networks now.
        public var path: NetworkPath {
            let kinds = errand_interfaces_up()
            return kinds < 0 ? .unknown : NetworkPath(linux: kinds)
        }

        /// The networks now, then each change; a slow reader gets the latest.
        ///
        /// Ends at once where the system has no descriptor left to watch them.
        public var changes: AsyncStream<NetworkPath> {
            let (stream, continuation) = AsyncStream.makeStream(
                of: NetworkPath.self, bufferingPolicy: .bufferingNewest(1))
            let descriptor = errand_network_watch()
            // Looked at when the descriptor is there: what changes from now on is told.
            let shown = Locked(self.path)
            continuation.yield(shown.withLock { $0 })
            guard descriptor >= 0 else {
                continuation.finish()
                return stream
            }
            let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global())
            source.setEventHandler {
                errand_network_drain(descriptor)
                let path = self.path
                let isNew = shown.withLock { shown in
                    defer { shown = path }
                    return shown != path
                }
                if isNew { continuation.yield(path) }
            }
            source.setCancelHandler { close(descriptor) }
            source.activate()
            let watching = Locked(source)
            continuation.onTermination = { _ in watching.withLock { $0.cancel() } }
            return stream
        }
    #else
        private init() {}

        /// A network of a kind that is not known.
        public var path: NetworkPath { .unknown }

        /// That alone.
        public var changes: AsyncStream<NetworkPath> {
            AsyncStream { continuation in
                continuation.yield(.unknown)
                continuation.finish()
            }
        }
    #endif
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
