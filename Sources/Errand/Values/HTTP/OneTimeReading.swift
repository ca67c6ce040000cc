internal import ErrandLocks

/// The one-time reading of a body, shared by all copies of the body.
final class OneTimeReading: Sendable {
    private let hasBegunFlag = AtomicFlag()

    /// True once it has started.
    var hasBegun: Bool { self.hasBegunFlag.isSet }

    /// Starts it; returns false if it was started before.
    func begin() -> Bool {
        self.hasBegunFlag.set()
    }
}

extension ErrandError {
    /// The error for a second reading or sending.
    static var bodyAlreadyRead: ErrandError {
        ErrandError(.bodyAlreadyRead, "the body was read before, and it is a stream that can be read only once")
    }
}
