internal import Foundation

/// The attributes of a file.
package struct FileFacts {
    private let status: stat

    /// Reads the attributes of the file at a path, or of a link's target; `nil` if there is none.
    package init?(path: String, followsLink: Bool = false) throws(FileProblem) {
        var status = stat()
        guard unsafe (followsLink ? stat(path, &status) : lstat(path, &status)) == 0 else {
            let problem = FileProblem(errno)
            guard problem.isAbsence else { throw problem }
            return nil
        }
        self.status = status
    }

    /// Reads the attributes of an open file.
    init(descriptor: Int32) throws(FileProblem) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw FileProblem(errno) }
        self.status = status
    }

    /// Returns true if a path leads to a folder; links are followed.
    package static func isFolder(_ path: String) -> Bool {
        (try? Self(path: path, followsLink: true))?.isFolder == true
    }

    /// Returns the length of the file at a path; `nil` if there is none, or if other users may have written it.
    package static func lengthOfOwnFile(_ path: String) -> Int64? {
        guard let facts = try? Self(path: path), facts.isRegular, facts.isOwn else { return nil }
        return facts.length
    }

    package var isRegular: Bool { self.status.st_mode & S_IFMT == S_IFREG }
    package var isFolder: Bool { self.status.st_mode & S_IFMT == S_IFDIR }
    var isLink: Bool { self.status.st_mode & S_IFMT == S_IFLNK }
    var belongsToUser: Bool { self.status.st_uid == geteuid() }
    /// True if only this user can have written it: the library trusts its own files only then.
    package var isOwn: Bool { self.belongsToUser && self.status.st_mode & (S_IWGRP | S_IWOTH) == 0 }
    /// The permissions, without the set-user-ID and set-group-ID bits.
    var permissions: mode_t { self.status.st_mode & 0o777 }
    /// The length of the file in bytes.
    package var length: Int64 { max(0, Int64(self.status.st_size)) }
    /// The length, clamped to a range in which sums cannot overflow.
    package var size: Int { min(max(0, Int(self.status.st_size)), 1 << 40) }

    /// In seconds since 1970.
    var lastUse: Double { self.status.accessTime.seconds }
    /// In seconds since 1970.
    var modified: Double { self.status.modificationTime.seconds }

    package func isSameFile(as other: FileFacts) -> Bool {
        self.isOnVolume(of: other) && self.status.st_ino == other.status.st_ino
    }

    func isOnVolume(of other: FileFacts) -> Bool { self.status.st_dev == other.status.st_dev }

    /// Checks that it is a regular file of this user, which others cannot have written.
    func checkOwnFile() throws(FileProblem) {
        guard self.isRegular else { throw .occupied }
        guard self.isOwn else { throw .foreign }
    }
}

/// A system error number, or another problem with a file.
package struct FileProblem: Error, Hashable, CustomStringConvertible {
    package let number: Int32

    package init(_ number: Int32) { self.number = number }

    /// The name of a cache file is taken by something else.
    package static let occupied = FileProblem(-3)
    /// Other users could have written it.
    package static let foreign = FileProblem(-1)
    /// The file is larger than allowed.
    package static let tooLarge = FileProblem(-2)

    /// True if the disk or the user's quota is full.
    var isFullDisk: Bool { self.number == ENOSPC || self.number == EDQUOT }
    /// True if there is no file at the path.
    package var isAbsence: Bool { self.number == ENOENT || self.number == ENOTDIR }

    package var description: String {
        switch self {
        case .occupied: "the name of one of its files is taken by something else"
        case .foreign: "it belongs to another user, or others can write to it: restrict it to this user (chmod go-w)"
        case .tooLarge: "it is larger than allowed"
        default: unsafe String(cString: strerror(self.number))
        }
    }
}

extension timespec {
    /// Creates a time in seconds since 1970, clamped to the range that all file systems support.
    init(seconds: Double) {
        let seconds = seconds.isFinite ? min(max(seconds, 0), 4e9) : 0
        self.init(tv_sec: time_t(seconds), tv_nsec: Int(seconds.truncatingRemainder(dividingBy: 1) * 1e9))
    }

    var seconds: Double { Double(self.tv_sec) + Double(self.tv_nsec) / 1e9 }
}
