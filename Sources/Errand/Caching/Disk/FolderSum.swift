internal import Foundation

/// How many bytes the entries in a folder have, written down there for all who change them.
struct FolderSum {
    static let name = ".errand-bytes"
    private static let magic = Array("ERRBYTES".utf8)
    private static let size = 24
    /// More is no sum of files, and could not be added to.
    private static let most: UInt64 = 1 << 60

    private let path: String

    init(folder path: String) {
        self.path = "\(path)/\(Self.name)"
    }

    /// - Returns: Nothing if nobody wrote it down, or that cannot be read.
    func read() -> Int? {
        guard let file = try? OpenFile(reading: self.path), let bytes = try? file.read(Self.size + 1),
            bytes.count == Self.size
        else { return nil }
        var reader = ByteReader(bytes[...])
        guard (try? reader.take(Self.magic.count))?.elementsEqual(Self.magic) == true,
            let sum: UInt64 = try? reader.number(), let check: UInt64 = try? reader.number(), check == ~sum
        else { return nil }
        return sum <= Self.most ? Int(sum) : nil
    }

    /// - Returns: Whether it could be written; what is of someone else is left alone.
    func write(_ sum: Int) -> Bool {
        let number = UInt64(clamping: sum)
        var writer = ByteWriter()
        writer.write(Self.magic)
        writer.write(number)
        writer.write(~number)
        guard self.isOurs, let file = try? OpenFile(overwriting: self.path) else { return false }
        return (try? file.write(writer.bytes)) != nil
    }

    /// Nobody has counted from now on.
    func discard() {
        if self.isOurs { _ = unsafe unlink(self.path) }
    }

    /// Whether there is nothing else at the path.
    private var isOurs: Bool {
        do throws(FileProblem) {
            let facts = try FileFacts(path: self.path)
            return facts.isRegular && facts.size <= Self.size
        } catch {
            return error.number == ENOENT
        }
    }
}
