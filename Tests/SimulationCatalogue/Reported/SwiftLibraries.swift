extension ReportedBug {
    static let asyncAlgorithms80 = ReportedBug(
        "swift-async-algorithms#80", .cancellation,
        "A channel is cancelled when its sender is about to wait: the cancellation finds none, and the sender waits."
    ) { isMended, _ in
        let emission = Emission(isMended: isMended)
        try await together({ await emission.send() }, { await emission.cancel() })
    }

    static let asyncAlgorithms303 = ReportedBug(
        "swift-async-algorithms#303", .lockOrder,
        "A continuation is resumed under a lock and takes the task's lock, under which a cancellation takes the first."
    ) { isMended, _ in
        // The lock of a state machine, and the runtime's lock of a task's status.
        let (state, status) = (AsyncMutex(), AsyncMutex())
        let waiters = Cell(1)
        try await together(
            {
                await state.lock()
                let isWaiting = await waiters.value > 0
                // The mend: the continuation is resumed after the lock is released.
                if isMended { await state.unlock() }
                if isWaiting { await status.whileLocked {} }
                if !isMended { await state.unlock() }
            },
            { await status.whileLocked { await state.whileLocked { await waiters.set(0) } } })
    }

    static let dataLoader27 = ReportedBug(
        "GraphQLSwift/DataLoader#27", .atomicity,
        "A value resumes its waiters and then removes them from another actor: one that comes in between is dropped."
    ) { isMended, _ in
        let (waiters, isFulfilled, lock) = (Cell([OneTimeEvent]()), Cell(false), AsyncMutex())
        let wait: @Sendable () async -> Void = {
            let waiter = OneTimeEvent()
            if isMended { await lock.lock() }
            let mustWait = await !isFulfilled.value
            if mustWait { await waiters.update { $0.append(waiter) } }
            if isMended { await lock.unlock() }
            if mustWait { await waiter.wait() }
        }
        try await together(
            wait,
            {
                // The mend: no other call comes between the resumption and the removal.
                if isMended { await lock.lock() }
                for waiter in await waiters.value { await waiter.happen() }
                await waiters.set([])
                await isFulfilled.set(true)
                if isMended { await lock.unlock() }
            })
    }

    static let okta170 = ReportedBug(
        "okta-mobile-swift#170", .misuse,
        "Two callers refresh one credential at once, and each refresh completes the waiting callers: they resume twice."
    ) { isMended, _ in
        let (waiting, resumed, journal) = (Cell([Int]()), Cell([Int]()), Journal())
        let refresh: @Sendable (Int) async -> Void = { caller in
            await waiting.update { $0.append(caller) }
            // The mend: one of the callers refreshes for all.
            let isFirst = await waiting.value.first == caller
            if isMended, !isFirst { return }
            await journal.note()
            let callers = await waiting.value
            await resumed.update { $0 += callers }
            await waiting.update { $0.removeAll { callers.contains($0) } }
        }
        try await together({ await refresh(1) }, { await refresh(2) })
        let callers = await resumed.value
        try require(Set(callers).count == callers.count, else: "resumed: \(callers)")
    }

    static let container684 = ReportedBug(
        "apple/container#684", .atomicity,
        "A service that stops waits for its process, and a shutdown meanwhile finds it running and stops it again."
    ) { isMended, _ in
        let (isRunning, stops, lock, journal) = (Cell(true), Cell(0), AsyncMutex(), Journal())
        let stop: @Sendable () async -> Void = {
            // The mend: all transitions are made under a lock.
            if isMended { await lock.lock() }
            if await isRunning.value {
                await stops.update { $0 += 1 }
                await journal.note()
                await isRunning.set(false)
            }
            if isMended { await lock.unlock() }
        }
        try await together(stop, stop)
        let count = await stops.value
        try require(count == 1, else: "the process was stopped \(count) times")
    }
}

/// The state of a channel with one sender.
private actor Emission {
    private var isCancelled = false
    private var sender: CheckedContinuation<Void, Never>?
    private let journal = Journal()
    private let isMended: Bool

    init(isMended: Bool) { self.isMended = isMended }

    func send() async {
        await self.journal.note()
        // The mend: a cancellation that came first is remembered.
        if self.isMended, self.isCancelled { return }
        await withCheckedContinuation { self.sender = $0 }
    }

    func cancel() {
        self.isCancelled = true
        self.sender?.resume()
        self.sender = nil
    }
}
