/// Reads the runtime's own records of jobs and tasks, where their layout is known.
///
/// It serves to explain failures, and to see what the steps of a verification share. It is compiled only for the
/// versions with which it has been tested, and tested again at first use, on a task with a known name; if that fails, it
/// returns no values.
enum RuntimeLayout {
    /// Tests the layout ahead of time, so that it does not happen under a lock.
    static func prepare() {
        _ = self.isKnown
    }

    /// Returns the kind of a job without a task, or `nil` if it is not known.
    static func kind(of job: UnownedJob) -> JobKind? {
        self.isKnown ? self.readKind(of: job) : nil
    }

    /// Returns the name of a task that has not started yet, or `nil` if it has none or it is not known.
    static func name(ofNewTask job: UnownedJob) -> String? {
        self.isKnown ? self.readName(of: job) : nil
    }
}

#if os(Linux) && (arch(x86_64) || arch(arm64)) && compiler(>=6.3) && compiler(<6.4)
    extension RuntimeLayout {
        private static let kindOffset = 32
        private static let statusRecordOffset = 104
        private static let nameRecord: UInt8 = 6
        /// The longest valid list: a task has only a few records.
        private static let mostRecords = 32

        /// True if the layout is that of this runtime.
        static let isKnown: Bool = {
            let executor = HoldingExecutor()
            let name = "a task with a name"
            // Ends with the job that is run here.
            _ = Task(name: name, executorPreference: executor) {}
            let jobs = executor.takeAll()
            let isKnown = jobs.count == 1 && jobs.allSatisfy { Self.readName(of: $0) == name }
            for job in jobs { unsafe ExecutorJob(job).runSynchronously(on: executor.asUnownedTaskExecutor()) }
            return isKnown
        }()

        private static func readKind(of job: UnownedJob) -> JobKind {
            switch unsafe self.address(of: job).load(fromByteOffset: self.kindOffset, as: UInt8.self) {
            case 0: .task
            case 192...194: .actor
            case 195: .yield
            default: .other
            }
        }

        /// Walks the list of records, each of which begins with its kind and a link to the next.
        private static func readName(of job: UnownedJob) -> String? {
            let task = unsafe self.address(of: job)
            var next = unsafe task.load(fromByteOffset: self.statusRecordOffset, as: UInt.self)
            for _ in 0..<self.mostRecords {
                guard next % 8 == 0, let record = unsafe UnsafeRawPointer(bitPattern: next) else { return nil }
                if unsafe record.load(as: UInt8.self) == self.nameRecord {
                    let text = unsafe record.load(fromByteOffset: 16, as: UnsafePointer<CChar>?.self)
                    return unsafe text.map { unsafe String(cString: $0) }
                }
                next = unsafe record.load(fromByteOffset: 8, as: UInt.self)
            }
            return nil
        }

        /// The runtime's record of a job.
        static func address(of job: UnownedJob) -> UnsafeRawPointer {
            unsafe unsafeBitCast(job, to: UnsafeRawPointer.self)
        }
    }
#else
    extension RuntimeLayout {
        static var isKnown: Bool { false }

        private static func readKind(of job: UnownedJob) -> JobKind? { nil }

        private static func readName(of job: UnownedJob) -> String? { nil }
    }
#endif
