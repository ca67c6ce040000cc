/// Problems with the folder of a disk cache, each once until entries can be stored again.
struct CacheNotices {
    /// The folder, as notices name it.
    let folder: String
    private var told: Set<FileProblem?> = []
    private var waiting: [String] = []

    init(about folder: String) {
        self.folder = folder
    }

    /// The work with the responses in the folder that failed.
    enum Work: String {
        case store = "responses cannot be stored"
        case read = "stored responses cannot be read"
        case remove = "stored responses cannot be removed"
    }

    /// Takes note of what the system refuses, in whatever it shows first.
    mutating func note(_ work: Work, _ problem: FileProblem) {
        if self.told.insert(problem).inserted { self.waiting.append(self.words(work, problem)) }
    }

    /// Says what the system refuses.
    func words(_ work: Work, _ problem: FileProblem) -> String {
        "\(work.rawValue) in the cache folder \(self.folder): \(problem)"
    }

    mutating func noteHaste() {
        guard self.told.insert(nil).inserted else { return }
        self.waiting.append(
            "responses come faster than they can be written into the cache folder \(self.folder): some were not stored")
    }

    /// Entries could be written.
    mutating func forget() { self.told.formIntersection([nil, .occupied]) }

    mutating func take() -> String? { self.waiting.isEmpty ? nil : self.waiting.removeFirst() }
}
