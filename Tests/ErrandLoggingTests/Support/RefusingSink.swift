internal import ErrandLocks
internal import ErrandLogging

/// Refuses lines as long as it is told to.
final class RefusingSink: LogSink {
    struct Refusal: Error, CustomStringConvertible {
        let description: String
    }

    private let kept = MemorySink()
    private let reason = Locked<String?>("no more room")

    var texts: [String] { self.kept.texts }

    func refuse(_ reason: String?) {
        self.reason.withLock { $0 = reason }
    }

    func write(_ batch: LogBatch) throws {
        if let reason = self.reason.withLock({ $0 }) { throw Refusal(description: reason) }
        self.kept.write(batch)
    }
}
