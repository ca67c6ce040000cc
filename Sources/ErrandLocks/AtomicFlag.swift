#if !canImport(Darwin)
    public import Synchronization
#endif

/// A flag that is set once and never reset.
///
/// Reading it takes no lock on Linux.
///
/// Everything that a thread did before it set the flag is visible to the threads that find it set.
@frozen
public struct AtomicFlag: ~Copyable, Sendable {
    #if canImport(Darwin)
        // `Atomic` needs macOS 15 or iOS 18.
        @usableFromInline let value: Locked<Bool>
    #else
        @usableFromInline let value: Atomic<Bool>
        #if DEBUG
            @usableFromInline let identity: UInt64
        #endif
    #endif

    /// Creates a flag.
    @inlinable
    public init(_ isSet: Bool = false) {
        #if canImport(Darwin)
            self.value = Locked(isSet)
        #else
            self.value = Atomic(isSet)
            #if DEBUG
                self.identity = LockObserver.identity()
            #endif
        #endif
    }

    /// True once the flag has been set.
    @inlinable
    public var isSet: Bool {
        #if canImport(Darwin)
            self.value.withLock { $0 }
        #else
            #if DEBUG
                LockObserver.note(self.identity, isWrite: false)
            #endif
            return self.value.load(ordering: .acquiring)
        #endif
    }

    /// Sets the flag.
    ///
    /// - Returns: `true` to the first caller, `false` to all later ones.
    @inlinable
    @discardableResult
    public func set() -> Bool {
        #if canImport(Darwin)
            self.value.withLock { value in
                defer { value = true }
                return !value
            }
        #else
            #if DEBUG
                LockObserver.note(self.identity, isWrite: true)
            #endif
            return !self.value.exchange(true, ordering: .acquiringAndReleasing)
        #endif
    }
}
