internal import Dispatch

/// The loop of a simulation: runs ready jobs one by one, and moves the clock when there are none.
struct SimulationDriver: Sendable {
    /// How the loop came to its end.
    enum Ending {
        case ended
        case stuck
        case tooManySteps
        case tooLate
        case interrupted
        case misfit
        case blocked
    }

    /// How many jobs are run after the end, so that the tasks left over can end too.
    private static let closingSteps = 10_000

    /// No run waits longer than a day, whatever its patience.
    private static let longestPatience = Duration.seconds(86_400)

    let executor: SimulationExecutor
    let clock: TestClock
    let reach: Simulation.Reach
    let limits: Simulation.Limits

    /// Runs the scenario on the calling thread until it ends or cannot go on.
    ///
    /// Each turn of the loop runs a job, moves the clock or waits for a counted arrival, so that the limit on steps
    /// bounds it.
    ///
    /// - Returns: How it ended, and the number of jobs that were run and of jumps of the clock.
    func drive() -> (ending: Ending, steps: Int) {
        self.executor.start()
        var steps = 0
        let mayBeLate = self.limits.timeLimit != nil
        while true {
            let now = self.executor.isRecording ? self.clock.now.offset : .zero
            let isOver = steps >= self.limits.maxSteps
            switch self.executor.takeNext(isLimited: isOver || (mayBeLate && self.isLate), at: now) {
            case .job(let job): self.run(job)
            case .nothing:
                if self.nextIsLate { return (.tooLate, steps) }
                guard self.findMore() else { return (.stuck, steps) }
            case .ended: return (mayBeLate && self.isLate ? .tooLate : .ended, steps)
            case .limit: return (isOver ? .tooManySteps : .tooLate, steps)
            case .interrupted: return (.interrupted, steps)
            case .misfit: return (.misfit, steps)
            }
            steps += 1
        }
    }

    /// Lets the tasks that outlive the scenario end: nobody can sleep any more, and the ready ones run a while.
    func windDown() {
        self.clock.close()
        for _ in 0..<Self.closingSteps {
            guard let job = self.executor.takeRemaining() else { break }
            self.run(job)
        }
        self.executor.close()
    }

    // MARK: - Private helpers

    private func run(_ job: UnownedJob) {
        // No run begins on older systems.
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        if self.reach.contains(.mainActor) { return self.executor.reach.run(job, on: self.executor) }
        unsafe ExecutorJob(job).runSynchronously(on: self.executor.asUnownedTaskExecutor())
    }

    /// Moves the clock to the next sleeper; if there is none, waits as long as the scenario's patience for other
    /// threads.
    ///
    /// A scenario that stays on the executor leaves nothing to wait for: only this thread could make a job ready.
    private func findMore() -> Bool {
        if self.jumpToNextSleeper() { return true }
        guard self.limits.patience > .zero else { return false }
        let nanoseconds = min(self.limits.patience, Self.longestPatience).wholeNanoseconds
        // A task of another thread may have gone to sleep meanwhile, which brings no job.
        return self.executor.waitForArrival(until: .now() + .nanoseconds(nanoseconds)) || self.jumpToNextSleeper()
    }

    /// Whether the scenario has moved the clock past the time at which the run must have ended.
    private var isLate: Bool {
        self.limits.timeLimit.map { self.clock.now.offset > $0 } ?? false
    }

    /// Whether the next sleeper wakes after that time.
    private var nextIsLate: Bool {
        guard let limit = self.limits.timeLimit, let deadline = self.clock.nextSleeperDeadline else { return false }
        return deadline.offset > limit
    }

    private func jumpToNextSleeper() -> Bool {
        guard self.clock.advanceToNextSleeper() else { return false }
        self.executor.note(jumpTo: self.clock.now)
        return true
    }
}
