internal import Errand
internal import ErrandLocks

/// A count that only rises, and the tasks that wait for it to reach a value.
///
/// Liveness: a waiter is resumed by the `advance()` that reaches its value, by `finish()`, or by its task's
/// cancellation. It is entered under the lock that all three take, and leaves the table when it is resumed.
final class LoopbackMilestone: Sendable {
    private struct Waiter {
        let count: Int
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var count = 0
        var isFinished = false
        var lastID = 0
        var waiters: [Int: Waiter] = [:]
    }

    private let state = Locked(State())

    /// The count so far.
    var count: Int { state.withLock { $0.count } }

    // MARK: - Counting

    /// Increments the count.
    func advance() {
        let reached: [Waiter] = state.withLock { state in
            state.count += 1
            guard !state.waiters.isEmpty else { return [] }
            let count = state.count
            let reached = state.waiters.filter { $0.value.count <= count }
            for id in reached.keys { state.waiters[id] = nil }
            return Array(reached.values)
        }
        for waiter in reached { waiter.continuation.resume(returning: true) }
    }

    /// Resumes all present and future waiters, since the count will not rise any more.
    func finish() {
        let rest: [Waiter] = state.withLock { state in
            state.isFinished = true
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in rest { waiter.continuation.resume(returning: false) }
    }

    // MARK: - Waiting

    /// Waits until the count is at least `count`; returns `false` if it was finished before, or the task was cancelled.
    func wait(for count: Int) async -> Bool {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = enter(Waiter(count: count, continuation: continuation), id: id)
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            leave(id)
        }
    }

    // A task is marked as cancelled before its handler runs. So if `leave` came first and found no waiter, the mark is
    // seen here; if it comes later, it finds the waiter.
    private func enter(_ waiter: Waiter, id: Int) -> Bool? {
        state.withLock { state in
            if state.count >= waiter.count { return true }
            if state.isFinished || Task.isCancelled { return false }
            state.waiters[id] = waiter
            return nil
        }
    }

    private func leave(_ id: Int) {
        let waiter = state.withLock { $0.waiters.removeValue(forKey: id) }
        waiter?.continuation.resume(returning: false)
    }
}
