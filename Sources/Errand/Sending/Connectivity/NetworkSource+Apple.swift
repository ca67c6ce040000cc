#if canImport(Network)
    internal import Dispatch
    internal import ErrandLocks
    internal import Network

    /// The networks of Apple's systems, from an `NWPathMonitor` that runs as long as this object exists.
    final class SystemNetworks: NetworkSource {
        private let monitor = NWPathMonitor()
        private let action = Locked<(@Sendable () -> Void)?>(nil)

        init() {
            self.monitor.pathUpdateHandler = { [weak self] _ in
                let action = self?.action.withLock { $0 }
                action?()
            }
            self.monitor.start(queue: DispatchQueue(label: "errand network"))
        }

        deinit {
            self.monitor.cancel()
        }

        var path: NetworkPath { NetworkPath(self.monitor.currentPath) }

        func observe(_ action: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)? {
            self.action.withLock { $0 = action }
            return { [weak self] in self?.action.withLock { $0 = nil } }
        }
    }

    extension NetworkPath {
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
    }
#endif
