internal import Dispatch

/// The loop of a simulation: runs ready jobs one by one, and moves the clock when there are none.
struct SimulationDriver: Sendable {
    /// How the loop came to its end.
    enum Ending {
        case ended
        case stuck
        case tooManySteps
        case interrupted
    }

    /// How many jobs are run after the end, so that the tasks left over can end too.
    private static let closingSteps = 10_000

    /// No run waits longer than a day, whatever its patience.
    private static let longestPatience = Duration.seconds(86_400)

    let executor: SimulationExecutor
    let clock: TestClock
    let maxSteps: Int
    let patience: Duration

    /// Runs the scenario on the calling thread until it ends or cannot go on.
    ///
    /// Each turn of the loop runs a job, moves the clock or waits for a counted arrival, so that the limit on steps
    /// bounds it.
    ///
    /// - Returns: How it ended, and the number of jobs that were run and of jumps of the clock.
    func drive() -> (ending: Ending, steps: Int) {
        self.executor.start()
        var steps = 0
        while !self.executor.hasEnded {
            // Before a job is taken: one that is taken must be run.
            if steps >= self.maxSteps { return (.tooManySteps, steps) }
            switch self.executor.takeNext() {
            case .job(let job): self.run(job)
            case .nothing: guard self.findMore() else { return (.stuck, steps) }
            case .interrupted: return (.interrupted, steps)
            }
            steps += 1
        }
        return (.ended, steps)
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
        unsafe ExecutorJob(job).runSynchronously(on: self.executor.asUnownedTaskExecutor())
    }

    /// Moves the clock to the next sleeper; if there is none, waits as long as the scenario's patience for other
    /// threads.
    ///
    /// A scenario that stays on the executor leaves nothing to wait for: only this thread could make a job ready.
    private func findMore() -> Bool {
        if self.jumpToNextSleeper() { return true }
        guard self.patience > .zero else { return false }
        let (seconds, attoseconds) = min(self.patience, Self.longestPatience).components
        let nanoseconds = Int(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
        // A task of another thread may have gone to sleep meanwhile, which brings no job.
        return self.executor.waitForArrival(until: .now() + .nanoseconds(nanoseconds)) || self.jumpToNextSleeper()
    }

    private func jumpToNextSleeper() -> Bool {
        guard self.clock.advanceToNextSleeper() else { return false }
        self.executor.note(jumpTo: self.clock.now)
        return true
    }
}
