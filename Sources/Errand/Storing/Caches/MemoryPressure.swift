internal import ErrandLocks

#if canImport(Darwin)
    internal import Dispatch

    /// Reports memory pressure for as long as it is retained.
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

        /// Starts reporting.
        ///
        /// Must be called once.
        func start(_ action: @escaping @Sendable () -> Void) {
            self.source.withLock { source in
                source.setEventHandler(handler: action)
                source.activate()
            }
        }
    }
#endif
