internal import Dispatch

/// Reports memory pressure for as long as it is retained.
///
/// Safe: any thread may use an object of Dispatch, and the source is used by `start` and `deinit` only.
@safe final class MemoryPressure: Sendable {
    private nonisolated(unsafe) let source: (any DispatchSourceProtocol)?

    /// Takes ownership of a source that is not activated yet; `nil` reports no pressure.
    init(from source: (any DispatchSourceProtocol)? = Platform.makeMemoryPressureSource()) {
        unsafe self.source = source
    }

    deinit {
        unsafe self.source?.cancel()
    }

    /// Starts reporting.
    ///
    /// Must be called once.
    func start(_ action: @escaping @Sendable () -> Void) {
        unsafe self.source?.setEventHandler(handler: action)
        unsafe self.source?.activate()
    }
}
