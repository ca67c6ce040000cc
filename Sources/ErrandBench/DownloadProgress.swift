internal import ErrandLocks

/// The number of bytes received of several bodies, one after the other.
final class DownloadProgress: Sendable {
    private let state = Locked<(earlier: Int64, present: Int64)>((0, 0))

    /// The number of bytes over all bodies.
    var bytes: Int64 { self.state.withLock { $0.earlier + $0.present } }

    /// Records the number of bytes of the current body.
    func show(_ bytes: Int64) {
        self.state.withLock { $0.present = bytes }
    }

    /// Records the end of the current body.
    func endBody() {
        self.state.withLock { state in
            state.earlier += state.present
            state.present = 0
        }
    }
}
