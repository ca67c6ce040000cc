/// What is wrong with the folder of a disk cache.
enum CacheProblem: Hashable, CustomStringConvertible {
    case unreadable(FileProblem)
    case unwritable(FileProblem)
    case unremovable(FileProblem)
    /// Answers came faster than the disk takes them.
    case hasty
    /// Something that is not a regular file has the name of an entry.
    case occupied(SHA256)

    /// What the system says is wrong, where it is the folder that is.
    var cause: FileProblem? {
        switch self {
        case .unreadable(let problem), .unwritable(let problem), .unremovable(let problem): problem
        case .hasty, .occupied: nil
        }
    }

    var description: String {
        switch self {
        case .unreadable(let problem): "stored answers cannot be read: \(problem)"
        case .unwritable(let problem): "answers cannot be stored: \(problem)"
        case .unremovable(let problem): "stored answers cannot be removed: \(problem)"
        case .hasty: "answers come faster than they can be written: some were not stored"
        case .occupied(let digest): "\(digest).errand is not a regular file, and is left alone"
        }
    }
}

/// Problems, each of which is told once until it is known to be over.
struct CacheNotices {
    private var told: Set<CacheProblem> = []
    private var waiting: [CacheProblem] = []

    /// Nobody may ever come for them.
    private static let limit = 100

    mutating func take(_ reports: [CacheKeeper.Report]) {
        for report in reports {
            switch report {
            case .problem(let problem): self.note(problem)
            case .wrote(let digest): self.forget(writingWorkedFor: digest)
            }
        }
    }

    mutating func note(_ problem: CacheProblem) {
        // One trouble keeps answers from being read, stored and removed: it is told once.
        if let cause = problem.cause, self.told.contains(where: { $0.cause == cause }) { return }
        // There are as many names as entries, but few other problems.
        if problem.cause == nil, self.told.count >= Self.limit { return }
        if self.told.insert(problem).inserted { self.waiting.append(problem) }
    }

    /// An entry could be written: its name is free, and so is the way to the disk.
    private mutating func forget(writingWorkedFor digest: SHA256) {
        guard !self.told.isEmpty else { return }
        self.told = self.told.filter { problem in
            guard case .occupied(let other) = problem else { return false }
            return other != digest
        }
    }

    mutating func take() -> String? {
        self.waiting.isEmpty ? nil : self.waiting.removeFirst().description
    }
}
