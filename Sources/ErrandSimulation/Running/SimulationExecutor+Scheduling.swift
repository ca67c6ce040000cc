#if os(Linux) && compiler(>=6.3) && compiler(<6.4)
    @_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) internal import _Concurrency

    // The runtime checks whether a sleeping task's preferred executor conforms to this protocol.
    extension SimulationExecutor: SchedulingExecutor {
        /// Holds a job until the run's clock reaches an instant of a standard clock.
        ///
        /// If the run does not capture sleeps, and for other clocks, the job goes to the executor that would get it
        /// without this conformance.
        func enqueue<C: Clock>(
            _ job: consuming ExecutorJob, at instant: C.Instant, tolerance: C.Duration?, clock: C
        ) {
            guard let sleepClock = self.reach.sleepClock, clock is ContinuousClock || clock is SuspendingClock,
                let delay = clock.now.duration(to: instant) as? Duration
            else { return Self.enqueueGlobally(job, at: instant, tolerance: tolerance, clock: clock) }
            sleepClock.sleep(SleepingJob(UnownedJob(job)), for: delay)
        }

        /// Holds a job for a duration.
        func enqueue<C: Clock>(
            _ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C
        ) {
            self.enqueue(job, at: clock.now.advanced(by: delay), tolerance: tolerance, clock: clock)
        }

        private static func enqueueGlobally<C: Clock>(
            _ job: consuming ExecutorJob, at instant: C.Instant, tolerance: C.Duration?, clock: C
        ) {
            guard let executor = Task.defaultExecutor as? any SchedulingExecutor else {
                // It does not sleep at all, rather than forever.
                return Task.defaultExecutor.enqueue(job)
            }
            executor.enqueue(job, at: instant, tolerance: tolerance, clock: clock)
        }
    }
#endif
