/// The tasks asleep on a test clock, in the order in which they wake: by deadline, then by registration.
///
/// The array is in reverse order, so that waking removes from its end. With a deadline and an id, binary search finds a
/// sleeper that leaves early.
struct TestClockSleepers {
    struct Sleeper {
        let id: UInt64
        let deadline: TestClock.Instant
        /// The task, for the clock's observer.
        let task: Int
        let waking: Waking
    }

    /// The mechanism that wakes a sleeper.
    enum Waking {
        case continuation(CheckedContinuation<Void, any Error>)
        /// A sleep of the standard library's clocks.
        case job(SleepingJob)
    }

    private var latestFirst: [Sleeper] = []

    /// The number of tasks asleep.
    var count: Int { self.latestFirst.count }

    /// The sleeper that wakes next.
    var first: Sleeper? { self.latestFirst.last }

    /// Inserts a sleeper by its deadline.
    mutating func insert(_ sleeper: Sleeper) {
        self.latestFirst.insert(sleeper, at: self.position(id: sleeper.id, deadline: sleeper.deadline))
    }

    /// Removes one sleeper; returns `nil` if it has been woken already or never slept.
    mutating func remove(id: UInt64, deadline: TestClock.Instant) -> Sleeper? {
        let position = self.position(id: id, deadline: deadline)
        guard position < self.latestFirst.endIndex, self.latestFirst[position].id == id else { return nil }
        return self.latestFirst.remove(at: position)
    }

    /// Removes the sleep of a task on a clock of the standard library, if there is one.
    mutating func removeJob(ofTask taskID: UInt64) -> SleepingJob? {
        for (position, sleeper) in self.latestFirst.enumerated() {
            guard case .job(let job) = sleeper.waking, job.taskID == taskID else { continue }
            self.latestFirst.remove(at: position)
            return job
        }
        return nil
    }

    /// Removes all sleepers that are due, in the order in which they wake.
    mutating func removeDue(at now: TestClock.Instant) -> [Sleeper] {
        var due: [Sleeper] = []
        while let sleeper = self.latestFirst.last, sleeper.deadline <= now {
            due.append(self.latestFirst.removeLast())
        }
        return due
    }

    /// Removes all sleepers, in the order in which they would have woken.
    mutating func removeAll() -> [Sleeper] {
        let all = self.latestFirst.reversed() as [Sleeper]
        self.latestFirst = []
        return all
    }

    // MARK: - Private helpers

    /// The first position whose sleeper does not wake after the given one.
    private func position(id: UInt64, deadline: TestClock.Instant) -> Int {
        var low = self.latestFirst.startIndex
        var high = self.latestFirst.endIndex
        while low < high {
            let middle = (low + high) / 2
            let sleeper = self.latestFirst[middle]
            if (sleeper.deadline, sleeper.id) > (deadline, id) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }
}

extension TestClockSleepers.Sleeper {
    /// Ends the sleep because its time has come.
    func wake() {
        switch self.waking {
        case .continuation(let continuation): continuation.resume()
        case .job(let job): job.wake()
        }
    }

    /// Ends the sleep with `CancellationError`.
    func cancel() {
        switch self.waking {
        case .continuation(let continuation): continuation.resume(throwing: CancellationError())
        case .job(let job): job.cancel()
        }
    }
}
