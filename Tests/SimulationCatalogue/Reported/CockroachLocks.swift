extension ReportedBug {
    static let cockroach10214 = ReportedBug(
        "cockroach#10214", .lockOrder,
        "Queued heartbeats are sent with the queue's lock held and take the Raft lock, under which a tick queues one."
    ) { isMended, _ in
        let (coalesced, raft) = (AsyncMutex(), AsyncMutex())
        let queue = Cell([1])
        try await together(
            {
                await coalesced.lock()
                let heartbeats = await queue.value
                await queue.set([])
                // The mend: the queue is released before an unreachable replica is reported.
                if isMended { await coalesced.unlock() }
                for _ in heartbeats { await raft.whileLocked {} }
                if !isMended { await coalesced.unlock() }
            },
            {
                await raft.whileLocked {
                    await coalesced.whileLocked { _ = await queue.update { $0.append(2) } }
                }
            })
    }

    static let cockroach7504 = ReportedBug(
        "cockroach#7504", .lockOrder,
        "A release locks the lease and then the cache of names; a lookup by name locks the cache and then the lease."
    ) { isMended, _ in
        let (lease, names) = (AsyncMutex(), AsyncMutex())
        let references = Cell(1)
        try await together(
            {
                // The mend: all take the cache first.
                await (isMended ? names : lease).whileLocked {
                    await (isMended ? lease : names).whileLocked { _ = await references.update { $0 -= 1 } }
                }
            },
            {
                await names.whileLocked {
                    await lease.whileLocked { _ = await references.update { $0 += 1 } }
                }
            })
    }

    static let cockroach16167 = ReportedBug(
        "cockroach#16167", .doubleLock,
        "A statement reads the configuration under a read lock and reads it again for the database cache: a writer in "
            + "between waits for the first lock, and the second waits for the writer."
    ) { isMended, _ in
        let (config, version) = (AsyncReadWriteLock(), Cell(1))
        let databaseCache: @Sendable () async -> Int = {
            await config.lockForReading()
            let found = await version.value
            await config.unlockForReading()
            return found
        }
        try await together(
            {
                await config.lockForReading()
                let seen = await version.value
                // The mend: the lock is released before the cache is asked.
                if isMended { await config.unlockForReading() }
                if seen == 1 { _ = await databaseCache() }
                if !isMended { await config.unlockForReading() }
            },
            {
                await config.lockForWriting()
                await version.set(2)
                await config.unlockForWriting()
            })
    }

    static let cockroach3710 = ReportedBug(
        "cockroach#3710", .doubleLock,
        "A scan of the store holds its read lock, and for each range asks for the Raft status, which reads again."
    ) { isMended, _ in
        let store = AsyncReadWriteLock()
        let raftStatus: @Sendable (_ isLocked: Bool) async -> Void = { isLocked in
            if !isLocked { await store.lockForReading() }
            if !isLocked { await store.unlockForReading() }
        }
        try await together(
            {
                await store.lockForReading()
                // The mend: the status is read under the lock that is held.
                for _ in 0..<2 { await raftStatus(isMended) }
                await store.unlockForReading()
            },
            {
                await store.lockForWriting()
                await store.unlockForWriting()
            })
    }

    static let cockroach6181 = ReportedBug(
        "cockroach#6181", .doubleLock,
        "Of several lookups one prints the cache while it reads it, which reads again; another fills the cache."
    ) { isMended, _ in
        let (cache, entries) = (AsyncReadWriteLock(), Cell(0))
        try await together(
            {
                await cache.lockForReading()
                let count = await entries.value
                // The mend: the text is made from what was read.
                if !isMended, count == 0 {
                    await cache.lockForReading()
                    await cache.unlockForReading()
                }
                await cache.unlockForReading()
            },
            {
                await cache.lockForWriting()
                await entries.set(1)
                await cache.unlockForWriting()
            })
    }

    static let cockroach9935 = ReportedBug(
        "cockroach#9935", .doubleLock,
        "A logger that cannot write its file exits, and the exit takes the lock that the write holds."
    ) { isMended, _ in
        let (lock, isWritable) = (AsyncMutex(), Cell(true))
        let exit: @Sendable () async -> Void = { await lock.whileLocked {} }
        try await together(
            {
                await lock.lock()
                let failed = await !isWritable.value
                // The mend: the lock is released before the exit.
                if failed, isMended { await lock.unlock() }
                if failed { await exit() }
                if !failed || !isMended { await lock.unlock() }
            },
            { await isWritable.set(false) })
    }

    static let cockroach584 = ReportedBug(
        "cockroach#584", .forgottenUnlock,
        "A loop of the gossip breaks under its lock when the server is closed, and the next loop waits for the lock."
    ) { isMended, _ in
        let (lock, isClosed) = (AsyncMutex(), Cell(false))
        let loop: @Sendable () async -> Void = {
            for _ in 0..<2 {
                await lock.lock()
                if await isClosed.value {
                    // The mend: the lock is released on this path, too.
                    if isMended { await lock.unlock() }
                    return
                }
                await lock.unlock()
            }
        }
        try await together(
            {
                await loop()
                await loop()
            },
            { await lock.whileLocked { await isClosed.set(true) } })
    }

    static let cockroach1055 = ReportedBug(
        "cockroach#1055", .heldLock,
        "A stopper waits for its workers with its lock held, and a worker needs the lock to learn that it must stop."
    ) { isMended, _ in
        let (lock, workers, isDraining) = (AsyncMutex(), WaitGroup(2), Cell(false))
        let worker: @Sendable () async throws -> Void = {
            await lock.whileLocked { _ = await isDraining.value }
            try await workers.done()
        }
        try await together(
            worker, worker,
            {
                await lock.lock()
                await isDraining.set(true)
                // The mend: workers end without the lock.
                if isMended { await lock.unlock() }
                await workers.wait()
                if !isMended { await lock.unlock() }
            })
    }
}
