#if DEBUG && !canImport(Darwin)
    public import Synchronization

    /// The functions that learn of the locks that a thread creates and uses, in debug builds only.
    ///
    /// A simulation that verifies a scenario installs them, to know which steps share a lock.
    public enum LockObserver {
        /// Returns the identity of a lock that is being created, less than 2⁶³; zero if the thread is not observed.
        public typealias Creation = @convention(c) () -> UInt64
        /// Called with the identity of a lock that is being used, and whether the use may change what it protects.
        public typealias Access = @convention(c) (_ identity: UInt64, _ isWrite: Bool) -> Void

        /// The identity of locks that are never reported.
        @usableFromInline static let unobserved = UInt64.max

        @usableFromInline static let creation = Atomic<UInt>(0)
        @usableFromInline static let access = Atomic<UInt>(0)
        @usableFromInline static let outerLocks = Atomic<UInt64>(1 << 63)

        /// Installs the functions for the whole process; they decide which threads are observed.
        public static func install(creation: Creation, access: Access) {
            self.creation.store(unsafe unsafeBitCast(creation, to: UInt.self), ordering: .releasing)
            self.access.store(unsafe unsafeBitCast(access, to: UInt.self), ordering: .releasing)
        }

        @usableFromInline
        static func identity() -> UInt64 {
            let function = self.creation.load(ordering: .acquiring)
            let identity = function == 0 ? 0 : unsafe unsafeBitCast(function, to: Creation.self)()
            // A lock from outside of a run is the same in all runs.
            return identity > 0 ? identity : self.outerLocks.wrappingAdd(1, ordering: .relaxed).newValue
        }

        @usableFromInline
        static func note(_ identity: UInt64, isWrite: Bool) {
            guard identity != self.unobserved else { return }
            let function = self.access.load(ordering: .acquiring)
            if function != 0 { unsafe unsafeBitCast(function, to: Access.self)(identity, isWrite) }
        }
    }
#endif
