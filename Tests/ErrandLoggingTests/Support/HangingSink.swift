internal import Errand
internal import ErrandLogging
internal import Foundation

/// Keeps the lines it is given, and before that holds its thread until a test lets it go on.
final class HangingSink: LogSink {
    private let kept = MemorySink()
    private let entered = Waiter<Void>()
    private let exit = DispatchSemaphore(value: 0)

    var texts: [String] { self.kept.texts }

    func write(_ batch: LogBatch) {
        self.entered.resume(())
        self.exit.wait()
        self.exit.signal()
        self.kept.write(batch)
    }

    func waitUntilEntered() async {
        _ = await self.entered.wait()
    }

    func letGo() {
        self.exit.signal()
    }

    deinit {
        self.exit.signal()
    }
}
