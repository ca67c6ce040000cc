/// What is wrong with the folder of a disk cache, each thing once until entries can be stored again.
struct CacheNotices {
    private var told: Set<FileProblem?> = []
    private var waiting: [String] = []

    /// Takes note of what the system refuses, in whatever it shows first.
    mutating func note(_ words: String, _ problem: FileProblem) {
        if self.told.insert(problem).inserted { self.waiting.append("\(words): \(problem)") }
    }

    mutating func noteHaste() {
        guard self.told.insert(nil).inserted else { return }
        self.waiting.append("answers come faster than they can be written: some were not stored")
    }

    /// Entries could be written.
    mutating func forget() { self.told.formIntersection([nil, .occupied]) }

    mutating func take() -> String? { self.waiting.isEmpty ? nil : self.waiting.removeFirst() }
}
