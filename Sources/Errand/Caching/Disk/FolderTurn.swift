internal import Foundation
internal import Synchronization

/// The right to change the entries in a folder and what is written down of them: of all caches in all processes one has
/// it at a time, until the value is let go of or the process ends.
struct FolderTurn: ~Copyable {
    /// What is taken; nothing if the folder cannot be opened.
    private let folder: OpenFile?
    private let sum: FolderSum
    /// Whether nobody else can have a turn.
    private let isSole: Bool
    /// How many bytes all entries have; nothing if nobody has counted them, or others may be changing that.
    private(set) var bytes: Int?

    fileprivate init(_ folder: consuming OpenFile?, isSole: Bool, sum: FolderSum) {
        self.folder = folder
        self.sum = sum
        self.isSole = isSole
        self.bytes = isSole ? sum.read() : nil
    }

    /// Whether the bytes could be counted now for all who have a turn after this one.
    var isUncounted: Bool { self.isSole && self.bytes == nil }

    /// Takes note of how many bytes all entries have, or will have in a moment: when the process dies there should not
    /// be more than that.
    mutating func note(bytes: Int) {
        self.bytes = self.isSole && self.sum.write(bytes) ? bytes : nil
        // Others would count on it.
        if self.bytes == nil { self.sum.discard() }
    }

    /// Takes note of bytes that come, before they do, or of those that went.
    mutating func note(change: Int) {
        if let bytes = self.bytes { self.note(bytes: max(0, bytes + change)) } else { self.sum.discard() }
    }
}

/// The turns at one folder.
final class FolderTurns: Sendable {
    private let path: String
    private let sum: FolderSum
    /// Whether the last wait was in vain: beside a writer that was stopped each change would wait anew.
    private let waitedInVain = Atomic<Bool>(false)

    /// So often one tries, a ten-thousandth of a second after another: as long as it takes to look through the folder.
    private static let mostTries = 5000

    init(folder path: String) {
        // The folder itself, also where it is given as a link to one.
        self.path = "\(path)/."
        self.sum = FolderSum(folder: path)
    }

    /// Waits for others who change the folder, and takes it.
    ///
    /// One that was stopped just then does not hold up all others for ever, and some file systems know no such thing:
    /// then it goes on without, and nothing counts that is written down of the bytes.
    ///
    /// - Parameter waiting: Called whenever another has it.
    /// - Returns: The turn.
    func take(waiting: () -> Void) -> FolderTurn {
        do throws(FileProblem) {
            let folder = try OpenFile(reading: self.path)
            let isSole = self.wait(for: folder, waiting)
            return FolderTurn(folder, isSole: isSole, sum: self.sum)
        } catch {
            return FolderTurn(nil, isSole: false, sum: self.sum)
        }
    }

    private func wait(for folder: borrowing OpenFile, _ waiting: () -> Void) -> Bool {
        var tries = self.waitedInVain.load(ordering: .relaxed) ? 1 : Self.mostTries
        while true {
            let isTaken = folder.take()
            if isTaken == false { waiting() }
            tries -= 1
            if isTaken != false || tries == 0 {
                self.waitedInVain.store(isTaken == false, ordering: .relaxed)
                return isTaken == true
            }
            usleep(100)
        }
    }
}
