internal import ErrandSimulation

extension ReportedBug {
    static let kubernetes25331 = ReportedBug(
        "kubernetes#25331", .cancellation,
        "A watch that has stopped because of an error still sends a result that the stop does not interrupt."
    ) { isMended, _ in
        let channels = Channels()
        let (results, stopped) = (channels.channel("results"), channels.channel("stopped"))
        try await together(
            { _ = try await channels.select([.receive(results), .receive(stopped)]) },
            // The mend: the stop ends the sending.
            { _ = try await channels.select([.send(results, 1)] + (isMended ? [.receive(stopped)] : [])) },
            { try await stopped.close() })
    }

    static let kubernetes38669 = ReportedBug(
        "kubernetes#38669", .channel,
        "A watcher that was stopped sends its first events without looking whether anything receives them."
    ) { isMended, _ in
        let channels = Channels()
        let (results, stopped) = (channels.channel("results"), channels.channel("stopped"))
        try await together(
            {
                for event in 0..<2 {
                    // The mend: the stop ends the sending.
                    let stop: [Channels.Case] = isMended ? [.receive(stopped)] : []
                    if try await channels.select(stop + [.send(results, event)]).name == "stopped" { break }
                }
            },
            {
                for _ in 0..<2
                where try await channels.select([.receive(results), .receive(stopped)]).name == "stopped" { return }
            },
            { try await stopped.close() })
    }

    static let kubernetes5316 = ReportedBug(
        "kubernetes#5316", .channel,
        "A request that times out returns, and the task that made its result waits to send it."
    ) { isMended, simulation in
        let channels = Channels()
        // The mend: the result fits into the channel.
        let (result, timeout) = (channels.channel("result", capacity: isMended ? 1 : 0), channels.channel("timeout"))
        try await together(
            { _ = try await channels.select([.receive(result), .receive(timeout)]) },
            {
                try await simulation.clock.sleep(for: .milliseconds(simulation.random.int(in: 1..<20)))
                try await result.send()
            },
            {
                try await simulation.clock.sleep(for: .milliseconds(10))
                try await timeout.close()
            })
    }

    static let kubernetes70277 = ReportedBug(
        "kubernetes#70277", .cancellation,
        "A wait that succeeds does not tell its poller, which ticks until its own timeout, or forever."
    ) { isMended, _ in
        let channels = Channels()
        let (ticks, done) = (channels.channel("ticks"), channels.channel("done"))
        let isTrue = Cell(false)
        try await together(
            {
                for _ in 0..<2 {
                    try await ticks.receive()
                    guard await isTrue.value else { continue }
                    // The mend: the end of the wait is passed on.
                    return isMended ? try await done.close() : ()
                }
            },
            {
                for _ in 0..<2 where try await channels.select([.receive(done), .send(ticks, 1)]).name == "done" {
                    return
                }
            },
            { await isTrue.set(true) })
    }

    static let kubernetes11298 = ReportedBug(
        "kubernetes#11298", .lostSignal,
        "A notifier signals before the service loop waits for it, and never again once it is aborted."
    ) { isMended, _ in
        let (lock, changed, isNotified) = (AsyncMutex(), AsyncCondition(), Cell(false))
        try await together(
            {
                await lock.lock()
                // The mend: the loop waits only as long as there is no notification.
                let isLate = await isNotified.value
                if !isMended || !isLate { await changed.wait(releasing: lock) }
                await lock.unlock()
            },
            {
                await lock.whileLocked { await isNotified.set(true) }
                await changed.signal()
            })
    }

    static let kubernetes13058 = ReportedBug(
        "kubernetes#13058", .misuse,
        "A handler counts a deletion as done before the test has added what it waits for."
    ) { isMended, _ in
        // The mend: the work is added before the handlers run.
        let deletions = WaitGroup(isMended ? 3 : 0)
        try await together(
            {
                if !isMended { await deletions.add(3) }
                await deletions.wait()
            },
            { for _ in 0..<3 { try await deletions.done() } })
    }
}
