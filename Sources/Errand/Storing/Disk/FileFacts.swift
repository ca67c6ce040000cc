internal import Foundation

/// What the system tells of a file.
struct FileFacts {
    let isRegular: Bool
    let size: Int
    /// How many names it has.
    let linkCount: Int
    /// Seconds since 1970, as all times here.
    let lastUse: Double
    let modified: Double
    let changed: Double
    /// What tells the file from all others, and its contents from earlier ones if it is a folder.
    let mark: FileMark

    /// More no file has, whatever its system says; sums of them are numbers.
    private static let mostBytes = 1 << 44

    init(_ status: stat) {
        self.isRegular = status.st_mode & S_IFMT == S_IFREG
        self.size = min(Int(clamping: status.st_size), Self.mostBytes)
        self.linkCount = Int(clamping: status.st_nlink)
        #if canImport(Darwin)
            let times = (status.st_atimespec, status.st_mtimespec, status.st_ctimespec)
        #else
            let times = (status.st_atim, status.st_mtim, status.st_ctim)
        #endif
        self.lastUse = times.0.seconds
        self.modified = times.1.seconds
        self.changed = times.2.seconds
        self.mark = FileMark(
            device: UInt64(truncatingIfNeeded: status.st_dev), number: UInt64(truncatingIfNeeded: status.st_ino),
            modified: times.1.seconds)
    }

    var modifiedAt: Date { Date(timeIntervalSince1970: self.modified) }

    /// - Throws: ``FileProblem``.
    init(descriptor: Int32) throws(FileProblem) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw FileProblem(errno) }
        self.init(status)
    }

    /// What is at a path itself, not where a link leads.
    ///
    /// - Throws: ``FileProblem``.
    init(path: String) throws(FileProblem) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { throw FileProblem(errno) }
        self.init(status)
    }
}

struct FileMark: Hashable {
    let device: UInt64
    let number: UInt64
    let modified: Double

    func isSameFile(as other: FileMark) -> Bool {
        self.device == other.device && self.number == other.number
    }
}

/// The number of an error of the system.
struct FileProblem: Error, Hashable, CustomStringConvertible {
    let number: Int32

    init(_ number: Int32) {
        self.number = number
    }

    /// Whether it says that there is no room on the disk, or none for this user.
    var isFullDisk: Bool { self.number == ENOSPC || self.number == EDQUOT }

    /// Whether it says that nothing is at the path.
    var isAbsence: Bool { self.number == ENOENT || self.number == ENOTDIR }

    var description: String { unsafe String(cString: strerror(self.number)) }
}

extension timespec {
    /// Seconds since 1970; those that no file system knows are brought to the nearest that all do.
    init(seconds: Double) {
        let seconds = seconds.isFinite ? min(max(seconds, 0), 4e9) : 0
        self.init(tv_sec: time_t(seconds), tv_nsec: Int(seconds.truncatingRemainder(dividingBy: 1) * 1e9))
    }

    var seconds: Double { Double(self.tv_sec) + Double(self.tv_nsec) / 1e9 }
}
