public import Synchronization

/// A value behind a lock, for the few places that must be reached without waiting for an actor.
///
/// It is a `Mutex` whose hand-over the thread sanitizer can see. Under contention `Mutex` takes its lock inside the
/// standard library, which is not instrumented, so the sanitizer misses that the earlier holder's writes happened
/// before and reports a race where there is none. The flag is written last and read first by every holder, with the
/// ordering that says just that, in code that is instrumented.
///
/// It is in a module of its own, and public there, so that all modules of the package see what is in it: one that
/// knows nothing of the value looks up its type each time. The module is no product, and nobody else sees it.
@frozen
public struct Locked<Value: ~Copyable>: ~Copyable, Sendable {
    @usableFromInline let mutex: Mutex<Value>
    @usableFromInline let handover: Atomic<Bool>

    /// Puts a value behind a lock.
    @inlinable
    public init(_ value: consuming sending Value) {
        self.mutex = Mutex(value)
        self.handover = Atomic(false)
    }

    /// Runs a function that has the value for itself.
    ///
    /// It must be brief and must not call out.
    @inlinable
    public borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try self.mutex.withLock { (value: inout sending Value) throws(Failure) -> sending Result in
            _ = self.handover.load(ordering: .acquiring)
            defer { self.handover.store(true, ordering: .releasing) }
            return try body(&value)
        }
    }
}
