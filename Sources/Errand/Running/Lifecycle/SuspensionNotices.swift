/// The observer of suspensions and resumptions, and the pending notices for it.
struct SuspensionNotices {
    typealias Watcher = @Sendable (Bool) -> Void

    private var watcher: Watcher?
    private var notices = Notices<Bool>()

    /// Sets the observer.
    ///
    /// It is notified at once if the work is suspended.
    mutating func watch(_ watcher: @escaping Watcher, isSuspended: Bool) {
        self.watcher = watcher
        if isSuspended { self.notices.note(true) }
    }

    /// Adds a notice.
    mutating func note(isSuspended: Bool) {
        if self.watcher != nil { self.notices.note(isSuspended) }
    }

    /// Removes the observer.
    mutating func end() {
        self.watcher = nil
        self.notices.removeAll()
    }

    /// Takes the next notice, to be delivered outside the lock; see ``Notices/next(isTelling:)``.
    mutating func next(isTelling: Bool) -> (isSuspended: Bool, watcher: Watcher)? {
        guard let isSuspended = self.notices.next(isTelling: isTelling), let watcher else { return nil }
        return (isSuspended, watcher)
    }
}

/// Notices that are taken under a lock and delivered outside it, in order and by one caller at a time.
struct Notices<Notice> {
    private var untold: [Notice] = []
    private var isTelling = false

    /// Adds a notice.
    mutating func note(_ notice: Notice) {
        self.untold.append(notice)
    }

    /// Discards all pending notices.
    mutating func removeAll() {
        self.untold = []
    }

    /// Takes the next notice.
    ///
    /// - Parameter isTelling: True for the delivering caller, which calls again after each notice.
    /// - Returns: The notice; `nil` if there is none, or if another caller is delivering.
    mutating func next(isTelling: Bool) -> Notice? {
        guard isTelling || !self.isTelling else { return nil }
        self.isTelling = !self.untold.isEmpty
        return self.isTelling ? self.untold.removeFirst() : nil
    }
}

extension Notices: Sendable where Notice: Sendable {}
