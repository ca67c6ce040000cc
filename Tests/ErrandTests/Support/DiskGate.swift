internal import ErrandLocks
internal import Foundation

#if os(Linux)
    /// A disk that does not answer until it is told to: whoever comes to it waits in a call of the system.
    final class DiskGate: Sendable {
        private let free: Locked<Int>
        private let arrivals = Locked(0)
        /// Nothing is ever written into it: a read ends when its other side is closed.
        private let (inside, outside): (Int32, Int32)
        private let isOpen = Locked(false)

        /// Makes a disk.
        ///
        /// - Parameter free: How many uses of the disk are answered at once before.
        /// - Throws: An error when there are no descriptors.
        init(free: Int) throws {
            self.free = Locked(free)
            var ends: [Int32] = [0, 0]
            guard unsafe pipe(&ends) == 0 else { throw CocoaError(.fileReadUnknown) }
            (self.inside, self.outside) = (ends[0], ends[1])
        }

        deinit {
            self.open()
            close(self.inside)
        }

        /// How many came that had to wait.
        var waitingCount: Int { self.arrivals.withLock { $0 } }

        /// Comes to the disk.
        func use() {
            let isFree = self.free.withLock { free in
                free -= 1
                return free >= 0
            }
            guard !isFree else { return }
            self.arrivals.withLock { $0 += 1 }
            var byte: UInt8 = 0
            while unsafe read(self.inside, &byte, 1) < 0, errno == EINTR {}
        }

        /// Answers all, now and later.
        func open() {
            let isFirst = self.isOpen.withLock { isOpen in
                defer { isOpen = true }
                return !isOpen
            }
            if isFirst { close(self.outside) }
        }
    }
#endif
