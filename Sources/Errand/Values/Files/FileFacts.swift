internal import Foundation

/// What the system tells of a file.
struct FileFacts {
    private let status: stat

    init(_ status: stat) { self.status = status }

    /// What is at a path itself, not where a link leads; `nil` if nothing is.
    init?(path: String) throws(FileProblem) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            if FileProblem(errno).isAbsence { return nil }
            throw FileProblem(errno)
        }
        self.status = status
    }

    var isRegular: Bool { self.status.st_mode & S_IFMT == S_IFREG }
    var isFolder: Bool { self.status.st_mode & S_IFMT == S_IFDIR }
    /// Within what can be summed up, whatever the system says.
    var size: Int { min(max(0, Int(self.status.st_size)), 1 << 40) }

    #if canImport(Darwin)
        private var times: (lastUse: timespec, modified: timespec) {
            (self.status.st_atimespec, self.status.st_mtimespec)
        }
    #else
        private var times: (lastUse: timespec, modified: timespec) { (self.status.st_atim, self.status.st_mtim) }
    #endif

    /// Seconds since 1970.
    var lastUse: Double { self.times.lastUse.seconds }
    /// Seconds since 1970.
    var modified: Double { self.times.modified.seconds }

    func isSameFile(as other: FileFacts) -> Bool {
        self.status.st_dev == other.status.st_dev && self.status.st_ino == other.status.st_ino
    }
}

/// The number of an error of the system.
struct FileProblem: Error, Hashable, CustomStringConvertible {
    let number: Int32

    init(_ number: Int32) { self.number = number }

    /// Something has the name of a file of the cache, and is none.
    static let occupied = FileProblem(EEXIST)

    /// Whether it says that there is no room on the disk, or none for this user.
    var isFullDisk: Bool { self.number == ENOSPC || self.number == EDQUOT }
    /// Whether it says that nothing is at the path.
    var isAbsence: Bool { self.number == ENOENT || self.number == ENOTDIR }

    var description: String {
        self == .occupied
            ? "something else has the name of one of its files" : unsafe String(cString: strerror(self.number))
    }
}

extension timespec {
    /// Seconds since 1970; those that no file system knows are brought to the nearest that all do.
    init(seconds: Double) {
        let seconds = seconds.isFinite ? min(max(seconds, 0), 4e9) : 0
        self.init(tv_sec: time_t(seconds), tv_nsec: Int(seconds.truncatingRemainder(dividingBy: 1) * 1e9))
    }

    var seconds: Double { Double(self.tv_sec) + Double(self.tv_nsec) / 1e9 }
}
