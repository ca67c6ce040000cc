extension ReportedBug {
    static let istio16224 = ReportedBug(
        "istio#16224", .heldLock,
        "A handler of an event sends under a lock, and the task that receives takes the lock before it does."
    ) { isMended, _ in
        let (done, lock, count) = (Channels().channel("done"), AsyncMutex(), Cell(0))
        try await together(
            {
                await lock.whileLocked { _ = await count.value }
                try await done.receive()
            },
            {
                await lock.lock()
                await count.set(1)
                // The mend: the lock is released before the message.
                if isMended { await lock.unlock() }
                try await done.send()
                if !isMended { await lock.unlock() }
            })
    }

    static let istio17860 = ReportedBug(
        "istio#17860", .channel,
        "An agent ends when no epoch is active; one that is started just then waits to report its exit."
    ) { isMended, _ in
        let channels = Channels()
        // The mend: the exits fit into the channel.
        let (statuses, epochs) = (channels.channel("statuses", capacity: isMended ? 2 : 0), Cell(1))
        try await together(
            { try await statuses.send() },
            {
                await epochs.update { $0 += 1 }
                try await statuses.send()
            },
            {
                repeat { try await statuses.receive() } while await epochs.update { $0 -= 1 } > 0
            })
    }

    static let istio18454 = ReportedBug(
        "istio#18454", .channel,
        "A timer that is reset is drained if it had fired, and the message it waits for has been received already."
    ) { isMended, _ in
        let channels = Channels()
        let (fired, resets) = (channels.channel("fired", capacity: 1), channels.channel("resets", capacity: 1))
        let hasFired = Cell(false)
        try await together(
            {
                for _ in 0..<2 {
                    guard try await channels.select([.receive(fired), .receive(resets)]).name == "resets",
                        await hasFired.value
                    else { continue }
                    // The mend: the channel is drained only if it holds something.
                    if isMended { _ = try await fired.tryReceive() } else { try await fired.receive() }
                    return
                }
            },
            { try await resets.send() },
            {
                try await fired.send()
                await hasFired.set(true)
            })
    }

    static let istio8967 = ReportedBug(
        "istio#8967", .orderViolation,
        "The stop of a source closes its channel and forgets it: a loop that starts later waits on none."
    ) { isMended, _ in
        let done = Channels().channel("done")
        let (current, never) = (Cell<Channel?>(done), OneTimeEvent())
        // The mend: the loop keeps the channel that there was at the start.
        let atStart = await current.value
        try await together(
            {
                let channel = isMended ? atStart : await current.value
                if let channel { try await channel.receive() } else { await never.wait() }
            },
            {
                try await done.close()
                await current.set(nil)
            })
    }

    static let hugo3251 = ReportedBug(
        "hugo#3251", .heldLock,
        "The lock of a URL is awaited under the lock of all URLs, which its holder needs to release it."
    ) { isMended, _ in
        let (all, one) = (AsyncReadWriteLock(), AsyncMutex())
        let fetch: @Sendable () async -> Void = {
            await all.lockForWriting()
            // The mend: the lock of all is held only to find the one.
            if isMended { await all.unlockForWriting() }
            await one.lock()
            if !isMended { await all.unlockForWriting() }
            await all.lockForReading()
            await one.unlock()
            await all.unlockForReading()
        }
        try await together(fetch, fetch)
    }

    static let hugo5379 = ReportedBug(
        "hugo#5379", .doubleLock,
        "The content of a page is prepared under a lock, and its summary, if there is none yet, prepares it again."
    ) { isMended, _ in
        let (lock, hasSummary) = (AsyncMutex(), Cell(true))
        try await together(
            {
                await lock.lock()
                let needsSummary = await !hasSummary.value
                // The mend: the summary is made after the lock is released.
                if isMended { await lock.unlock() }
                if needsSummary { await lock.whileLocked { await hasSummary.set(true) } }
                if !isMended { await lock.unlock() }
            },
            { await hasSummary.set(false) })
    }

    static let serving2137 = ReportedBug(
        "serving#2137", .heldLock,
        "A breaker runs one request at a time, in its order; a test releases them in another and waits for each."
    ) { isMended, _ in
        let slots = Permits(1)
        let (released, accepted) = ([OneTimeEvent(), OneTimeEvent()], [OneTimeEvent(), OneTimeEvent()])
        let request: @Sendable (Int) async -> Void = { number in
            await slots.acquire()
            await released[number].wait()
            await accepted[number].happen()
            await slots.release()
        }
        try await together(
            { await request(0) }, { await request(1) },
            {
                // The mend: all are released before one is waited for.
                if isMended { for event in released { await event.happen() } }
                for number in 0..<2 {
                    await released[number].happen()
                    await accepted[number].wait()
                }
            })
    }

    static let serving3068 = ReportedBug(
        "serving#3068", .misuse,
        "A pool closes its channel of work when it is awaited, and a task that still adds work sends on it."
    ) { isMended, _ in
        let (work, adding) = (Channels().channel("work", capacity: 5), OneTimeEvent())
        try await together(
            {
                for number in 0..<2 { try await work.send(number) }
                await adding.happen()
            },
            { while try await work.receive() != nil {} },
            {
                // The mend: the channel is closed once nothing is added any more.
                if isMended { await adding.wait() }
                try await work.close()
            })
    }

    static let serving5865 = ReportedBug(
        "serving#5865", .misuse,
        "A watcher of a revision ends and closes its channel, to which an update of endpoints sends."
    ) { isMended, _ in
        let channels = Channels()
        let (updates, done) = (channels.channel("updates", capacity: 1), channels.channel("done"))
        try await together(
            {
                // The mend: the receiver's end is a channel of its own.
                _ = try await channels.select((isMended ? [.receive(done)] : []) + [.send(updates, 1)])
            },
            { try await (isMended ? done : updates).close() })
    }

    static let syncthing4829 = ReportedBug(
        "syncthing#4829", .doubleLock,
        "Addresses of a mapping that has expired are cleared under its lock, and the listener that is notified reads them."
    ) { isMended, _ in
        let (lock, isExpired) = (AsyncReadWriteLock(), Cell(false))
        let notify: @Sendable () async -> Void = {
            await lock.lockForReading()
            await lock.unlockForReading()
        }
        try await together(
            {
                await lock.lockForWriting()
                let expired = await isExpired.value
                if expired, !isMended { await notify() }
                await lock.unlockForWriting()
                // The mend: listeners are told after the lock is released.
                if expired, isMended { await notify() }
            },
            { await isExpired.set(true) })
    }

    static let syncthing5795 = ReportedBug(
        "syncthing#5795", .channel,
        "A connection that is closed by the handler of a message waits for the loop that runs the handler."
    ) { isMended, _ in
        let channels = Channels()
        let (inbox, closed) = (channels.channel("inbox", capacity: 1), channels.channel("closed"))
        let (loop, isClosing) = (OneTimeEvent(), Cell(false))
        let close: @Sendable (_ waits: Bool) async throws -> Void = { waits in
            let count = await isClosing.value
            await isClosing.set(true)
            if !count { _ = try? await closed.close() }
            if waits { await loop.wait() }
        }
        try await together(
            {
                while try await channels.select([.receive(closed), .receive(inbox)]).name == "inbox" {
                    // The mend: the handler does not wait for the loop.
                    try await close(!isMended)
                }
                await loop.happen()
            },
            { try await close(true) },
            { try await inbox.send() })
    }
}
