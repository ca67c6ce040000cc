internal import Errand
internal import ErrandLocks

/// A gate that holds replies until the test releases them.
public final class StubGate: Sendable {
    private struct State {
        var isOpen = false
        var passes = 0
        var reachedCount = 0
        var held: [Waiter<Void>] = []
        var watchers: [(count: Int, waiter: Waiter<Void>)] = []
    }

    private let state = Locked(State())

    /// Creates a closed gate.
    public init() {}

    /// The number of replies that have reached the gate so far.
    public var reachedCount: Int { self.state.withLock { $0.reachedCount } }

    /// Opens the gate for all present and future replies.
    public func open() {
        let held = self.state.withLock { state in
            state.isOpen = true
            defer { state.held = [] }
            return state.held
        }
        for waiter in held { waiter.resume(()) }
    }

    /// Releases the given number of replies: those held for longest, or else the next to arrive.
    public func release(_ count: Int = 1) {
        var rest = max(0, count)
        while rest > 0 {
            let waiter = self.state.withLock { state -> Waiter<Void>? in
                guard state.held.isEmpty else { return state.held.removeFirst() }
                let (passes, isTooMany) = state.passes.addingReportingOverflow(rest)
                state.passes = isTooMany ? .max : passes
                return nil
            }
            guard let waiter else { return }
            // A reply that was cancelled meanwhile does not use up the release.
            if waiter.resume(()) { rest -= 1 }
        }
    }

    /// Waits until the given number of replies have reached the gate; returns early when the task is cancelled.
    public func waitUntilReached(_ count: Int = 1) async {
        let waiter = Waiter<Void>()
        let isReached = self.state.withLock { state in
            guard state.reachedCount < count else { return true }
            state.watchers.append((count, waiter))
            return false
        }
        if !isReached { _ = await waiter.wait() }
    }

    /// Waits at the gate; returns `false` if the task was cancelled.
    func pass() async -> Bool {
        let waiter = Waiter<Void>()
        let (isFree, reached) = self.state.withLock { state -> (Bool, [Waiter<Void>]) in
            state.reachedCount += 1
            let count = state.reachedCount
            let reached = state.watchers.filter { $0.count <= count }.map(\.waiter)
            state.watchers.removeAll { $0.count <= count }
            if state.isOpen { return (true, reached) }
            if state.passes > 0 {
                state.passes -= 1
                return (true, reached)
            }
            state.held.append(waiter)
            return (false, reached)
        }
        for watcher in reached { watcher.resume(()) }
        if isFree { return !Task.isCancelled }
        if await waiter.wait() != nil { return true }
        self.state.withLock { $0.held.removeAll { $0 === waiter } }
        return false
    }
}
