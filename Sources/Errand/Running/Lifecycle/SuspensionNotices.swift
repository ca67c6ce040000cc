/// Who is told that work is suspended, or goes on, and what is still to be told, in its order.
struct SuspensionNotices {
    private var watcher: (@Sendable (Bool) -> Void)?
    private var untold: [Bool] = []
    private var isTelling = false

    /// Takes note of who is told from now on; of what is suspended already, at once.
    mutating func watch(_ watcher: @escaping @Sendable (Bool) -> Void, isSuspended: Bool) {
        self.watcher = watcher
        if isSuspended { self.untold = [true] }
    }

    /// Takes note of something to tell.
    mutating func note(isSuspended: Bool) {
        if self.watcher != nil { self.untold.append(isSuspended) }
    }

    /// Nobody is told any more.
    mutating func end() {
        self.watcher = nil
    }

    /// Takes what is to be told next, and whom: one after another, and by one caller at a time.
    ///
    /// - Parameter isTelling: Whether it is this caller who tells.
    /// - Returns: What to tell without the lock, and to come again after that; `nil` where that is nothing, or somebody
    ///   else tells.
    mutating func next(isTelling: Bool) -> (isSuspended: Bool, watcher: @Sendable (Bool) -> Void)? {
        guard isTelling || !self.isTelling else { return nil }
        guard let watcher = self.watcher, !self.untold.isEmpty else {
            self.isTelling = false
            return nil
        }
        self.isTelling = true
        return (self.untold.removeFirst(), watcher)
    }
}
