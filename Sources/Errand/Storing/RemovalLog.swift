internal import ErrandLocks

/// How often answers that are on their way were removed by hand: what was asked for before that is not stored after it.
///
/// Noted before a removal begins, and looked at once more after an answer was stored: of the two that meet one sees the
/// other. Of keys only those are known that somebody watches.
final class RemovalLog: Sendable {
    private struct State {
        var all = 0
        var keys: [CacheKey: (watches: Int, removals: Int)] = [:]
    }

    private let state = Locked(State())

    /// Notes that the response of a key is about to be removed.
    func note(_ key: CacheKey) {
        self.state.withLock { $0.keys[key]?.removals += 1 }
    }

    /// Notes that some answers are about to be removed, and it is not known whose.
    func noteAll() {
        self.state.withLock { $0.all += 1 }
    }

    fileprivate func removals(of key: CacheKey) -> Int {
        self.state.withLock { $0.all + ($0.keys[key]?.removals ?? 0) }
    }

    fileprivate func beginWatching(_ key: CacheKey) {
        self.state.withLock { $0.keys[key, default: (0, 0)].watches += 1 }
    }

    fileprivate func endWatching(_ key: CacheKey) {
        self.state.withLock { state in
            state.keys[key]?.watches -= 1
            if state.keys[key]?.watches == 0 { state.keys[key] = nil }
        }
    }
}

/// Knows whether a response was removed by hand since this was made.
final class RemovalWatch: Sendable {
    private let key: CacheKey
    private let logs: [RemovalLog]
    private let before: Int

    init(of key: CacheKey, in logs: [RemovalLog]) {
        self.key = key
        self.logs = logs
        for log in logs { log.beginWatching(key) }
        self.before = logs.reduce(0) { $0 + $1.removals(of: key) }
    }

    deinit {
        for log in self.logs { log.endWatching(self.key) }
    }

    var isRemoved: Bool { self.logs.reduce(0) { $0 + $1.removals(of: self.key) } != self.before }
}
