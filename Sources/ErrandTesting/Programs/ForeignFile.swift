package import Foundation

/// A modification that makes a file or folder writable by other users.
package enum ForeignFile: Sendable, CaseIterable {
    case writableByGroup, writableByAll, otherUser

    /// The modifications that this user can make: only root can give files away.
    package static var possible: [ForeignFile] {
        geteuid() == 0 ? Self.allCases : [.writableByGroup, .writableByAll]
    }

    /// Applies the modification to a file or folder.
    ///
    /// - Throws: `CocoaError` if that fails.
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
