internal import Errand

/// The numbers of requests that have ended, by outcome.
struct RequestTotals: Sendable, Hashable {
    private(set) var succeeded: UInt64 = 0
    private(set) var failed: UInt64 = 0
    private(set) var cancelled: UInt64 = 0

    mutating func count(_ error: ErrandError.Code?) {
        switch error {
        case nil: self.succeeded &+= 1
        case .cancelled?: self.cancelled &+= 1
        default: self.failed &+= 1
        }
    }

    func subtracting(_ earlier: RequestTotals) -> RequestTotals {
        var change = RequestTotals()
        change.succeeded = self.succeeded > earlier.succeeded ? self.succeeded - earlier.succeeded : 0
        change.failed = self.failed > earlier.failed ? self.failed - earlier.failed : 0
        change.cancelled = self.cancelled > earlier.cancelled ? self.cancelled - earlier.cancelled : 0
        return change
    }
}
