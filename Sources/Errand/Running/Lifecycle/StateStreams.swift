/// The streams of those who watch the state of a request, batch or chain.
///
/// They are told without the lock that this is under, one after another: each sees the states in their order.
struct StateStreams: Sendable {
    typealias Continuation = AsyncStream<RequestState>.Continuation

    /// The streams, made for the first of them: most requests have none.
    private var readers: StreamReaders<Continuation>?
    private var notices = Notices<Notice>()

    private enum Notice {
        case new(Continuation, showing: RequestState, isOver: Bool)
        case state(RequestState, isOver: Bool)
    }

    /// The number of those who are told.
    var count: Int { self.readers?.count ?? 0 }

    /// Takes in a stream, which begins with the present state and ends after a terminal one.
    mutating func add(_ continuation: Continuation, showing state: RequestState, isOver: Bool) {
        self.readers = self.readers ?? StreamReaders()
        self.notices.note(.new(continuation, showing: state, isOver: isOver))
    }

    /// Takes all of them out, to be ended: the state will not change any more.
    mutating func removeAll() -> [Continuation] {
        self.readers?.removeAll() ?? []
    }

    /// Takes note of a new state.
    ///
    /// - Returns: `true` if somebody has to be told of it.
    mutating func note(_ state: RequestState, isOver: Bool) -> Bool {
        guard self.readers != nil else { return false }
        self.notices.note(.state(state, isOver: isOver))
        return true
    }

    /// Takes the next notice, to be told without the lock; see ``Notices/next(isTelling:)``.
    mutating func next(isTelling: Bool) -> (@Sendable () -> Void)? {
        guard let notice = self.notices.next(isTelling: isTelling), let readers = self.readers else { return nil }
        return { Self.tell(notice, to: readers) }
    }

    private static func tell(_ notice: Notice, to readers: StreamReaders<Continuation>) {
        switch notice {
        case .new(let continuation, let state, let isOver):
            // A reader that has left already is not taken in: its stream does not say so twice.
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
