extension RuntimeLayout {
    /// Tests the layout of resumptions ahead of time, since the test takes a while.
    static func prepareForRecording() {
        _ = self.knowsResumption
    }

    /// Returns the addresses at which a suspended task and its callers resume, the innermost first.
    ///
    /// - Parameter job: The task's job, or the job of an actor that only this task has just called.
    /// - Returns: The addresses; empty if they are not known.
    static func resumption(of job: UnownedJob) -> [UInt] {
        self.knowsResumption ? self.readResumption(of: job) : []
    }
}

#if os(Linux) && (arch(x86_64) || arch(arm64)) && compiler(>=6.3) && compiler(<6.4)
    extension RuntimeLayout {
        // A job ends with its resume function, followed by the context in the case of a task, or by the actor in the
        // case of an actor. A context begins with its caller's context and the function that resumes it.
        private static let (functionOffset, contextOffset, actorOffset) = (56, 64, 64)
        private static let callerFunctionOffset = 8
        /// The offset in an actor of the task that called it last; the lowest bits are flags.
        private static let askingTaskOffset = 40
        /// The number of callers to walk: the innermost are often the runtime's own.
        private static let mostCallers = 12

        /// True if the resumption of a task that calls an actor, and then yields there, is found where it should be.
        private static let knowsResumption: Bool = {
            let (executor, actor) = (HoldingExecutor(), ProbeActor())
            let address = unsafe UnsafeRawPointer(Unmanaged.passUnretained(actor).toOpaque())
            // Ends with the jobs that are run here.
            _ = Task(executorPreference: executor) { await actor.probe() }
            var found = 0
            while let job = executor.takeAll().first {
                // An address that is not as expected is not dereferenced.
                let isActor = JobKind(of: JobIdentity(ExecutorJob(job))) == .actor
                let isFound = unsafe actorAddress(of: job) == address
                if !isActor || isFound {
                    if CodeNames.function(of: readResumption(of: job)) == ProbeActor.functionName { found += 1 }
                }
                unsafe ExecutorJob(job).runSynchronously(on: executor.asUnownedTaskExecutor())
            }
            return isKnown && found >= 2
        }()

        private actor ProbeActor {
            static let functionName = "RuntimeLayout.ProbeActor.probe()"

            private var calls = 0

            /// Calls the actor, before and after a yield.
            func probe() async {
                self.calls += 1
                await Task.yield()
                self.calls += 1
            }
        }

        private static func readResumption(of job: UnownedJob) -> [UInt] {
            let identity = JobIdentity(ExecutorJob(job))
            if identity.taskID != 0 { return unsafe self.readResumption(ofTask: self.address(of: job)) }
            guard JobKind(of: identity) == .actor, let actor = unsafe self.actorAddress(of: job) else { return [] }
            let task = unsafe actor.load(fromByteOffset: self.askingTaskOffset, as: UInt.self) & ~7
            guard let task = unsafe UnsafeRawPointer(bitPattern: task) else { return [] }
            return unsafe self.readResumption(ofTask: task)
        }

        private static func readResumption(ofTask task: UnsafeRawPointer) -> [UInt] {
            var functions = [unsafe task.load(fromByteOffset: self.functionOffset, as: UInt.self)]
            var next = unsafe task.load(fromByteOffset: self.contextOffset, as: UInt.self)
            while functions.count <= self.mostCallers, next % 8 == 0,
                let context = unsafe UnsafeRawPointer(bitPattern: next)
            {
                functions.append(unsafe context.load(fromByteOffset: self.callerFunctionOffset, as: UInt.self))
                next = unsafe context.load(as: UInt.self)
            }
            return functions
        }

        private static func actorAddress(of job: UnownedJob) -> UnsafeRawPointer? {
            unsafe self.address(of: job).load(fromByteOffset: self.actorOffset, as: UnsafeRawPointer?.self)
        }
    }
#else
    extension RuntimeLayout {
        private static var knowsResumption: Bool { false }

        private static func readResumption(of job: UnownedJob) -> [UInt] { [] }
    }
#endif
