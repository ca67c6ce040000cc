internal import Foundation
internal import Testing

/// How a file or folder may be one that others could have written.
enum ForeignFile: CaseIterable {
    case writableByGroup, writableByAll, otherUser

    /// Only the system's user can give files away.
    static var possible: [ForeignFile] { geteuid() == 0 ? Self.allCases : [.writableByGroup, .writableByAll] }

    func apply(to url: URL) throws {
        let result =
            switch self {
            case .writableByGroup: unsafe chmod(url.path, 0o770)
            case .writableByAll: unsafe chmod(url.path, 0o707)
            case .otherUser: unsafe chown(url.path, 12_345, 12_345)
            }
        try #require(result == 0)
    }
}
