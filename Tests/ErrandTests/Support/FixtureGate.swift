internal import Errand
internal import ErrandLocks

/// Holds tasks until the test opens it: for hooks, interceptors, closures and sources, as `StubGate` is for replies.
final class FixtureGate: Sendable {
    private struct State {
        var isOpen = false
        var reachedCount = 0
        var held: [Waiter<Void>] = []
        var watchers: [(count: Int, waiter: Waiter<Void>)] = []
    }

    private let state = Locked(State())

    /// How many tasks have come so far.
    var reachedCount: Int { self.state.withLock { $0.reachedCount } }

    /// Lets everyone pass, now and later.
    func open() {
        let held = self.state.withLock { state in
            state.isOpen = true
            defer { state.held = [] }
            return state.held
        }
        for waiter in held { waiter.resume(()) }
    }

    /// Waits until so many tasks have come.
    func waitUntilReached(_ count: Int = 1) async {
        let waiter = Waiter<Void>()
        let isReached = self.state.withLock { state in
            guard state.reachedCount < count else { return true }
            state.watchers.append((count, waiter))
            return false
        }
        if !isReached { _ = await waiter.wait() }
    }

    /// Waits at the gate; a cancelled task leaves at once, unless it is told to be patient.
    func pass(isPatient: Bool = false) async {
        let waiter = Waiter<Void>()
        let (isOpen, reached) = self.state.withLock { state in
            state.reachedCount += 1
            let reached = state.watchers.filter { $0.count <= state.reachedCount }.map(\.waiter)
            state.watchers.removeAll { $0.count <= state.reachedCount }
            if !state.isOpen { state.held.append(waiter) }
            return (state.isOpen, reached)
        }
        for watcher in reached { watcher.resume(()) }
        guard !isOpen else { return }
        if isPatient { _ = await waiter.waitThroughCancellation() } else { _ = await waiter.wait() }
    }
}

/// Lines that anyone may write, in order.
final class FixtureLog: Sendable {
    private let state = Locked<[String]>([])

    var lines: [String] { self.state.withLock { $0 } }

    func add(_ line: String) {
        self.state.withLock { $0.append(line) }
    }

    /// Waits until there are so many lines.
    func wait(for count: Int) async {
        await fixtureUntil { self.lines.count >= count }
    }
}

/// Something whose end can be seen.
final class FixtureToken: Sendable {}
