internal import Foundation

/// What those who change the entries in a folder write down there for each other.
struct FolderCount: Equatable {
    /// How many bytes all entries have; `nil` if nobody has counted them since something was changed without a turn.
    var bytes: Int?
    /// Goes up with every change.
    var changes: UInt64

    /// More is no sum of files, and could not be added to.
    fileprivate static let mostBytes = 1 << 60

    /// The count after a change.
    func adding(_ difference: Int) -> FolderCount {
        FolderCount(bytes: self.bytes.map { Self.sum($0, difference) }, changes: self.changes &+ 1)
    }

    private static func sum(_ bytes: Int, _ difference: Int) -> Int {
        let (sum, isTooMuch) = bytes.addingReportingOverflow(difference)
        return isTooMuch ? self.mostBytes : min(max(0, sum), self.mostBytes)
    }

    /// The count when it is known how many bytes there are, or that nobody knows.
    func replacing(bytes: Int?) -> FolderCount {
        FolderCount(bytes: bytes.map { min($0, Self.mostBytes) }, changes: self.changes &+ 1)
    }
}

/// The file in which a ``FolderCount`` is.
struct FolderCountFile {
    static let name = ".errand-bytes"
    private static let magic = Array("ERRBYTES".utf8)
    private static let size = 32

    /// What is at the place of the file.
    enum Content: Equatable {
        case nothing
        case count(FolderCount)
        /// Something that is not of this library; it is left alone.
        case foreign
    }

    private let path: String

    init(folder path: String) {
        self.path = "\(path)/\(Self.name)"
    }

    func read() -> Content {
        do throws(FileProblem) {
            let file = try OpenFile(reading: self.path)
            let facts = try file.facts()
            guard facts.isRegular, facts.linkCount == 1 else { return .foreign }
            return Self.content(try file.read(Self.size + 1))
        } catch {
            return error.isAbsence ? .nothing : .foreign
        }
    }

    private static func content(_ bytes: [UInt8]) -> Content {
        guard bytes.count <= self.size else { return .foreign }
        // What was lost with the power may be nothing, or zeros.
        guard bytes.contains(where: { $0 != 0 }) else { return .count(FolderCount(bytes: nil, changes: 0)) }
        var reader = ByteReader(bytes[...])
        guard let magic = try? reader.take(self.magic.count), magic.elementsEqual(self.magic) else { return .foreign }
        guard let changes: UInt64 = try? reader.number(), let number: UInt64 = try? reader.number(),
            let check: UInt64 = try? reader.number(), check == Self.check(changes, number)
        else { return .count(FolderCount(bytes: nil, changes: 0)) }
        return .count(FolderCount(bytes: number <= FolderCount.mostBytes ? Int(number) : nil, changes: changes))
    }

    /// - Returns: Whether it could be written.
    func write(_ count: FolderCount) -> Bool {
        let number = count.bytes.map { UInt64(clamping: $0) } ?? .max
        var writer = ByteWriter()
        writer.write(Self.magic)
        writer.write(count.changes)
        writer.write(number)
        writer.write(Self.check(count.changes, number))
        guard let file = try? OpenFile(overwriting: self.path) else { return false }
        return (try? file.write(writer.bytes)) != nil
    }

    func remove() {
        _ = unsafe unlink(self.path)
    }

    private static func check(_ changes: UInt64, _ number: UInt64) -> UInt64 {
        ~(changes &* 31 &+ number)
    }
}
