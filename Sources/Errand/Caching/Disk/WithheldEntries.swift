internal import Foundation

/// Entries that were removed, may still be on the disk, and are not answered.
///
/// They are not gone yet, or the system refused to remove or to read them.
struct WithheldEntries {
    /// Entries chosen for removal while the folder could not be read.
    struct Choice {
        let isChosen: @Sendable (CacheItem) -> Bool
        /// When that was, in seconds since 1970: what was stored later is another matter.
        let madeAt: Double

        func includes(_ item: CacheItem) -> Bool {
            item.storedAt.timeIntervalSince1970 <= self.madeAt && self.isChosen(item)
        }
    }

    private var digests: Set<SHA256> = []
    private(set) var choices: [Choice] = []

    /// So many choices are kept apart.
    private static let mostChoices = 16

    /// Whether the file of this digest must not be answered, whatever it has.
    func contains(_ digest: SHA256) -> Bool { self.digests.contains(digest) }

    mutating func insert(_ digest: SHA256) {
        self.digests.insert(digest)
    }

    mutating func remove(_ digest: SHA256) {
        self.digests.remove(digest)
    }

    /// Takes over what came of removing the entries of a choice and those of all earlier ones.
    mutating func take(_ sweep: CacheSweep, of choice: Choice) {
        if !self.digests.isEmpty { self.digests.subtract(sweep.removed) }
        self.digests.formUnion(sweep.refused)
        self.choices = sweep.isComplete ? [] : self.choices + [choice]
        // With entries that nobody chose only time is lost.
        if self.choices.count > Self.mostChoices {
            self.choices = [Choice(isChosen: { _ in true }, madeAt: choice.madeAt)]
        }
    }
}

/// What came of removing the entries that somebody chose.
struct CacheSweep {
    /// Those that are gone.
    var removed: [SHA256] = []
    /// Those that could not be removed, or not be read to judge them.
    var refused: [SHA256] = []
    /// Whether the folder could be read.
    var isComplete = true
}
