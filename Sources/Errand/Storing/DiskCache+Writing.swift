internal import Dispatch
internal import ErrandLocks

/// The writing side of a disk cache: what is done one after the other, on a queue of its own.
extension DiskCache {
    // MARK: - Its thread

    /// Only called on the write queue.
    @discardableResult
    func work<Result: Sendable>(_ work: (inout CacheKeeper) -> Result) -> Result {
        let (result, reports) = self.keeper.withLock { keeper in (work(&keeper), keeper.takeReports()) }
        self.state.withLock { $0.notices.take(reports) }
        return result
    }

    func onWriteQueue<Result: Sendable>(
        _ work: @escaping @Sendable (inout CacheKeeper) -> Result
    ) async -> Result {
        // Certain to be woken: the queue runs all it is given.
        await withCheckedContinuation { continuation in
            self.writeQueue.async { continuation.resume(returning: self.work(work)) }
        }
    }

    /// Does something without anybody waiting for it, once however often it is asked for meanwhile.
    func doLater(_ chore: Chore, _ work: @escaping @Sendable (inout CacheKeeper) -> Void) {
        guard self.state.withLock({ $0.chores.insert(chore).inserted }) else { return }
        self.writeQueue.async {
            self.work(work)
            self.state.withLock { _ = $0.chores.remove(chore) }
        }
    }

    /// The same for those who need not wait: the work is done in any case.
    func onWriteQueueUnlessCancelled<Result: Sendable>(
        _ work: @escaping @Sendable (inout CacheKeeper) -> Result
    ) async -> Result? {
        let waiter = Waiter<Result>()
        self.writeQueue.async { waiter.resume(self.work(work)) }
        return await waiter.wait()
    }

    // MARK: - What waits

    var lastNumber: UInt64 { self.state.withLock { $0.changes.lastNumber } }

    @discardableResult
    func add(_ change: CacheChanges.Change, for key: CacheKey) -> UInt64 {
        let now = self.now()
        let (number, isFirst) = self.state.withLock { state in
            let fits = state.changes.add(change, for: key)
            if !fits { state.notices.note(.hasty) }
            if !fits || change.isRemoval { state.withheld.insertWaiting(key.digest, at: now) }
            defer { state.isDraining = true }
            return (state.changes.lastNumber, !state.isDraining)
        }
        if isFirst { self.writeQueue.async { self.drain() } }
        return number
    }

    /// Writes what waits, and comes back for what came meanwhile, so that others get their turn in between.
    private func drain() {
        self.work { self.drain(upTo: self.lastNumber, into: &$0) }
        let isDone = self.state.withLock { state in
            state.isDraining = state.changes.isWaiting
            return !state.isDraining
        }
        if !isDone { self.writeQueue.async { self.drain() } }
    }

    func drain(upTo number: UInt64, into keeper: inout CacheKeeper) {
        while let (change, isFinal) = self.next(upTo: number) {
            let (key, digest) = (change.key, change.key.digest)
            let isSettled = keeper.carryOut(change.change, for: key, isFinal: isFinal)
            let mark = isSettled ? nil : self.place.mark(of: digest)
            let (reports, hasIndex, now) = (keeper.takeReports(), keeper.index != nil, self.now())
            self.state.withLock { state in
                state.changes.finish(key, change.number)
                if !isSettled {
                    state.withheld.insert(digest, mark, at: now)
                } else if state.changes[key] == nil {
                    state.withheld.remove(digest)
                }
                state.notices.take(reports)
                state.hasIndex = hasIndex
            }
        }
        self.removeAgain(&keeper)
    }

    private func next(upTo number: UInt64) -> (change: CacheChanges.Waiting, isFinal: Bool)? {
        self.state.withLock { state in
            state.changes.next(upTo: number).map { ($0, state.withheld.contains($0.key.digest)) }
        }
    }

    // MARK: - What could not be removed

    /// So many seconds pass before it is tried again to remove what the system refused.
    private static let retryStep = 1.0

    /// Removes the entries of a choice, and those of earlier ones.
    @discardableResult
    func sweep(_ keeper: inout CacheKeeper, _ choice: WithheldEntries.Choice? = nil) -> CacheSweep {
        let withheld = self.state.withLock { $0.withheld }
        let mostFailures = choice == nil ? CacheKeeper.mostFailures : .max
        let sweep = keeper.remove(mostFailures: mostFailures) { digest, item in
            guard let choice else {
                // What was refused by itself is tried elsewhere.
                return !withheld.contains(digest) && withheld.chooses(digest, item, at: self.now())
            }
            // Whoever removes is asked about each once.
            let isChosen = choice.isChosen(item)
            return isChosen || withheld.chooses(digest, item, at: self.now())
        }
        guard let sweep else { return CacheSweep() }
        let now = self.now()
        self.state.withLock { $0.withheld.take(sweep, of: choice, at: now) }
        return sweep
    }

    /// From time to time, tries anew to remove what the system refused.
    func removeAgain(_ keeper: inout CacheKeeper) {
        let now = self.now()
        let withheld = self.state.withLock { state -> WithheldEntries? in
            guard !state.withheld.isEmpty, abs(now - state.lastRetry) >= Self.retryStep else { return nil }
            state.lastRetry = now
            return state.withheld
        }
        guard let withheld else { return }
        let settled = keeper.removeAgain(withheld.refusals)
        self.state.withLock { $0.withheld.remove(settled) }
        guard withheld.hasChoices else { return }
        guard let digests = withheld.unjudged else {
            self.sweep(&keeper)
            return
        }
        var failures = 0
        for digest in digests.shuffled() where failures < CacheKeeper.mostFailures {
            if !self.removeIfChosen(digest, &keeper) { failures += 1 }
        }
    }

    /// - Returns: Whether the entry could be judged, and is gone if it was chosen.
    @discardableResult
    func removeIfChosen(_ digest: SHA256, _ keeper: inout CacheKeeper) -> Bool {
        let withheld = self.state.withLock { $0.withheld }
        var sweep = CacheSweep()
        keeper.remove(digest, where: { withheld.chooses($0, $1, at: self.now()) }, &sweep)
        let now = self.now()
        self.state.withLock { [sweep] in $0.withheld.take(sweep, ofOne: digest, at: now) }
        return sweep.unreadable.isEmpty && sweep.refused.isEmpty
    }

    func removeIfDamaged(_ digest: SHA256, _ keeper: inout CacheKeeper) {
        let sweep = keeper.removeIfDamaged(digest, limit: self.readLimit)
        let now = self.now()
        self.state.withLock { $0.withheld.settle(sweep, at: now) }
    }
}
