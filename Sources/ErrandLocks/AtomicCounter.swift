#if !canImport(Darwin)
    public import Synchronization
#endif

/// A count that any thread may increment, without a lock on Linux.
@frozen
public struct AtomicCounter: ~Copyable, Sendable {
    #if canImport(Darwin)
        // `Atomic` needs macOS 15 or iOS 18.
        @usableFromInline let count: Locked<UInt64>
    #else
        @usableFromInline let count: Atomic<UInt64>
        #if DEBUG
            @usableFromInline let identity: UInt64
        #endif
    #endif

    /// Creates a count of zero.
    @inlinable
    public init() {
        #if canImport(Darwin)
            self.count = Locked(0)
        #else
            self.count = Atomic(0)
            #if DEBUG
                self.identity = LockObserver.identity()
            #endif
        #endif
    }

    /// The sum of all amounts so far.
    @inlinable
    public var value: UInt64 {
        #if canImport(Darwin)
            self.count.withLock { $0 }
        #else
            #if DEBUG
                LockObserver.note(self.identity, isWrite: false)
            #endif
            return self.count.load(ordering: .relaxed)
        #endif
    }

    /// Adds an amount, and returns the sum.
    @inlinable
    @discardableResult
    public func add(_ amount: UInt64 = 1) -> UInt64 {
        #if canImport(Darwin)
            self.count.withLock { count in
                count &+= amount
                return count
            }
        #else
            #if DEBUG
                LockObserver.note(self.identity, isWrite: true)
            #endif
            return self.count.wrappingAdd(amount, ordering: .relaxed).newValue
        #endif
    }
}
