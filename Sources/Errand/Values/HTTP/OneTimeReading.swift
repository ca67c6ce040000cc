internal import ErrandLocks

/// The reading of a body that happens only once, remembered by all who hold the body.
final class OneTimeReading: Sendable {
    private let hasBegunFlag = AtomicFlag()

    /// Whether it has begun.
    var hasBegun: Bool { self.hasBegunFlag.isSet }

    /// Begins it; returns false when that was done before.
    func begin() -> Bool {
        self.hasBegunFlag.set()
    }
}

extension ErrandError {
    /// What a second reading fails with, and a second sending.
    static var bodyAlreadyRead: ErrandError {
        ErrandError(.bodyAlreadyRead, "the body was read before, and it is a stream that can be read only once")
    }
}
