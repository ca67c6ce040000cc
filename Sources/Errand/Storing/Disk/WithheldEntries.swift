internal import struct Foundation.Date

/// Entries that were removed, may still be on the disk, and are not answered.
///
/// They are not gone yet, or the system refused to remove or to read them.
struct WithheldEntries {
    /// A file that was to go.
    struct Refusal: Equatable {
        /// The file, if the system told that much.
        let mark: FileMark?
        /// When it was to go, in seconds since 1970.
        let time: Double

        /// Whether something has come in its place since.
        func isOutlived(by facts: FileFacts) -> Bool {
            if let mark { facts.mark != mark } else { facts.modified > self.time }
        }
    }

    /// Entries that somebody chose to remove.
    struct Choice {
        let isChosen: @Sendable (CacheItem) -> Bool
        /// When that was, in seconds since 1970: what was stored later is another matter.
        let time: Double

        func includes(_ item: CacheItem, at now: Double) -> Bool {
            let storedAt = item.storedAt.timeIntervalSince1970
            // What comes from the future was stored before a clock was moved back.
            return (storedAt <= self.time || storedAt > now) && self.isChosen(item)
        }
    }

    private(set) var refusals: [SHA256: Refusal] = [:]
    /// What was chosen while some could not be read.
    private var choices: [Choice] = []
    /// Those that could not be read then; `nil` if that may be any.
    private(set) var unjudged: Set<SHA256>? = []

    /// So many are kept apart; with entries that nobody chose only time is lost.
    private static let mostChoices = 16
    private static let mostRefusals = 65_536

    /// Whether there is none.
    var isEmpty: Bool { self.refusals.isEmpty && !self.hasChoices }

    /// Whether something was chosen that could not be looked at.
    var hasChoices: Bool { !self.choices.isEmpty }

    /// Whether the file of this digest must not be answered, whatever it has.
    func contains(_ digest: SHA256) -> Bool { self.refusals[digest] != nil }

    /// Whether an entry was chosen, and could not be looked at.
    func chooses(_ digest: SHA256, _ item: @autoclosure () -> CacheItem, at now: Double) -> Bool {
        guard self.hasChoices, self.unjudged?.contains(digest) ?? true else { return false }
        let item = item()
        return self.choices.contains { $0.includes(item, at: now) }
    }

    // MARK: - Changing

    /// Takes note of a removal that waits: it is certain to be carried out, or refused.
    mutating func insertWaiting(_ digest: SHA256, at now: Double) {
        self.refusals[digest] = Refusal(mark: nil, time: now)
    }

    /// Takes note of a removal that was refused.
    mutating func insert(_ digest: SHA256, _ mark: FileMark?, at now: Double) {
        self.refusals[digest] = Refusal(mark: mark, time: now)
        guard self.refusals.count > Self.mostRefusals else { return }
        (self.refusals, self.unjudged, self.choices) = ([:], nil, [Self.choiceOfAll(at: now)])
    }

    mutating func remove(_ digest: SHA256) {
        self.refusals[digest] = nil
    }

    /// Forgets refusals that are over, but for those that were made anew.
    mutating func remove(_ refusals: [SHA256: Refusal]) {
        for (digest, refusal) in refusals where self.refusals[digest] == refusal { self.remove(digest) }
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
        self.unjudged = sweep.isComplete ? Set(sweep.unreadable) : nil
        self.settle(sweep, at: now)
    }

    /// Takes over what came of judging one file anew.
    mutating func take(_ sweep: CacheSweep, ofOne digest: SHA256, at now: Double) {
        if sweep.unreadable.isEmpty { self.unjudged?.remove(digest) }
        self.settle(sweep, at: now)
    }

    /// Takes over what is gone, and what could not be removed.
    mutating func settle(_ sweep: CacheSweep, at now: Double) {
        if self.unjudged?.isEmpty == true { self.choices = [] }
        for digest in sweep.removed { self.remove(digest) }
        for (digest, mark) in sweep.refused { self.insert(digest, mark, at: now) }
    }

    private static func choiceOfAll(at now: Double) -> Choice {
        Choice(isChosen: { _ in true }, time: now)
    }
}

/// What came of removing the entries that somebody chose.
struct CacheSweep {
    /// How many were chosen and are gone.
    var count = 0
    /// Those that are gone, damaged ones included.
    var removed: [SHA256] = []
    /// Those that could not be removed, and which files that were.
    var refused: [(digest: SHA256, mark: FileMark?)] = []
    /// Those that could not be read to judge them.
    var unreadable: [SHA256] = []
    /// Whether all were looked at.
    var isComplete = true
}
