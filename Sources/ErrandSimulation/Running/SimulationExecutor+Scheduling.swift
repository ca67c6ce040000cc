#if os(Linux) && compiler(>=6.3) && compiler(<6.4)
    @_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) internal import _Concurrency

    // The runtime asks the executor that a sleeping task prefers whether it is one of these.
    extension SimulationExecutor: SchedulingExecutor {
        /// Keeps a job until the clock of the run has come to an instant of a standard clock.
        ///
        /// Where the run does not capture sleeps, and for other clocks, it is left to the executor to which it would
        /// come if this were none of these.
        func enqueue<C: Clock>(
            _ job: consuming ExecutorJob, at instant: C.Instant, tolerance: C.Duration?, clock: C
        ) {
            guard let sleepClock = self.reach.sleepClock, clock is ContinuousClock || clock is SuspendingClock,
                let delay = clock.now.duration(to: instant) as? Duration
            else { return Self.enqueueGlobally(job, at: instant, tolerance: tolerance, clock: clock) }
            sleepClock.sleep(SleepingJob(UnownedJob(job)), for: delay)
        }

        /// Keeps a job for a duration.
        func enqueue<C: Clock>(
            _ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C
        ) {
            self.enqueue(job, at: clock.now.advanced(by: delay), tolerance: tolerance, clock: clock)
        }

        private static func enqueueGlobally<C: Clock>(
            _ job: consuming ExecutorJob, at instant: C.Instant, tolerance: C.Duration?, clock: C
        ) {
            guard let executor = Task.defaultExecutor as? any SchedulingExecutor else {
                // It sleeps no time, rather than for ever.
                return Task.defaultExecutor.enqueue(job)
            }
            executor.enqueue(job, at: instant, tolerance: tolerance, clock: clock)
        }
    }
#endif
