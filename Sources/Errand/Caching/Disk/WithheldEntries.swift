internal import struct Foundation.Date

/// Entries that were removed, may still be on the disk, and are not answered.
///
/// They are not gone yet, or the system refused to remove or to read them.
struct WithheldEntries {
    /// Entries that somebody chose to remove.
    struct Choice {
        let isChosen: @Sendable (CacheItem) -> Bool
        /// When that was, in seconds since 1970: what was stored later is another matter.
        let madeAt: Double

        func includes(_ item: CacheItem) -> Bool {
            item.storedAt.timeIntervalSince1970 <= self.madeAt && self.isChosen(item)
        }
    }

    /// Which files nobody could judge.
    private enum Scope {
        case some(Set<SHA256>)
        case all

        func contains(_ digest: SHA256) -> Bool {
            switch self {
            case .some(let digests): digests.contains(digest)
            case .all: true
            }
        }
    }

    /// When each of them was to go.
    private(set) var times: [SHA256: Double] = [:]
    /// What was chosen while some could not be read.
    private var choices: [Choice] = []
    private var unjudged = Scope.some([])

    /// So many are kept apart; with entries that nobody chose only time is lost.
    private static let mostChoices = 16
    private static let mostTimes = 65_536

    /// Whether there is none.
    var isEmpty: Bool { self.times.isEmpty && !self.hasChoices }

    /// Whether something was chosen that could not be looked at.
    var hasChoices: Bool { !self.choices.isEmpty }

    /// The files that could not be looked at; nothing if that may be any.
    var unjudgedDigests: Set<SHA256>? {
        guard case .some(let digests) = self.unjudged else { return nil }
        return digests
    }

    /// Whether the file of this digest must not be answered, whatever it has.
    func contains(_ digest: SHA256) -> Bool { self.times[digest] != nil }

    /// Whether an entry was chosen, and could not be looked at.
    func chooses(_ digest: SHA256, _ item: @autoclosure () -> CacheItem) -> Bool {
        guard self.hasChoices, self.unjudged.contains(digest) else { return false }
        let item = item()
        return self.choices.contains { $0.includes(item) }
    }

    mutating func insert(_ digest: SHA256, at now: Double) {
        self.times[digest] = now
        guard self.times.count > Self.mostTimes else { return }
        (self.times, self.unjudged, self.choices) = ([:], .all, [Self.choiceOfAll(at: now)])
    }

    mutating func remove(_ digest: SHA256) {
        self.times[digest] = nil
    }

    /// Takes over what came of removing the entries of all choices.
    ///
    /// - Parameters:
    ///   - sweep: What came of it.
    ///   - choice: The newest of them, if there is a new one.
    ///   - now: The time, in seconds since 1970.
    mutating func take(_ sweep: CacheSweep, of choice: Choice? = nil, at now: Double) {
        if let choice { self.choices.append(choice) }
        if self.choices.count > Self.mostChoices { self.choices = [Self.choiceOfAll(at: now)] }
        self.unjudged = sweep.isComplete ? .some(Set(sweep.unreadable)) : .all
        self.take(sweep, at: now)
    }

    /// Takes over what came of judging one file anew.
    mutating func take(_ sweep: CacheSweep, ofOne digest: SHA256, at now: Double) {
        if sweep.unreadable.isEmpty, case .some(let digests) = self.unjudged {
            self.unjudged = .some(digests.subtracting([digest]))
        }
        self.take(sweep, at: now)
    }

    /// Takes over what is gone, and what could not be removed.
    mutating func take(_ sweep: CacheSweep, at now: Double) {
        if self.unjudgedDigests?.isEmpty == true { self.choices = [] }
        for digest in sweep.removed { self.remove(digest) }
        for digest in sweep.refused { self.insert(digest, at: now) }
    }

    private static func choiceOfAll(at now: Double) -> Choice {
        Choice(isChosen: { _ in true }, madeAt: now)
    }
}

/// What came of removing the entries that somebody chose.
struct CacheSweep {
    /// How many were chosen and are gone.
    var count = 0
    /// Those that are gone, damaged ones included.
    var removed: [SHA256] = []
    /// Those that could not be removed.
    var refused: [SHA256] = []
    /// Those that could not be read to judge them.
    var unreadable: [SHA256] = []
    /// Whether the folder could be read.
    var isComplete = true
}
