internal import ErrandSimulation

extension ReportedBug {
    static let kotlin2380 = ReportedBug(
        "kotlinx.coroutines#2380", .forgottenUnlock,
        "A lock that becomes free just before a task suspends is given to the task, which is cancelled and keeps it."
    ) { isMended, simulation in
        // No simulation runs on older systems.
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        let (lock, journal) = (AsyncMutex(), Journal())
        let waiter = Task(executorPreference: simulation.executor) {
            await lock.lock()
            if Task.isCancelled {
                // The mend: a cancelled task gives the lock back.
                if isMended { await lock.unlock() }
                throw CancellationError()
            }
            await lock.unlock()
        }
        try await together(
            { await lock.whileLocked { await journal.note() } },
            { waiter.cancel() })
        _ = await waiter.result
        await lock.whileLocked {}
    }

    static let kotlin1323 = ReportedBug(
        "kotlinx.coroutines#1323", .atomicity,
        "The cancellation of a waiter always lets the next one in, also if the waiter had no permit: two are inside."
    ) { isMended, _ in
        let semaphore = Semaphore(isMended: isMended)
        let (inside, most, journal) = (Cell(0), Cell(0), Journal())
        let use: @Sendable (Int) async -> Void = { id in
            guard await semaphore.acquire(id) else { return }
            let count = await inside.update { $0 += 1 }
            await most.update { $0 = max($0, count) }
            await journal.note()
            await inside.update { $0 -= 1 }
            await semaphore.release()
        }
        try await together({ await use(1) }, { await use(2) }, { await use(3) }, { await semaphore.cancel(2) })
        let holders = await most.value
        try require(holders == 1, else: "\(holders) tasks hold one permit")
    }

    static let corefx32262 = ReportedBug(
        "dotnet/corefx#32262", .lockOrder,
        "A request is cancelled with its token locked and takes the pool's lock, under which a connection is handed "
            + "over, which locks the token."
    ) { isMended, _ in
        let (pool, token) = (AsyncMutex(), AsyncMutex())
        try await together(
            {
                await token.lock()
                // The mend: a cancelled waiter stays in the pool's queue, and is dropped when it is found.
                if !isMended { await pool.whileLocked {} }
                await token.unlock()
            },
            { await pool.whileLocked { await token.whileLocked {} } })
    }

    static let httpcore830 = ReportedBug(
        "encode/httpcore#830", .cancellation,
        "A request that is cancelled after it has entered the pool's queue stays there, and those behind it wait."
    ) { isMended, _ in
        let (queue, isCancelled, first) = (Cell([1]), Cell(false), Channels().channel("turn", capacity: 1))
        try await together(
            {
                if await isCancelled.value {
                    // The mend: a cancelled request leaves the queue.
                    if isMended { await queue.update { $0.removeAll { $0 == 1 } } }
                } else {
                    await queue.update { $0.removeAll { $0 == 1 } }
                }
                // The end of a request lets the next one look.
                try await first.send()
            },
            { await isCancelled.set(true) },
            {
                await queue.update { $0.append(2) }
                while await queue.value.first != 2 { try await first.receive() }
            })
    }

    static let aiohttp9671 = ReportedBug(
        "aiohttp#9671", .lostSignal,
        "A waiter that has been woken for a free connection times out, and does not wake the next one."
    ) { isMended, _ in
        let channels = Channels()
        let (free, timeout) = (channels.channel("free", capacity: 1), channels.channel("timeout"))
        let timedOut = Cell(false)
        try await together(
            {
                guard try await channels.select([.receive(free), .receive(timeout)]).name == "free" else { return }
                // The mend: a waiter that does not use the connection wakes the next one.
                let leaves = await timedOut.value
                if !leaves || isMended { try await free.send() }
            },
            {
                await timedOut.set(true)
                try await timeout.close()
            },
            { try await free.send() },
            { try await free.receive() })
    }

    static let tokio3660 = ReportedBug(
        "tokio#3660", .atomicity,
        "A notification of all waiters reads the state and writes it back: a permit that comes in between is lost."
    ) { isMended, _ in
        let state = Cell((permits: 0, generation: 0))
        try await together(
            {
                // The mend: the generation grows in one step.
                if isMended { return _ = await state.update { $0.generation += 1 } }
                let seen = await state.value
                await state.set((seen.permits, seen.generation + 1))
            },
            { await state.update { $0.permits = 1 } })
        let (permits, generation) = await state.value
        try require(permits == 1 && generation == 1, else: "\(permits) permits, generation \(generation)")
    }

    static let tokio2134 = ReportedBug(
        "tokio#2134", .lostSignal,
        "A receiver frees a slot and signals without the lock, between the sender's look and its wait."
    ) { isMended, _ in
        let (lock, freed, slots) = (AsyncMutex(), SimpleSignal(), Cell(0))
        try await together(
            {
                await lock.lock()
                while await slots.value == 0 {
                    let ticket = await freed.ticket
                    // The mend: the wait begins under the lock, so that no signal precedes it.
                    await lock.unlock()
                    await freed.wait(after: isMended ? ticket : nil)
                    await lock.lock()
                }
                await lock.unlock()
            },
            {
                if isMended { await lock.lock() }
                await slots.set(1)
                await freed.signal()
                if isMended { await lock.unlock() }
            })
    }

    static let asyncHttpClient1113 = ReportedBug(
        "AsyncHttpClient#1113", .atomicity,
        "A connection that a cleaner has found idle is taken out of the pool before the cleaner closes it."
    ) { isMended, _ in
        let (idle, isClosed, journal) = (Cell<Int?>(1), Cell(false), Journal())
        try await together(
            {
                guard let connection = await idle.take(), connection == 1 else { return }
                await journal.note()
                try require(await !isClosed.value, else: "the connection was closed in use")
            },
            {
                // The mend: who closes a connection takes it out of the pool first.
                let found = isMended ? await idle.take() : await idle.value
                if found != nil { await isClosed.set(true) }
            })
    }
}

extension Cell where Value == Int? {
    /// Returns the value and leaves `nil`.
    fileprivate func take() -> Int? {
        defer { self.set(nil) }
        return self.value
    }
}

/// A semaphore of one permit whose waiters can be cancelled.
private actor Semaphore {
    private var isTaken = false
    private var waiting: [(id: Int, continuation: CheckedContinuation<Bool, Never>)] = []
    private let isMended: Bool

    init(isMended: Bool) { self.isMended = isMended }

    func acquire(_ id: Int) async -> Bool {
        guard self.isTaken else {
            self.isTaken = true
            return true
        }
        return await withCheckedContinuation { self.waiting.append((id, $0)) }
    }

    func release() {
        if self.waiting.isEmpty {
            self.isTaken = false
        } else {
            self.waiting.removeFirst().continuation.resume(returning: true)
        }
    }

    func cancel(_ id: Int) {
        guard let index = self.waiting.firstIndex(where: { $0.id == id }) else { return }
        self.waiting.remove(at: index).continuation.resume(returning: false)
        // The mend: only a waiter that holds the permit passes it on.
        if !self.isMended { self.release() }
    }
}

/// A signal that only a task that waits receives, unless it has a ticket from before.
private actor SimpleSignal {
    private(set) var ticket = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func wait(after ticket: Int?) async {
        if let ticket, ticket < self.ticket { return }
        await withCheckedContinuation { self.waiting.append($0) }
    }

    func signal() {
        self.ticket += 1
        for continuation in self.waiting { continuation.resume() }
        self.waiting = []
    }
}
