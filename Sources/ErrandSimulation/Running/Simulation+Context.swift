internal import ErrandLocks

extension Simulation {
    /// The environment of a scenario: time, chance, and a trace.
    public struct Context: Sendable {
        /// The seed of this run's chance.
        public var seed: UInt64 {
            self.random.noteUse()
            return self.chanceSeed
        }

        /// The virtual clock; it jumps to its earliest sleeper whenever no job is ready.
        public let clock: TestClock

        /// A random source that follows from the seed of the run; using it does not change which jobs are picked.
        public let random: SimulationRandom

        /// The executor of this run, for unstructured tasks: a plain `Task { }` would leave the simulation.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        public var executor: any TaskExecutor { self.simulationExecutor }

        let chanceSeed: UInt64
        let faults: FaultPoints
        let points = ReachedPoints()
        let simulationExecutor: SimulationExecutor
        private let log: Log

        init(seed: UInt64, executor: SimulationExecutor) {
            self.chanceSeed = seed
            self.faults = FaultPoints(seed: seed)
            self.clock = TestClock(observer: executor)
            // A sequence that differs from the one from which the executor picks.
            self.random = SimulationRandom(seed: SplitMix64.mix(~seed))
            self.simulationExecutor = executor
            self.log = Log()
        }

        /// Adds a line with the virtual time to the trace, which is part of the run's report.
        public func trace(_ message: String) {
            StepRecorder.note(.trace)
            self.log.append("[\(self.clock.now)] \(message)")
            self.simulationExecutor.note(message)
        }

        /// Suspends the calling task and makes it ready again; the strategy picks the next ready task.
        public func yield() async {
            await Task.yield()
        }

        var lines: [String] { self.log.lines }
    }

    private final class Log: Sendable {
        private let state = Locked<[String]>(unobserved: [])

        var lines: [String] { self.state.withLock { $0 } }

        func append(_ line: String) {
            self.state.withLock { $0.append(line) }
        }
    }
}
