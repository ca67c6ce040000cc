internal import Synchronization

/// A value behind a lock, for the few places that must be reached without waiting for an actor.
///
/// It is a `Mutex` whose hand-over the thread sanitizer can see. Under contention `Mutex` takes its lock inside the
/// standard library, which is not instrumented, so the sanitizer misses that the earlier holder's writes happened
/// before and reports a race where there is none. The flag is written last and read first by every holder, with the
/// ordering that says just that, in code that is instrumented.
package struct Locked<Value: ~Copyable>: ~Copyable, Sendable {
    private let mutex: Mutex<Value>
    private let handover = Atomic<Bool>(false)

    package init(_ value: consuming sending Value) {
        self.mutex = Mutex(value)
    }

    /// Runs a function that has the value for itself.
    ///
    /// It must be brief and must not call out.
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try self.mutex.withLock { (value: inout sending Value) throws(Failure) -> sending Result in
            _ = self.handover.load(ordering: .acquiring)
            defer { self.handover.store(true, ordering: .releasing) }
            return try body(&value)
        }
    }
}
