internal import Dispatch
internal import Errand
internal import ErrandLocks
internal import Foundation

/// The error after a termination signal.
struct Interruption: Error {
    let signal: Int32

    /// Runs a body that must clean up: a signal cancels it, a second one ends the process at once.
    ///
    /// - Throws: ``Interruption`` after a signal, otherwise the error of the body.
    static func guarding(_ body: @escaping @Sendable () async throws -> Void) async throws {
        let watch = SignalWatch()
        let result = await withTaskGroup(of: Result<Void, any Error>?.self) { group in
            group.addTask {
                do { return .success(try await body()) } catch { return .failure(error) }
            }
            group.addTask {
                await watch.wait()
                return nil
            }
            let first = await group.next()
            group.cancelAll()
            for await _ in group {}
            return first ?? nil
        }
        if let signal = watch.received { throw Interruption(signal: signal) }
        try result?.get()
    }
}

/// Waits for termination signals.
private final class SignalWatch: Sendable {
    private let arrived = Waiter<Void>()
    private let number = Locked<Int32?>(nil)

    /// The received signal, if any.
    var received: Int32? { self.number.withLock { $0 } }

    /// Waits for a signal, or until the task is cancelled; called once.
    func wait() async {
        // The reader of this program's output may be gone, too.
        _ = signal(SIGPIPE, SIG_IGN)
        let sources = [SIGINT, SIGTERM].map(self.source)
        // Woken by a signal or by cancellation.
        _ = await self.arrived.wait()
        for source in sources { source.cancel() }
    }

    private func source(of number: Int32) -> any DispatchSourceSignal {
        // The dispatch source receives the signal; it must not end the process.
        _ = signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler {
            let isSecond = self.number.withLock { received in
                defer { received = number }
                return received != nil
            }
            if isSecond { _exit(128 + number) }
            self.arrived.resume(())
        }
        source.resume()
        return source
    }
}
