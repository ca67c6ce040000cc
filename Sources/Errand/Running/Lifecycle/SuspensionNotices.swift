/// The one who is told that work is suspended, or goes on, and the notices that are still to be told.
struct SuspensionNotices {
    typealias Watcher = @Sendable (Bool) -> Void

    private var watcher: Watcher?
    private var notices = Notices<Bool>()

    /// Takes note of who is told from now on; of what is suspended already, at once.
    mutating func watch(_ watcher: @escaping Watcher, isSuspended: Bool) {
        self.watcher = watcher
        if isSuspended { self.notices.note(true) }
    }

    /// Takes note of something to tell.
    mutating func note(isSuspended: Bool) {
        if self.watcher != nil { self.notices.note(isSuspended) }
    }

    /// Nobody is told any more.
    mutating func end() {
        self.watcher = nil
        self.notices.removeAll()
    }

    /// Takes the next notice, to be told without the lock; see ``Notices/next(isTelling:)``.
    mutating func next(isTelling: Bool) -> (isSuspended: Bool, watcher: Watcher)? {
        guard let isSuspended = self.notices.next(isTelling: isTelling), let watcher else { return nil }
        return (isSuspended, watcher)
    }
}

/// Notices that are taken under a lock and told without it, in their order and by one caller at a time.
struct Notices<Notice> {
    private var untold: [Notice] = []
    private var isTelling = false

    /// Takes note of something to tell.
    mutating func note(_ notice: Notice) {
        self.untold.append(notice)
    }

    /// Forgets all that was not told yet.
    mutating func removeAll() {
        self.untold = []
    }

    /// Takes the next notice.
    ///
    /// - Parameter isTelling: `true` for the caller who tells: it comes again after each notice.
    /// - Returns: The notice; `nil` where there is none, or somebody else tells.
    mutating func next(isTelling: Bool) -> Notice? {
        guard isTelling || !self.isTelling else { return nil }
        self.isTelling = !self.untold.isEmpty
        return self.isTelling ? self.untold.removeFirst() : nil
    }
}

extension Notices: Sendable where Notice: Sendable {}
