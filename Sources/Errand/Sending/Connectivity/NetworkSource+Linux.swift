#if os(Linux)
    internal import CErrandNetwork
    internal import Dispatch
    internal import ErrandLocks

    #if canImport(Musl)
        internal import Musl
    #else
        internal import Glibc
    #endif

    /// The networks of Linux: the interfaces that are up, and netlink for changes.
    struct SystemNetworks: NetworkSource {
        var path: NetworkPath {
            let kinds = errand_interfaces_up()
            return kinds < 0 ? NetworkPath(interfaces: [.other]) : NetworkPath(linux: kinds)
        }

        func observe(_ action: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)? {
            let descriptor = errand_network_watch()
            guard descriptor >= 0 else { return nil }
            let observation = NetlinkObservation(of: descriptor, action)
            return { observation.end() }
        }
    }

    /// Reads the events of a netlink socket.
    private final class NetlinkObservation: Sendable {
        private let source: Locked<any DispatchSourceRead>

        /// Takes ownership of the socket.
        init(of descriptor: Int32, _ action: @escaping @Sendable () -> Void) {
            self.source = Locked(DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global()))
            self.source.withLock { source in
                source.setEventHandler {
                    errand_network_drain(descriptor)
                    action()
                }
                source.setCancelHandler { close(descriptor) }
                source.activate()
            }
        }

        func end() {
            self.source.withLock { $0.cancel() }
        }
    }

    extension NetworkPath {
        fileprivate init(linux kinds: Int32) {
            let all: [(errand_interface_kind, Interface)] = [
                (ERRAND_INTERFACE_WIRED, .wired), (ERRAND_INTERFACE_WIFI, .wifi),
                (ERRAND_INTERFACE_CELLULAR, .cellular), (ERRAND_INTERFACE_OTHER, .other),
            ]
            let interfaces = Set(all.filter { kinds & (1 << Int32($0.0.rawValue)) != 0 }.map(\.1))
            self.init(interfaces: interfaces, isExpensive: interfaces == [.cellular])
        }
    }
#endif
