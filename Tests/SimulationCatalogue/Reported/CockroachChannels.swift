extension ReportedBug {
    static let cockroach1462 = ReportedBug(
        "cockroach#1462", .channel,
        "A stopper waits for a worker that sends an event to a loop which has stopped already."
    ) { isMended, _ in
        let channels = Channels()
        let (events, stopped) = (channels.channel("events"), channels.channel("stopped"))
        let workers = WaitGroup(1)
        try await together(
            { while try await channels.select([.receive(events), .receive(stopped)]).name != "stopped" {} },
            {
                // The mend: the worker stops as well.
                if isMended {
                    _ = try await channels.select([.send(events, 1), .receive(stopped)])
                } else {
                    try await events.send()
                }
                try await workers.done()
            },
            {
                try await stopped.close()
                await workers.wait()
            })
    }

    static let cockroach10790 = ReportedBug(
        "cockroach#10790", .channel,
        "A command that is cancelled stops receiving from the commands before it, whose sender waits forever."
    ) { isMended, _ in
        let channels = Channels()
        // The mend: the results fit into the channel.
        let (results, cancelled) = (channels.channel("results", capacity: isMended ? 2 : 0), channels.channel("cancel"))
        try await together(
            {
                for _ in 0..<2 {
                    let choice = try await channels.select([.receive(results), .receive(cancelled)])
                    if choice.name == "cancel" { return }
                }
            },
            { for number in 0..<2 { try await results.send(number) } },
            { try await cancelled.close() })
    }

    static let cockroach13197 = ReportedBug(
        "cockroach#13197", .cancellation,
        "A transaction that fails to begin is not cancelled, and the task that waits for its end is leaked."
    ) { isMended, _ in
        let (isOpen, ended) = (Cell(true), OneTimeEvent())
        try await together(
            { await ended.wait() },
            {
                guard await isOpen.value else {
                    // The mend: a failure ends the transaction.
                    if isMended { await ended.happen() }
                    return
                }
                await ended.happen()
            },
            { await isOpen.set(false) })
    }

    static let cockroach18101 = ReportedBug(
        "cockroach#18101", .cancellation,
        "The cancellation of a restore stops the task that takes ranges out of a channel, but not those that fill it."
    ) { isMended, _ in
        let channels = Channels()
        let (ready, cancelled) = (channels.channel("ready"), channels.channel("cancelled"))
        let scatter: @Sendable () async throws -> Void = {
            for _ in 0..<2 {
                // The mend: senders are cancelled, too.
                let stop = isMended ? [Channels.Case.receive(cancelled)] : []
                if try await channels.select([.send(ready, 1)] + stop).name == "cancelled" { return }
            }
        }
        try await together(
            {
                for _ in 0..<4
                where try await channels.select([.receive(ready), .receive(cancelled)]).name == "cancelled" { return }
            },
            scatter, scatter, { try await cancelled.close() })
    }

    static let cockroach2448 = ReportedBug(
        "cockroach#2448", .channel,
        "The Raft loop sends an event to the store, which sends a callback to the Raft loop: neither receives."
    ) { isMended, _ in
        let channels = Channels()
        let (commits, events) = (channels.channel("commits", capacity: 2), channels.channel("events"))
        let callbacks = channels.channel("callbacks")
        try await together(
            {
                var (sent, called) = (0, 0)
                while sent < 2 || called < 2 {
                    let choice = try await channels.select([.receive(callbacks), .receive(commits)])
                    called += choice.name == "callbacks" ? 1 : 0
                    guard choice.name == "commits" else { continue }
                    // The mend: callbacks are received while an event waits.
                    while isMended,
                        try await channels.select([.send(events, 1), .receive(callbacks)]).name == "callbacks"
                    { called += 1 }
                    if !isMended { try await events.send() }
                    sent += 1
                }
            },
            {
                for _ in 0..<2 {
                    try await events.receive()
                    try await callbacks.send()
                }
            },
            {
                try await commits.send()
                try await commits.send()
            })
    }

    static let cockroach24808 = ReportedBug(
        "cockroach#24808", .channel,
        "A compactor sends itself a first suggestion before it receives any, and another one already fills the channel."
    ) { isMended, _ in
        let suggestions = Channels().channel("suggestions", capacity: 1)
        try await together(
            {
                // The mend: one suggestion is enough.
                if isMended { _ = try await suggestions.trySend() } else { try await suggestions.send() }
                try await suggestions.receive()
            },
            { _ = try await suggestions.trySend() })
    }

    static let cockroach25456 = ReportedBug(
        "cockroach#25456", .channel,
        "After a failed check, a queue asks whether the store drains by waiting until it does."
    ) { isMended, _ in
        let (draining, hasMoved, queues) = (Channels().channel("draining"), Cell(false), WaitGroup(1))
        try await together(
            {
                if await hasMoved.value {
                    // The mend: the question does not wait.
                    if isMended { _ = try await draining.tryReceive() } else { try await draining.receive() }
                }
                try await queues.done()
            },
            { await hasMoved.set(true) },
            {
                await queues.wait()
                try await draining.close()
            })
    }

    static let cockroach35073 = ReportedBug(
        "cockroach#35073", .cancellation,
        "An outbox that fails when it starts leaves its channel of rows open, and the producer of the rows waits."
    ) { isMended, _ in
        let channels = Channels()
        let (rows, closed) = (channels.channel("rows", capacity: 1), channels.channel("closed"))
        let isReachable = Cell(true)
        try await together(
            {
                guard await isReachable.value else {
                    // The mend: a failed outbox closes its side.
                    if isMended { try await closed.close() }
                    return
                }
                for _ in 0..<3 { try await rows.receive() }
            },
            {
                for _ in 0..<3
                where try await channels.select([.receive(closed), .send(rows, 1)]).name == "closed" { return }
            },
            { await isReachable.set(false) })
    }

    static let cockroach35931 = ReportedBug(
        "cockroach#35931", .channel,
        "A cancellation is written to the inputs of a processor one after the other: the first is full, and the "
            + "processor waits for the second."
    ) { isMended, _ in
        let channels = Channels()
        let (left, right) = (channels.channel("left", capacity: 1), channels.channel("right", capacity: 1))
        let isCancelled = Cell(false)
        let (row, end) = (0, 1)
        try await together(
            {
                await isCancelled.set(true)
                // The mend: no input waits for another.
                if isMended {
                    try await together({ try await left.send(end) }, { try await right.send(end) })
                } else {
                    try await left.send(end)
                    try await right.send(end)
                }
            },
            { if await !isCancelled.value { try await left.send(row) } },
            {
                while try await right.receive() != end {}
                while try await left.receive() != end {}
            })
    }

    static let cockroach4407 = ReportedBug(
        "cockroach#4407", .misuse,
        "A worker is added to a stopper that has already waited for all of them, and runs after the stop."
    ) { isMended, _ in
        let (workers, lock, isStopping) = (WaitGroup(), AsyncMutex(), Cell(false))
        let (hasStopped, ranLate) = (Cell(false), Cell(false))
        try await together(
            {
                await lock.lock()
                // The mend: no worker is added once the stop has begun.
                let mayStart = isMended ? await !isStopping.value : true
                if mayStart { await workers.add() }
                await lock.unlock()
                guard mayStart else { return }
                if await hasStopped.value { await ranLate.set(true) }
                try await workers.done()
            },
            {
                await lock.whileLocked { await isStopping.set(true) }
                await workers.wait()
                await hasStopped.set(true)
            })
        try require(await !ranLate.value, else: "a worker ran after the stop")
    }
}
