extension ReportedBug {
    static let etcd5509 = ReportedBug(
        "etcd#5509", .forgottenUnlock,
        "A call that finds its client closed returns with the read lock, and the close waits forever to write."
    ) { isMended, _ in
        let (lock, isClosed) = (AsyncReadWriteLock(), Cell(false))
        try await together(
            {
                await lock.lockForReading()
                if await isClosed.value {
                    // The mend: the lock is released on this path, too.
                    if isMended { await lock.unlockForReading() }
                    return
                }
                await lock.unlockForReading()
            },
            {
                await isClosed.set(true)
                await lock.lockForWriting()
                await lock.unlockForWriting()
            })
    }

    static let etcd6857 = ReportedBug(
        "etcd#6857", .channel,
        "A question for the status of a node is sent after its loop was stopped, and waits for an answer."
    ) { isMended, _ in
        let channels = Channels()
        let (status, stop, done) = (channels.channel("status"), channels.channel("stop"), channels.channel("done"))
        try await together(
            {
                while try await channels.select([.receive(stop), .receive(status)]).name != "stop" {}
                try await done.close()
            },
            {
                // The mend: the question ends with the loop.
                _ = try await channels.select([.send(status, 1)] + (isMended ? [.receive(done)] : []))
            },
            {
                try await stop.send()
                try await done.receive()
            })
    }

    static let etcd6873 = ReportedBug(
        "etcd#6873", .heldLock,
        "A broadcast is stopped under its lock and waits for the loop of updates, which needs the lock to merge one."
    ) { isMended, _ in
        let channels = Channels()
        let (updates, done) = (channels.channel("updates", capacity: 1), channels.channel("done"))
        let lock = AsyncMutex()
        try await together(
            {
                while try await updates.receive() != nil { await lock.whileLocked {} }
                try await done.close()
            },
            {
                try await updates.send()
                await lock.lock()
                try await updates.close()
                // The mend: the lock is released first.
                if isMended { await lock.unlock() }
                try await done.receive()
                if !isMended { await lock.unlock() }
            })
    }

    static let etcd7443 = ReportedBug(
        "etcd#7443", .heldLock,
        "An address that is up is announced under the balancer's lock after the receiver has ended; the close waits."
    ) { isMended, _ in
        let channels = Channels()
        let (addresses, done) = (channels.channel("addresses"), channels.channel("done"))
        let lock = AsyncMutex()
        try await together(
            {
                await lock.lock()
                // The mend: the announcement ends with the balancer.
                _ = try await channels.select([.send(addresses, 1)] + (isMended ? [.receive(done)] : []))
                await lock.unlock()
            },
            { _ = try await channels.select([.receive(addresses), .receive(done)]) },
            {
                try await done.close()
                await lock.whileLocked {}
            })
    }

    static let etcd7492 = ReportedBug(
        "etcd#7492", .heldLock,
        "A token is sent to its keeper under a lock that the keeper takes to delete expired ones."
    ) { isMended, _ in
        let channels = Channels()
        let (tokens, ticks) = (channels.channel("tokens"), channels.channel("ticks", capacity: 1))
        let lock = AsyncMutex()
        try await together(
            {
                for _ in 0..<2 where try await channels.select([.receive(tokens), .receive(ticks)]).name == "ticks" {
                    await lock.whileLocked {}
                }
            },
            {
                await lock.lock()
                // The mend: the lock is released before the token is sent.
                if isMended { await lock.unlock() }
                try await tokens.send()
                if !isMended { await lock.unlock() }
            },
            { try await ticks.send() })
    }

    static let etcd7902 = ReportedBug(
        "etcd#7902", .heldLock,
        "A follower of an election waits under a lock for the next round, which the leader opens under the same lock."
    ) { isMended, _ in
        let (lock, nextRound) = (AsyncMutex(), OneTimeEvent())
        let release: @Sendable (Bool) async -> Void = { isLeader in
            if isLeader { await nextRound.happen() } else { await nextRound.wait() }
        }
        let round: @Sendable (Bool) async -> Void = { isLeader in
            await lock.whileLocked {}
            // The mend: no lock is held around a release.
            if isMended { await release(isLeader) } else { await lock.whileLocked { await release(isLeader) } }
        }
        try await together({ await round(true) }, { await round(false) }, { await round(false) })
    }

    static let etcd10492 = ReportedBug(
        "etcd#10492", .doubleLock,
        "A renewal under the lessor's lock calls the checkpointer that was set meanwhile, which takes the lock."
    ) { isMended, _ in
        let (lock, hasCheckpointer) = (AsyncMutex(), Cell(false))
        try await together(
            {
                await lock.lock()
                let checkpoints = await hasCheckpointer.value
                // The mend: the lock is released before the checkpointer is called.
                if isMended { await lock.unlock() }
                if checkpoints { await lock.whileLocked {} }
                if !isMended { await lock.unlock() }
            },
            { await lock.whileLocked { await hasCheckpointer.set(true) } })
    }

    static let etcd6708 = ReportedBug(
        "etcd#6708", .doubleLock,
        "A synchronization writes under the client's lock and asks for the leader through the same client, which reads."
    ) { isMended, _ in
        let (lock, prefersLeader) = (AsyncReadWriteLock(), Cell(false))
        try await together(
            {
                if isMended {
                    // The mend: the leader is asked before the lock is taken.
                    await lock.lockForReading()
                    await lock.unlockForReading()
                }
                await lock.lockForWriting()
                if await prefersLeader.value, !isMended {
                    await lock.lockForReading()
                    await lock.unlockForReading()
                }
                await lock.unlockForWriting()
            },
            { await prefersLeader.set(true) })
    }

    static let etcd3077 = ReportedBug(
        "etcd#3077", .orderViolation,
        "A node makes its channels when its loop starts: a server that stops it before waits on a channel that is none."
    ) { isMended, _ in
        let stopped = Channels().channel("stopped", capacity: 1)
        // The mend: the channel exists before the loop starts.
        let current = Cell(isMended ? stopped : nil)
        try await together(
            {
                if !isMended { await current.set(stopped) }
                try await stopped.receive()
            },
            { try await current.value?.send() })
    }
}
