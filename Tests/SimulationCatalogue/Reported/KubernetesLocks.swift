extension ReportedBug {
    static let kubernetes10182 = ReportedBug(
        "kubernetes#10182", .heldLock,
        "Statuses of pods are sent under a lock that the receiver takes to delete one."
    ) { isMended, _ in
        let (statuses, lock) = (Channels().channel("statuses", capacity: isMended ? 2 : 0), AsyncMutex())
        // The mend: the buffer holds all that is sent under the lock.
        let setStatus: @Sendable () async throws -> Void = {
            try await lock.whileLocked { try await statuses.send() }
        }
        try await together(
            {
                try await statuses.receive()
                await lock.whileLocked {}
                try await statuses.receive()
            },
            setStatus, setStatus)
    }

    static let kubernetes13135 = ReportedBug(
        "kubernetes#13135", .lockOrder,
        "A replacement of the watch cache, under its lock, releases the cacher's lock that starting holds; an event "
            + "takes both the other way."
    ) { isMended, _ in
        let (cacher, watchCache) = (AsyncMutex(), AsyncMutex())
        try await together(
            {
                await cacher.lock()
                // The mend: the cacher is not locked while the store is filled.
                if isMended { await cacher.unlock() }
                await watchCache.whileLocked {}
                if !isMended { await cacher.unlock() }
            },
            { await watchCache.whileLocked { await cacher.whileLocked {} } })
    }

    static let kubernetes1321 = ReportedBug(
        "kubernetes#1321", .heldLock,
        "A multiplexer distributes under its lock to a watcher that does not receive; the watcher's stop needs the lock."
    ) { isMended, _ in
        let channels = Channels()
        let (results, stopped) = (channels.channel("results"), channels.channel("stopped"))
        let lock = AsyncMutex()
        try await together(
            {
                await lock.lock()
                // The mend: a second channel tells that the watcher stops.
                _ = try await channels.select([.send(results, 1)] + (isMended ? [.receive(stopped)] : []))
                await lock.unlock()
            },
            {
                _ = try await results.tryReceive()
                try await stopped.close()
                await lock.whileLocked {}
            })
    }

    static let kubernetes26980 = ReportedBug(
        "kubernetes#26980", .heldLock,
        "A listener waits under its lock for a receiver of a notification, and the next notification needs the lock."
    ) { isMended, _ in
        let channels = Channels()
        let (next, added) = (channels.channel("next"), channels.channel("added", capacity: 1))
        let (lock, pending) = (AsyncMutex(), Cell(1))
        try await together(
            {
                await lock.whileLocked { _ = await pending.update { $0 += 1 } }
                try await added.send()
            },
            {
                // The receiver takes the first notification once the second has been added.
                try await added.receive()
                try await next.receive()
            },
            {
                await lock.lock()
                let isPending = await pending.value > 0
                // The mend: the lock is released before the hand-over.
                if isMended { await lock.unlock() }
                if isPending { try await next.send() }
                if !isMended { await lock.unlock() }
            })
    }

    static let kubernetes30872 = ReportedBug(
        "kubernetes#30872", .lockOrder,
        "Three locks of a federated informer are taken in a circle: the informer, its clusters, and their queue."
    ) { isMended, _ in
        let locks = [AsyncMutex(), AsyncMutex(), AsyncMutex()]
        let use: @Sendable (Int, Int) async -> Void = { first, second in
            await locks[first].whileLocked { await locks[second].whileLocked {} }
        }
        try await together(
            { await use(0, 1) }, { await use(1, 2) },
            // The mend: the order is the same for all.
            { if isMended { await use(0, 2) } else { await use(2, 0) } })
    }

    static let kubernetes58107 = ReportedBug(
        "kubernetes#58107", .heldLock,
        "Workers wait for work with a read lock; a writer that waits for the lock blocks the worker that has work."
    ) { isMended, _ in
        let (workers, empty, full) = (AsyncReadWriteLock(), Channels().channel("empty"), Cell(1))
        try await together(
            {
                // The mend: no lock is held while a worker waits for work.
                if !isMended { await workers.lockForReading() }
                try await empty.receive()
                if !isMended { await workers.unlockForReading() }
            },
            {
                await workers.lockForReading()
                await full.update { $0 -= 1 }
                await workers.unlockForReading()
                // Work on one queue is work for the other.
                try await empty.send()
            },
            {
                await workers.lockForWriting()
                await workers.unlockForWriting()
            })
    }

    static let kubernetes62464 = ReportedBug(
        "kubernetes#62464", .doubleLock,
        "A set of processors is read with a default, which reads again under the same lock; a removal writes between."
    ) { isMended, _ in
        let (state, sets) = (AsyncReadWriteLock(), Cell([String: Int]()))
        let read: @Sendable (String) async -> Int? = { name in
            await state.lockForReading()
            let found = await sets.value[name]
            await state.unlockForReading()
            return found
        }
        try await together(
            {
                // The mend: the two reads follow one another.
                if isMended, await read("pod") == nil { _ = await read("default") }
                if isMended { return }
                await state.lockForReading()
                if await sets.value["pod"] == nil { _ = await read("default") }
                await state.unlockForReading()
            },
            {
                await state.lockForWriting()
                await sets.update { $0["default"] = 4 }
                await state.unlockForWriting()
            })
    }

    static let kubernetes6632 = ReportedBug(
        "kubernetes#6632", .heldLock,
        "A frame is written under a lock and waits for the full channel of resets, which the monitor closes under it."
    ) { isMended, _ in
        let channels = Channels()
        let (resets, closing) = (channels.channel("resets"), channels.channel("closing", capacity: 1))
        let lock = AsyncMutex()
        try await together(
            {
                if try await channels.select([.receive(closing), .receive(resets)]).name == "closing" {
                    // The mend: another task empties the channel.
                    if isMended {
                        try await together({ try await resets.receive() }, { await lock.whileLocked {} })
                    } else {
                        await lock.whileLocked {}
                        try await resets.receive()
                    }
                }
            },
            { try await lock.whileLocked { try await resets.send() } },
            { try await closing.send() })
    }
}
