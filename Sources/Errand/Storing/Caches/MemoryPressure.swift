internal import ErrandLocks

#if canImport(Darwin)
    internal import Dispatch

    /// Tells when the system wants memory back, for as long as it is held.
    final class MemoryPressure: Sendable {
        private let source: Locked<any DispatchSourceMemoryPressure>

        init() {
            self.source = Locked(
                DispatchSource.makeMemoryPressureSource(
                    eventMask: [.warning, .critical], queue: .global(qos: .utility)))
        }

        deinit {
            self.source.withLock { $0.cancel() }
        }

        /// Called once.
        func start(_ action: @escaping @Sendable () -> Void) {
            self.source.withLock { source in
                source.setEventHandler(handler: action)
                source.activate()
            }
        }
    }
#endif
