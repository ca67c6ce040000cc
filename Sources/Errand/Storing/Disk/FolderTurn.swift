internal import Foundation
internal import Synchronization

/// The right to change the entries in a folder and what is written down of them: of all caches in all processes one has
/// it at a time, until the value is let go of or the process ends.
struct FolderTurn: ~Copyable {
    /// What is taken; `nil` if the folder cannot be opened.
    private let folder: OpenFile?
    private let file: FolderCountFile
    /// What is in that file, as far as this turn knows.
    private var content: FolderCountFile.Content
    /// Whether nobody else has had a turn since this one began.
    private var isSole: Bool
    /// When it was last written down that this turn goes on.
    private var lastSign = ContinuousClock.now

    fileprivate init(_ folder: consuming OpenFile?, isSole: Bool, _ file: FolderCountFile) {
        self.folder = folder
        self.file = file
        self.content = file.read()
        self.isSole = isSole
    }

    private var count: FolderCount? {
        guard case .count(let count) = self.content else { return nil }
        return count
    }

    /// How many bytes all entries have; `nil` if nobody has counted them, or others may be changing that.
    var bytes: Int? { self.isSole ? self.count?.bytes : nil }

    /// Differs from what it was at the end of an earlier turn when others have changed something since.
    var changes: UInt64? { self.count?.changes }

    /// Whether the bytes could be counted now for all who have a turn after this one.
    var isUncounted: Bool { self.isSole && self.bytes == nil && self.content != .foreign }

    /// Takes note of how many bytes all entries have.
    mutating func note(bytes: Int) {
        self.write { $0.replacing(bytes: bytes) }
    }

    /// Takes note of bytes that come, before they do, or of those that went: when the process dies in between there are
    /// not more than that.
    mutating func note(change: Int) {
        self.write { $0.adding(change) }
    }

    /// Shows those who wait that this turn goes on; called often while something takes long, does so now and then.
    mutating func showProgress() {
        let now = ContinuousClock.now
        guard now - self.lastSign >= FolderTurns.signStep else { return }
        self.lastSign = now
        self.write { $0.replacing(bytes: nil) }
    }

    private mutating func write(_ next: (FolderCount) -> FolderCount) {
        let present = self.file.read()
        // Who waited in vain goes on without a turn, and then the number of bytes is nothing to count on.
        self.isSole = self.isSole && present == self.content
        self.content = present
        var count: FolderCount
        switch present {
        case .foreign: return
        case .nothing: count = next(FolderCount(bytes: nil, changes: .random(in: .min ... .max)))
        case .count(let last): count = next(last)
        }
        if !self.isSole { count.bytes = nil }
        if self.file.write(count) {
            self.content = .count(count)
        } else {
            self.file.remove()
            self.isSole = false
        }
    }
}

/// The turns at one folder.
final class FolderTurns: Sendable {
    private let path: String
    private let file: FolderCountFile
    /// Whether the last wait was in vain: beside a writer that was stopped each change would wait anew.
    private let waitedInVain = Atomic<Bool>(false)

    /// So often one tries, a ten-thousandth of a second after another, while there is no sign that the other goes on.
    private static let mostTries = 5000
    /// So much time passes between two signs of one who goes on: less than that of all tries.
    fileprivate static let signStep = Duration.milliseconds(100)
    /// So many signs are believed: minutes.
    private static let mostSigns = 600
    /// So often after that was in vain: longer than any one change takes.
    private static let fewTries = 10

    init(folder path: String) {
        // The folder itself, also where it is given as a link to one.
        self.path = "\(path)/."
        self.file = FolderCountFile(folder: path)
    }

    /// Waits for others who change the folder, and takes it.
    ///
    /// One that counts what is in the folder is waited for, however long that takes, as long as it shows that it goes on.
    /// One that was stopped just then does not hold up all others for ever, and some file systems know no such thing:
    /// then it goes on without, and nobody counts on what is written down of the bytes.
    ///
    /// - Parameter waiting: Called whenever another has it.
    /// - Returns: The turn.
    func take(waiting: () -> Void) -> FolderTurn {
        do throws(FileProblem) {
            let folder = try OpenFile(reading: self.path)
            let isSole = self.wait(for: folder, waiting)
            return FolderTurn(folder, isSole: isSole, self.file)
        } catch {
            return FolderTurn(nil, isSole: false, self.file)
        }
    }

    private func wait(for folder: borrowing OpenFile, _ waiting: () -> Void) -> Bool {
        var tries = self.waitedInVain.load(ordering: .relaxed) ? Self.fewTries : Self.mostTries
        var (content, signs) = (FolderCountFile.Content?.none, 0)
        while true {
            let isTaken = folder.take()
            if isTaken == false {
                waiting()
                content = content ?? self.file.read()
            }
            tries -= 1
            if isTaken == false, tries == 0, signs < Self.mostSigns, case let present = self.file.read(),
                present != content
            {
                (content, signs, tries) = (present, signs + 1, Self.mostTries)
            }
            if isTaken != false || tries == 0 {
                self.waitedInVain.store(isTaken == false, ordering: .relaxed)
                return isTaken == true
            }
            usleep(100)
        }
    }
}
