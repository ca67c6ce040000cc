extension ReportedBug {
    static let bluetoothDriver = ReportedBug(
        "SCTBench CS.bluetooth_driver", .atomicity,
        "A driver sees that it is not stopping and then counts its request: the stop in between finds none pending."
    ) { isMended, _ in
        let (pending, isStopping, hasStopped) = (Cell(1), Cell(false), Cell(false))
        let finish: @Sendable () async -> Void = {
            if await pending.update({ $0 -= 1 }) == 0 { await hasStopped.set(true) }
        }
        try await together(
            {
                // The mend: the request is counted before the look.
                if isMended { _ = await pending.update { $0 += 1 } }
                let mayRun = await !isStopping.value
                if !isMended, mayRun { _ = await pending.update { $0 += 1 } }
                if mayRun { try require(await !hasStopped.value, else: "a request runs after the stop") }
                if mayRun || isMended { await finish() }
            },
            {
                await isStopping.set(true)
                await finish()
            })
    }

    static let carter01 = ReportedBug(
        "SCTBench CS.carter01", .lockOrder,
        "The first user of a class takes the resource under the lock of the counters, which its last user needs."
    ) { isMended, _ in
        let resource = AsyncMutex()
        // The mend: each class has a lock of its own for its counter.
        let first = AsyncMutex()
        let guards = [first, isMended ? AsyncMutex() : first]
        let use: @Sendable (Int) async -> Void = { kind in
            await guards[kind].whileLocked { await resource.lock() }
            await guards[kind].whileLocked { await resource.unlock() }
        }
        try await together({ await use(0) }, { await use(1) })
    }

    static let circularBuffer = ReportedBug(
        "SCTBench CS.circular_buffer", .orderViolation,
        "A producer and a consumer pass a flag, and each gives up its turn if the flag is not its own: numbers differ."
    ) { isMended, _ in
        let (isFull, buffer, turns) = (Cell(false), Cell(0), Channels().channel("turns"))
        try await together(
            {
                for number in 0..<3 {
                    // The mend: a turn is waited for instead of being given up.
                    if isMended {
                        try await turns.send(number)
                    } else if await !isFull.value {
                        await buffer.set(number)
                        await isFull.set(true)
                    }
                }
            },
            {
                for number in 0..<3 {
                    if isMended {
                        try await turns.receive()
                    } else if await isFull.value {
                        let found = await buffer.value
                        try require(found == number, else: "\(number) was expected, and \(found) came")
                        await isFull.set(false)
                    }
                }
            })
    }

    static let stack = ReportedBug(
        "SCTBench CS.stack", .atomicity,
        "A consumer pops because something was pushed once, though it has popped it already."
    ) { isMended, _ in
        let (elements, hasPushed) = (Cell([Int]()), Cell(false))
        try await together(
            {
                for number in 0..<3 {
                    await elements.update { $0.append(number) }
                    await hasPushed.set(true)
                }
            },
            {
                for _ in 0..<3 where await hasPushed.value {
                    let isEmpty = await elements.value.isEmpty
                    // The mend: the stack itself is asked.
                    if isMended, isEmpty { continue }
                    try require(!isEmpty, else: "pop of an empty stack")
                    await elements.update { $0.removeLast() }
                }
            })
    }

    static let tokenRing = ReportedBug(
        "SCTBench CS.token_ring", .orderViolation,
        "Three stations copy a value in a ring, and a check that they agree relies on the order in which they ran."
    ) { isMended, _ in
        let values = Cell([1, 2, 1])
        let copy: @Sendable (Int, Int) async -> Void = { from, target in
            _ = await values.update { $0[target] = $0[from] }
        }
        let token = [OneTimeEvent(), OneTimeEvent()]
        try await together(
            {
                await values.update { $0[0] = ($0[2] + 1) % 4 }
                await token[0].happen()
            },
            {
                // The mend: each station waits for the token.
                if isMended { await token[0].wait() }
                await copy(0, 1)
                await token[1].happen()
            },
            {
                if isMended { await token[1].wait() }
                await copy(1, 2)
            })
        let found = await values.value
        try require(Set(found).count == 1, else: "the stations have \(found)")
    }

    static let twoStage = ReportedBug(
        "SCTBench CS.twostage", .atomicity,
        "Two values that belong together are written under two locks; a reader between them sees one only."
    ) { isMended, _ in
        let (first, second) = (AsyncMutex(), AsyncMutex())
        let (input, output) = (Cell(0), Cell(0))
        try await together(
            {
                await first.lock()
                await input.set(1)
                // The mend: the first lock is held for both.
                if !isMended { await first.unlock() }
                await second.whileLocked { await output.set(await input.value + 1) }
                if isMended { await first.unlock() }
            },
            {
                let seen = await first.whileLocked { await input.value }
                let result = await second.whileLocked { await output.value }
                try require(seen == 0 || result == seen + 1, else: "the second stage is missing")
            })
    }

    static let wrongLock = ReportedBug(
        "SCTBench CS.wronglock", .atomicity,
        "Two tasks change one value under different locks, and one change is lost."
    ) { isMended, _ in
        let (data, other) = (AsyncMutex(), AsyncMutex())
        let value = Cell(0)
        let increase: @Sendable (AsyncMutex) async -> Void = { lock in
            await lock.whileLocked { await value.set(await value.value + 1) }
        }
        // The mend: all take the same lock.
        try await together({ await increase(data) }, { await increase(isMended ? data : other) })
        try require(await value.value == 2, else: "an increase is lost")
    }

    static let reorder = ReportedBug(
        "SCTBench CS.reorder", .orderViolation,
        "A task sets two values one after the other; a check of both sees the first without the second."
    ) { isMended, _ in
        let pair = Cell((0, 0))
        let set: @Sendable () async -> Void = {
            // The mend: both are set in one step.
            if isMended { return await pair.set((1, -1)) }
            await pair.update { $0.0 = 1 }
            await pair.update { $0.1 = -1 }
        }
        try await together(
            set, set,
            {
                let (first, second) = await pair.value
                try require(first == -second, else: "\(first) and \(second) do not belong together")
            })
    }

    static let workStealing = ReportedBug(
        "SCTBench chess.WSQ", .atomicity,
        "The owner of a queue takes its last element while a thief that has looked at it takes it, too."
    ) { isMended, _ in
        let (elements, taken, lock) = (Cell([1, 2]), Cell([Int]()), AsyncMutex())
        let take: @Sendable (_ isOwner: Bool) async -> Void = { isOwner in
            // The mend: the look and the removal are under one lock.
            if isMended { await lock.lock() }
            let seen = await elements.value
            if let element = isOwner ? seen.last : seen.first {
                await elements.update { $0.removeAll { $0 == element } }
                await taken.update { $0.append(element) }
            }
            if isMended { await lock.unlock() }
        }
        try await together(
            {
                await take(true)
                await take(true)
            },
            { await take(false) })
        let found = await taken.value
        try require(Set(found).count == found.count, else: "taken: \(found)")
    }

    static let stringBuffer = ReportedBug(
        "SCTBench stringbuffer-jdk1.4", .atomicity,
        "An append asks another buffer for its length and then copies as many characters: it was shortened in between."
    ) { isMended, _ in
        let (source, target) = (Cell([1, 2, 3]), Cell([Int]()))
        try await together(
            {
                let count = await source.value.count
                let characters = await source.value
                // The mend: the length is that of what is copied.
                let copied = isMended ? characters.count : count
                try require(copied <= characters.count, else: "\(copied) of \(characters.count) characters")
                await target.set(Array(characters.prefix(copied)))
            },
            { await source.set([]) })
    }

    static let aget = ReportedBug(
        "SCTBench aget-bug2", .atomicity,
        "An interrupted download saves the bytes of its parts while they still write: what it saves is not what it has."
    ) { isMended, _ in
        let (written, saved, isInterrupted) = (Cell([0, 0]), Cell<[Int]?>(nil), Cell(false))
        let parts = WaitGroup(2)
        let download: @Sendable (Int) async throws -> Void = { part in
            for _ in 0..<3 where await !isInterrupted.value { _ = await written.update { $0[part] += 1 } }
            try await parts.done()
        }
        try await together(
            { try await download(0) }, { try await download(1) },
            {
                await isInterrupted.set(true)
                // The mend: the parts have ended before their bytes are saved.
                if isMended { await parts.wait() }
                await saved.set(await written.value)
            })
        let (had, kept) = (await written.value, await saved.value)
        try require(had == kept, else: "written: \(had), saved: \(kept ?? [])")
    }

    static let pbzip2 = ReportedBug(
        "SCTBench pbzip2-0.9.4", .orderViolation,
        "The main task discards the queue once all is written, while a consumer still looks at the queue."
    ) { isMended, _ in
        let (queue, written, consumer) = (Cell<[Int]?>([1, 2]), OneTimeEvent(), OneTimeEvent())
        try await together(
            {
                while true {
                    let blocks = try await queue.value.orViolation("the queue is gone")
                    if blocks.isEmpty { break }
                    await queue.set(Array(blocks.dropFirst()))
                    if blocks.count == 1 { await written.happen() }
                }
                await consumer.happen()
            },
            {
                await written.wait()
                // The mend: the consumer has ended before its queue is discarded.
                if isMended { await consumer.wait() }
                await queue.set(nil)
            })
    }
}

extension Optional {
    /// Returns the value; throws an `InvariantViolation` if it is `nil`.
    fileprivate func orViolation(_ description: String) throws -> Wrapped {
        guard let self else { throw InvariantViolation(description: description) }
        return self
    }
}
