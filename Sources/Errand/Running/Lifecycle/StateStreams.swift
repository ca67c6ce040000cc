/// The streams that observe the state of a request, batch, or chain.
///
/// Notices are delivered outside the lock of the state, one at a time, so that each stream sees the states in order.
struct StateStreams: Sendable {
    typealias Continuation = AsyncStream<RequestState>.Continuation

    /// The streams, created for the first of them: most requests have none.
    private var readers: StreamReaders<Continuation>?
    private var notices = Notices<Notice>()

    private enum Notice {
        case new(Continuation, showing: RequestState, isOver: Bool)
        case state(RequestState, isOver: Bool)
    }

    var count: Int { self.readers?.count ?? 0 }

    /// Adds a stream that begins with the current state and ends after a terminal one.
    mutating func add(_ continuation: Continuation, showing state: RequestState, isOver: Bool) {
        self.readers = self.readers ?? StreamReaders()
        self.notices.note(.new(continuation, showing: state, isOver: isOver))
    }

    /// Removes all streams so that they can be finished: the state will not change any more.
    mutating func removeAll() -> [Continuation] {
        self.readers?.removeAll() ?? []
    }

    /// Records a new state.
    ///
    /// - Returns: True if streams must be notified.
    mutating func note(_ state: RequestState, isOver: Bool) -> Bool {
        guard self.readers != nil else { return false }
        self.notices.note(.state(state, isOver: isOver))
        return true
    }

    /// Takes the next notice, to be delivered outside the lock; see ``Notices/next(isTelling:)``.
    mutating func next(isTelling: Bool) -> (@Sendable () -> Void)? {
        guard let notice = self.notices.next(isTelling: isTelling), let readers = self.readers else { return nil }
        return { Self.tell(notice, to: readers) }
    }

    private static func tell(_ notice: Notice, to readers: StreamReaders<Continuation>) {
        switch notice {
        case .new(let continuation, let state, let isOver):
            // A reader that has left already is not added: its stream does not report termination twice.
            if case .terminated = continuation.yield(state) { return }
            if isOver { return continuation.finish() }
            let leave = readers.add(continuation)
            continuation.onTermination = { _ in leave() }
        case .state(let state, let isOver):
            for continuation in readers.all { continuation.yield(state) }
            if isOver { for continuation in readers.removeAll() { continuation.finish() } }
        }
    }
}
