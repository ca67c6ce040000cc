/// Problems with the folder of a disk cache.
///
/// Each is reported once until entries can be stored again.
struct CacheNotices {
    /// The folder as it is named in notices.
    let folder: String
    private var told: Set<FileProblem?> = []
    private var waiting: [String] = []

    init(about folder: String) {
        self.folder = folder
    }

    /// The operation that failed.
    enum Work: String {
        case store = "responses cannot be stored"
        case read = "stored responses cannot be read"
        case remove = "stored responses cannot be removed"
    }

    /// Records a problem once, whichever operation meets it first.
    mutating func note(_ work: Work, _ problem: FileProblem) {
        if self.told.insert(problem).inserted { self.waiting.append(self.words(work, problem)) }
    }

    /// Describes a problem.
    func words(_ work: Work, _ problem: FileProblem) -> String {
        "\(work.rawValue) in the cache folder \(self.folder): \(problem)"
    }

    mutating func noteHaste() {
        guard self.told.insert(nil).inserted else { return }
        self.waiting.append(
            "responses come faster than they can be written into the cache folder \(self.folder): some were not stored")
    }

    /// Allows problems to be reported again after entries could be written.
    mutating func forget() { self.told.formIntersection([nil, .occupied]) }

    mutating func take() -> String? { self.waiting.isEmpty ? nil : self.waiting.removeFirst() }
}
