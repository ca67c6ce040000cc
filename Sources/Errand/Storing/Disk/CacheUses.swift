internal import ErrandLocks

/// When this process used entries last, as far as neither the files nor the index know: files tell that only roughly.
final class CacheUses: Sendable {
    private struct State {
        var last = -Double.infinity
        var times: [SHA256: Double] = [:]

        /// The time of a use: later than that of the one before, unless the clock was moved back.
        mutating func time(_ now: Double) -> Double {
            self.last = self.last - now < 1 ? max(now, self.last.nextUp) : now
            return self.last
        }
    }

    private let state = Locked(State())

    /// From so many on somebody has to take them.
    static let limit = 4096

    /// Takes note of a use.
    ///
    /// - Parameters:
    ///   - digest: That of the key.
    ///   - now: The time, in seconds since 1970.
    /// - Returns: Whether that makes as many as should be held.
    @discardableResult
    func note(_ digest: SHA256, at now: Double) -> Bool {
        self.state.withLock { state in
            let isNew = state.times.updateValue(state.time(now), forKey: digest) == nil
            return isNew && state.times.count % Self.limit == 0
        }
    }

    /// When an entry was used last, if that is noted.
    func time(of digest: SHA256) -> Double? {
        self.state.withLock { $0.times[digest] }
    }

    /// Returns all that is noted, and forgets it.
    func takeAll() -> [SHA256: Double] {
        self.state.withLock { state in
            defer { state.times = [:] }
            return state.times
        }
    }

    /// Takes back what nobody could use yet, but for what was noted anew.
    func putBack(_ times: [SHA256: Double]) {
        self.state.withLock { $0.times.merge(times) { newer, _ in newer } }
    }
}
