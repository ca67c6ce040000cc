extension ReportedBug {
    static let grpc660 = ReportedBug(
        "grpc-go#660", .channel,
        "A benchmark that is stopped returns without receiving from its workers, which wait to say that they are done."
    ) { isMended, _ in
        let channels = Channels()
        // The mend: the channel holds what all workers send.
        let (done, stop) = (channels.channel("done", capacity: isMended ? 2 : 0), channels.channel("stop"))
        try await together(
            {
                for _ in 0..<2
                where try await channels.select([.receive(done), .receive(stop)]).name == "stop" { return }
            },
            { try await done.send() }, { try await done.send() },
            { try await stop.close() })
    }

    static let grpc862 = ReportedBug(
        "grpc-go#862", .cancellation,
        "A dial that times out returns without a connection and without closing it: its reset waits for the end."
    ) { isMended, _ in
        let channels = Channels()
        let (ready, timeout) = (channels.channel("ready", capacity: 1), channels.channel("timeout"))
        let closed = OneTimeEvent()
        try await together(
            {
                let choice = try await channels.select([.receive(ready), .receive(timeout)])
                // The mend: a dial that fails closes the connection; the user closes one that succeeds.
                if choice.name == "ready" || isMended { await closed.happen() }
            },
            {
                try await ready.send()
                await closed.wait()
            },
            { try await timeout.close() })
    }

    static let grpc1275 = ReportedBug(
        "grpc-go#1275", .cancellation,
        "A stream is closed without a message to its reader, and the task that closed it waits for the reader."
    ) { isMended, _ in
        let channels = Channels()
        let (messages, closed) = (channels.channel("messages", capacity: 2), Cell(false))
        let ended = OneTimeEvent()
        try await together(
            {
                try await messages.receive()
                await ended.happen()
            },
            { if await !closed.value { try await messages.send() } },
            {
                await closed.set(true)
                // The mend: the reader gets a last message.
                if isMended { try await messages.send() }
                await ended.wait()
            })
    }

    static let grpc1353 = ReportedBug(
        "grpc-go#1353", .heldLock,
        "A balancer sends its addresses under a lock that the receiver needs to take a connection down."
    ) { isMended, _ in
        let (addresses, lock) = (Channels().channel("addresses", capacity: isMended ? 2 : 0), AsyncMutex())
        try await together(
            {
                for _ in 0..<2 {
                    try await addresses.receive()
                    await lock.whileLocked {}
                }
            },
            // The mend: the buffer never is full, so that sending does not wait.
            { for _ in 0..<2 { try await lock.whileLocked { try await addresses.send() } } })
    }

    static let grpc1424 = ReportedBug(
        "grpc-go#1424", .cancellation,
        "A dial waits for the first address; the watcher of a closed balancer ends without one and without a word."
    ) { isMended, _ in
        let channels = Channels()
        let (addresses, isClosed, done) = (channels.channel("addresses"), Cell(false), OneTimeEvent())
        try await together(
            { await done.wait() },
            {
                while try await addresses.receive() != nil { await done.happen() }
                // The mend: the end is an answer as well.
                if isMended { await done.happen() }
            },
            {
                if await !isClosed.value { try await addresses.send() }
                try await addresses.close()
            },
            { await isClosed.set(true) })
    }

    static let grpc1460 = ReportedBug(
        "grpc-go#1460", .heldLock,
        "A keepalive sleeps until a stream wakes it, with the lock that the new stream takes first."
    ) { isMended, _ in
        let (lock, awaken) = (AsyncMutex(), Channels().channel("awaken", capacity: 1))
        let streams = Cell(0)
        try await together(
            {
                await lock.whileLocked { await streams.set(1) }
                try await awaken.send()
            },
            {
                await lock.lock()
                let isIdle = await streams.value == 0
                // The mend: the lock is released before the sleep.
                if isMended { await lock.unlock() }
                if isIdle { try await awaken.receive() }
                if !isMended { await lock.unlock() }
            })
    }

    static let grpc3017 = ReportedBug(
        "grpc-go#3017", .forgottenUnlock,
        "A removed connection that is not the cached one any more is deleted, and the lock stays locked."
    ) { isMended, _ in
        let (lock, cached) = (AsyncMutex(), Cell(1))
        try await together(
            {
                await lock.lock()
                if await cached.value != 1 {
                    // The mend: the lock is released on this path, too.
                    if isMended { await lock.unlock() }
                    return
                }
                await lock.unlock()
            },
            {
                await cached.set(2)
                await lock.whileLocked {}
            })
    }

    static let grpc1687 = ReportedBug(
        "grpc-go#1687", .misuse,
        "The status of a response closes the channel of writes, and a write that comes later sends on it."
    ) { isMended, _ in
        let channels = Channels()
        let (writes, closed) = (channels.channel("writes", capacity: 2), channels.channel("closed"))
        try await together(
            {
                // The mend: a write first looks whether the response has ended.
                if isMended, try await closed.tryReceive() != nil { return }
                try await writes.send()
            },
            {
                try await writes.send()
                try await (isMended ? closed : writes).close()
            })
    }

    static let grpc2371 = ReportedBug(
        "grpc-go#2371", .orderViolation,
        "A service configuration arrives after the close has removed the balancer that handles it."
    ) { isMended, _ in
        let (lock, balancer) = (AsyncMutex(), Cell<Int?>(1))
        try await together(
            {
                try await lock.whileLocked {
                    let current = await balancer.value
                    // The mend: a configuration without a balancer is ignored.
                    if !isMended { try require(current != nil, else: "the balancer is gone") }
                }
            },
            { await lock.whileLocked { await balancer.set(nil) } })
    }

    static let grpc1748 = ReportedBug(
        "grpc-go#1748", .orderViolation,
        "A balancer connects before the connection knows its wrapper, and the connection reports its state to none."
    ) { isMended, _ in
        let (wrapper, starts, journal) = (Cell(isMended), OneTimeEvent(), Journal())
        try await together(
            {
                // The mend: the wrapper is set before the connection can connect.
                await starts.happen()
                await journal.note()
                await wrapper.set(true)
            },
            {
                await starts.wait()
                try require(await wrapper.value, else: "a state is reported to no wrapper")
            })
    }

    static let grpc3090 = ReportedBug(
        "grpc-go#3090", .orderViolation,
        "A resolver reports while it is built, and the poll that this starts uses the resolver that is not stored yet."
    ) { isMended, _ in
        let (lock, resolver) = (AsyncMutex(), Cell<Int?>(nil))
        let (isBuilt, journal) = (OneTimeEvent(), Journal())
        try await together(
            {
                if isMended { await lock.lock() }
                // The mend: the lock is held until the resolver is stored.
                await isBuilt.happen()
                await journal.note()
                await resolver.set(1)
                if isMended { await lock.unlock() }
            },
            {
                await isBuilt.wait()
                let found = await lock.whileLocked { await resolver.value }
                try require(found != nil, else: "the resolver is not stored yet")
            })
    }
}
