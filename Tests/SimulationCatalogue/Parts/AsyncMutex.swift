/// A mutual exclusion lock for tasks, in the order of their calls; not recursive.
///
/// A cancelled task continues to wait.
actor AsyncMutex {
    private var isLocked = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func lock() async {
        guard self.isLocked else { return self.isLocked = true }
        await withCheckedContinuation { self.waiting.append($0) }
    }

    func unlock() {
        if self.waiting.isEmpty {
            self.isLocked = false
        } else {
            self.waiting.removeFirst().resume()
        }
    }

    /// Runs a body while the caller holds the lock.
    nonisolated func whileLocked<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        await self.lock()
        do {
            let value = try await body()
            await self.unlock()
            return value
        } catch {
            await self.unlock()
            throw error
        }
    }
}
