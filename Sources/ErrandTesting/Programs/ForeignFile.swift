package import Foundation

/// A way for a file or folder to be one that others could have written.
package enum ForeignFile: Sendable, CaseIterable {
    case writableByGroup, writableByAll, otherUser

    /// The ways that this user can make: only the system's user can give files away.
    package static var possible: [ForeignFile] {
        geteuid() == 0 ? Self.allCases : [.writableByGroup, .writableByAll]
    }

    /// Makes a file or folder one that others could have written.
    ///
    /// - Throws: `CocoaError` when that cannot be done.
    package func apply(to url: URL) throws {
        let result =
            switch self {
            case .writableByGroup: unsafe chmod(url.path, 0o770)
            case .writableByAll: unsafe chmod(url.path, 0o707)
            case .otherUser: unsafe chown(url.path, 12_345, 12_345)
            }
        guard result == 0 else { throw CocoaError(.fileWriteNoPermission) }
    }
}
