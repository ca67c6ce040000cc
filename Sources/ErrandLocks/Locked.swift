#if canImport(Darwin)
    public import os
#else
    public import Synchronization
#endif

/// A value behind a lock, for the few places that must be reached without waiting for an actor.
///
/// On Linux it is a `Mutex` whose hand-over the thread sanitizer can see. Under contention `Mutex` takes its lock inside
/// the standard library, which is not instrumented, so the sanitizer misses that the earlier holder's writes happened
/// before and reports a race where there is none. The flag is written last and read first by every holder, with the
/// ordering that says just that, in code that is instrumented.
///
/// `Mutex` needs macOS 15 or iOS 18. On Apple's systems the lock is an `OSAllocatedUnfairLock`, which older ones have and
/// the sanitizer knows. It holds no noncopyable value, so the value has memory of its own.
///
/// The module is no product. Its types are public and frozen so that all modules of the package see their layout: a
/// module that does not know a layout looks up the type each time.
@frozen
@safe
public struct Locked<Value: ~Copyable>: ~Copyable, Sendable {
    #if canImport(Darwin)
        @usableFromInline let lock: OSAllocatedUnfairLock<Void>
        /// The address of the value, which is used only by the holder of the lock, and by `deinit`.
        @usableFromInline let address: UInt

        /// Puts a value behind a lock.
        @inlinable
        public init(_ value: consuming sending Value) {
            let pointer = UnsafeMutablePointer<Value>.allocate(capacity: 1)
            unsafe pointer.initialize(to: value)
            self.lock = OSAllocatedUnfairLock()
            self.address = UInt(bitPattern: pointer)
        }

        @inlinable
        deinit {
            guard let pointer = unsafe UnsafeMutablePointer<Value>(bitPattern: self.address) else { return }
            unsafe pointer.deinitialize(count: 1)
            unsafe pointer.deallocate()
        }
    #else
        @usableFromInline let mutex: Mutex<Value>
        @usableFromInline let handover: Atomic<Bool>

        /// Puts a value behind a lock.
        @inlinable
        public init(_ value: consuming sending Value) {
            self.mutex = Mutex(value)
            self.handover = Atomic(false)
        }
    #endif

    /// Runs a function that has exclusive access to the value.
    ///
    /// The function must be brief, and must not call user code.
    @inlinable
    public borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        #if canImport(Darwin)
            self.lock.lock()
            defer { self.lock.unlock() }
            // Allocated memory is never at address zero.
            return try body(&(unsafe UnsafeMutablePointer<Value>(bitPattern: self.address).unsafelyUnwrapped.pointee))
        #else
            try self.mutex.withLock { (value: inout sending Value) throws(Failure) -> sending Result in
                _ = self.handover.load(ordering: .acquiring)
                defer { self.handover.store(true, ordering: .releasing) }
                return try body(&value)
            }
        #endif
    }
}
