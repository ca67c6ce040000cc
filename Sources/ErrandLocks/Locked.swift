#if canImport(Darwin)
    public import os
#else
    public import Synchronization
#endif

/// A value behind a lock, for state that must be accessed without suspending.
///
/// On Linux it is a `Mutex` whose synchronization the thread sanitizer can see. Under contention, `Mutex` takes its lock
/// inside the standard library, which is not instrumented, so the sanitizer does not see that the previous holder's
/// writes happened before, and reports a false race. Each holder reads the flag first and writes it last, with acquiring
/// and releasing order, in instrumented code.
///
/// On Apple's systems it is an `OSAllocatedUnfairLock`, because `Mutex` needs macOS 15 or iOS 18. That lock cannot store
/// a noncopyable value, so the value has memory of its own.
///
/// It is public in a separate module, so that all modules of the package can specialize it: otherwise, its type would
/// be looked up each time. The module is not a product, and not visible outside of the package.
@frozen
@safe
public struct Locked<Value: ~Copyable>: ~Copyable, Sendable {
    #if canImport(Darwin)
        @usableFromInline let lock: OSAllocatedUnfairLock<Void>
        /// The address of the value, which is used only by the holder of the lock, and by `deinit`.
        @usableFromInline let address: UInt

        /// Creates a locked value.
        @inlinable
        public init(_ value: consuming sending Value) {
            self.init(unobserved: value)
        }

        /// Creates a locked value.
        @inlinable
        public init(unobserved value: consuming sending Value) {
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
        #if DEBUG
            @usableFromInline let identity: UInt64
        #endif

        /// Creates a locked value.
        @inlinable
        public init(_ value: consuming sending Value) {
            self.mutex = Mutex(value)
            self.handover = Atomic(false)
            #if DEBUG
                self.identity = LockObserver.identity()
            #endif
        }

        /// Creates a locked value whose use is not reported: it is part of a simulation, not of its scenario.
        @inlinable
        public init(unobserved value: consuming sending Value) {
            self.mutex = Mutex(value)
            self.handover = Atomic(false)
            #if DEBUG
                self.identity = LockObserver.unobserved
            #endif
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
            #if DEBUG
                LockObserver.note(self.identity, isWrite: true)
            #endif
            return try self.mutex.withLock { (value: inout sending Value) throws(Failure) -> sending Result in
                _ = self.handover.load(ordering: .acquiring)
                defer { self.handover.store(true, ordering: .releasing) }
                return try body(&value)
            }
        #endif
    }
}
