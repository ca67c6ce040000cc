internal import ErrandLocks

/// How many bytes have come of several bodies, one after the other.
final class DownloadProgress: Sendable {
    private let state = Locked<(earlier: Int64, present: Int64)>((0, 0))

    /// The bytes of all of them.
    var bytes: Int64 { self.state.withLock { $0.earlier + $0.present } }

    /// So many bytes of the present one have come.
    func show(_ bytes: Int64) {
        self.state.withLock { $0.present = bytes }
    }

    /// The present one is over.
    func endBody() {
        self.state.withLock { state in
            state.earlier += state.present
            state.present = 0
        }
    }
}
