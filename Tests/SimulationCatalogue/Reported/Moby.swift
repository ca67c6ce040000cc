internal import ErrandSimulation

extension ReportedBug {
    static let moby17176 = ReportedBug(
        "moby#17176", .forgottenUnlock,
        "A cleanup that finds no deleted device returns with the lock of all devices."
    ) { isMended, _ in
        let (lock, deleted) = (AsyncMutex(), Cell(1))
        try await together(
            {
                await lock.lock()
                if await deleted.value == 0 {
                    // The mend: the lock is released on this path, too.
                    if isMended { await lock.unlock() }
                    return
                }
                await lock.unlock()
            },
            {
                await deleted.set(0)
                await lock.whileLocked {}
            })
    }

    static let moby21233 = ReportedBug(
        "moby#21233", .channel,
        "A watcher of a transfer that has seen enough ends, and the transfer waits to send its next progress."
    ) { isMended, _ in
        let (progress, isEnough) = (Channels().channel("progress", capacity: 1), Cell(false))
        try await together(
            {
                for number in 0..<3 {
                    // The mend: a progress replaces the one before that was not received.
                    guard isMended else { try await progress.send(number); continue }
                    if try await !progress.trySend(number) { _ = try await progress.tryReceive() }
                }
                try await progress.close()
            },
            { while try await progress.receive() != nil, await !isEnough.value {} },
            { await isEnough.set(true) })
    }

    static let moby27782 = ReportedBug(
        "moby#27782", .channel,
        "A follower of a log removes its watch and waits for the last event, which a reader sends to the follower."
    ) { isMended, _ in
        let channels = Channels()
        let (events, closed) = (channels.channel("events"), channels.channel("closed"))
        let ignored = OneTimeEvent()
        try await together(
            {
                let choice = try await channels.select([.receive(events), .receive(closed)])
                guard choice.name == "closed" else { return }
                // The mend: events are received until the reader has seen that the watch is gone.
                if isMended {
                    try await together({ await ignored.wait() }, { _ = try await events.receive() })
                } else {
                    await ignored.wait()
                }
            },
            {
                try await events.send()
                await ignored.happen()
            },
            { try await closed.close() })
    }

    static let moby28462 = ReportedBug(
        "moby#28462", .heldLock,
        "A container that stops tells its monitor so under its lock, which the monitor takes to handle a probe."
    ) { isMended, _ in
        let channels = Channels()
        let (stop, probes) = (
            channels.channel("stop", capacity: isMended ? 1 : 0), channels.channel("probes", capacity: 1)
        )
        let lock = AsyncMutex()
        try await together(
            {
                while try await channels.select([.receive(stop), .receive(probes)]).name == "probes" {
                    await lock.whileLocked {}
                }
            },
            // The mend: the message does not wait for its receiver.
            { try await lock.whileLocked { try await stop.send() } },
            { try await probes.send() })
    }

    static let moby29733 = ReportedBug(
        "moby#29733", .lostSignal,
        "A plugin that is handled again becomes inactive, and a task that waits for it is not woken when it is active."
    ) { isMended, _ in
        let (lock, activated, isActive) = (AsyncMutex(), AsyncCondition(), Cell(false))
        try await together(
            {
                await lock.lock()
                while await !isActive.value { await activated.wait(releasing: lock) }
                await lock.unlock()
            },
            {
                // The mend: the state changes under the lock of the condition.
                if isMended { await lock.lock() }
                await isActive.set(true)
                await activated.broadcast()
                if isMended { await lock.unlock() }
            })
    }

    static let moby30408 = ReportedBug(
        "moby#30408", .lostSignal,
        "A plugin whose activation fails wakes no waiter, because only an active plugin has a manifest to announce."
    ) { isMended, _ in
        let (lock, activated) = (AsyncMutex(), AsyncCondition())
        let (isReachable, outcome) = (Cell(true), Cell<Bool?>(nil))
        try await together(
            {
                await lock.whileLocked { while await outcome.value == nil { await activated.wait(releasing: lock) } }
            },
            {
                let succeeds = await isReachable.value
                // The mend: a failure is an outcome, too.
                guard succeeds || isMended else { return }
                await lock.whileLocked { await outcome.set(succeeds) }
                await activated.broadcast()
            },
            { await isReachable.set(false) })
    }

    static let moby33781 = ReportedBug(
        "moby#33781", .channel,
        "A health monitor that is stopped returns without the result of the running probe, which waits to send it."
    ) { isMended, simulation in
        let channels = Channels()
        // The mend: the result fits into the channel.
        let (results, stop) = (channels.channel("results", capacity: isMended ? 1 : 0), channels.channel("stop"))
        try await together(
            {
                while true {
                    try await simulation.clock.sleep(for: .seconds(30))
                    async let probe: Void = results.send()
                    let choice = try await channels.select([.receive(stop), .receive(results)])
                    try await probe
                    if choice.name == "stop" { return }
                }
            },
            {
                try await simulation.clock.sleep(for: .seconds(simulation.random.int(in: 1..<4) * 30))
                try await stop.close()
            })
    }

    static let moby4951 = ReportedBug(
        "moby#4951", .lockOrder,
        "A device is activated under its own lock and then the lock of all devices; a removal takes them the other way."
    ) { isMended, _ in
        let (devices, device) = (AsyncMutex(), AsyncMutex())
        try await together(
            {
                if isMended { await devices.lock() }
                await device.lock()
                // The mend: the lock of all devices is always the first.
                if !isMended { await devices.lock() }
                await devices.unlock()
                await device.unlock()
            },
            { await devices.whileLocked { await device.whileLocked {} } })
    }

    static let moby7559 = ReportedBug(
        "moby#7559", .forgottenUnlock,
        "A proxy that loses its connection while it looks up the client continues the loop with its lock held."
    ) { isMended, _ in
        let (lock, isConnected) = (AsyncMutex(), Cell(true))
        try await together(
            {
                for _ in 0..<2 {
                    await lock.lock()
                    if await !isConnected.value {
                        // The mend: the lock is released on this path, too.
                        if isMended { await lock.unlock() }
                        continue
                    }
                    await lock.unlock()
                }
            },
            { await isConnected.set(false) })
    }

    static let moby18412 = ReportedBug(
        "moby#18412", .orderViolation,
        "The output of a command that was killed after a time is read before the command has ended."
    ) { isMended, simulation in
        let channels = Channels()
        let (done, output) = (channels.channel("done", capacity: 1), Cell(0))
        let isKilled = Cell(false)
        try await together(
            {
                for _ in 0..<3 where await !isKilled.value {
                    try await simulation.clock.sleep(for: .seconds(1))
                    await output.update { $0 += 1 }
                }
                try await done.send()
            },
            {
                try await simulation.clock.sleep(for: .seconds(simulation.random.int(in: 1..<9)))
                await isKilled.set(true)
                // The mend: the end of the killed command is awaited.
                if isMended { try await done.receive() }
                let read = await output.value
                if !isMended { try await done.receive() }
                try require(await output.value == read, else: "the output is incomplete")
            })
    }
}
