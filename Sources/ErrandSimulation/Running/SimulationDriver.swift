internal import Dispatch

/// The loop of a simulation: runs ready jobs one by one, and moves the clock when no job is ready.
struct SimulationDriver: Sendable {
    /// The reason why the loop ended.
    enum Ending {
        case ended
        case stuck
        case tooManySteps
        case tooLate
        case interrupted
        case misfit
        case blocked
    }

    /// The number of jobs to run after the end, so that the remaining tasks can end too.
    private static let closingSteps = 10_000

    /// The upper limit of a run's patience: a day.
    private static let longestPatience = Duration.seconds(86_400)

    let executor: SimulationExecutor
    let clock: TestClock
    let reach: Simulation.Reach
    let limits: Simulation.Limits

    /// Runs the scenario on the calling thread until it ends or cannot proceed.
    ///
    /// Each turn of the loop runs a job, moves the clock or waits for a counted arrival, so the step limit bounds the
    /// loop.
    ///
    /// - Returns: The reason for the end, and the number of jobs that were run and of jumps of the clock.
    func drive() -> (ending: Ending, steps: Int) {
        self.executor.start()
        var steps = 0
        let mayBeLate = self.limits.timeLimit != nil
        while true {
            let now = self.executor.isRecording ? self.clock.now.offset : .zero
            let isOver = steps >= self.limits.maxSteps
            switch self.executor.takeNext(isLimited: isOver || (mayBeLate && self.isLate), at: now) {
            case .job(let job):
                self.run(job)
                self.executor.observer?.end()
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

    /// Ends the tasks that outlive the scenario: closes the clock, and runs the ready jobs for a while.
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

    /// Moves the clock to the next sleeper; without one, waits for other threads up to the scenario's patience.
    ///
    /// If the scenario stays on the executor, waiting is pointless: only this thread could make a job ready.
    private func findMore() -> Bool {
        if self.jumpToNextSleeper() { return true }
        guard self.limits.patience > .zero else { return false }
        let nanoseconds = min(self.limits.patience, Self.longestPatience).wholeNanoseconds
        // A task on another thread may have gone to sleep meanwhile, which does not submit a job.
        return self.executor.waitForArrival(until: .now() + .nanoseconds(nanoseconds)) || self.jumpToNextSleeper()
    }

    /// True if the scenario has moved the clock past its time limit.
    private var isLate: Bool {
        self.limits.timeLimit.map { self.clock.now.offset > $0 } ?? false
    }

    /// True if the next sleeper wakes after the time limit.
    private var nextIsLate: Bool {
        guard let limit = self.limits.timeLimit, let deadline = self.clock.nextSleeperDeadline else { return false }
        return deadline.offset > limit
    }

    private func jumpToNextSleeper() -> Bool {
        self.executor.observer?.jump()
        guard self.clock.advanceToNextSleeper() else { return false }
        self.executor.note(jumpTo: self.clock.now)
        return true
    }
}
