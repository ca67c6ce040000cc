internal import Foundation

/// The one rule for folders in which the library keeps something: they belong to this user, and nobody else may write
/// there.
package enum OwnFolder {
    /// Makes a folder for this user alone; one that is there stays as it is.
    ///
    /// - Parameters:
    ///   - path: The folder.
    ///   - makesParents: Whether those that it lies in are made as well.
    /// - Returns: Whether it was made, and not there before.
    /// - Throws: ``FileProblem``.
    @discardableResult
    package static func make(_ path: String, makesParents: Bool = true) throws(FileProblem) -> Bool {
        guard makesParents else { return try Self.makeOne(path) }
        var place = path.utf8.first == UInt8(ascii: "/") ? "" : "."
        var isMade = false
        for name in path.utf8.split(separator: UInt8(ascii: "/")) {
            place += "/\(Substring(name))"
            isMade = try Self.makeOne(place)
        }
        return isMade
    }

    private static func makeOne(_ path: String) throws(FileProblem) -> Bool {
        if unsafe mkdir(path, 0o700) == 0 { return true }
        let problem = FileProblem(errno)
        // Where one may not write there may be a folder already.
        let isThere = (try? FileFacts(path: path, followsLink: true)) != nil
        guard isThere || [EEXIST, EISDIR].contains(problem.number) else { throw problem }
        return false
    }

    /// Checks a folder: itself, or where a link leads that belongs to this user.
    ///
    /// - Parameters:
    ///   - path: The folder.
    ///   - mayBeLink: Whether somebody has chosen it; a link inside of a folder of the library's is none of its own.
    /// - Throws: ``FileProblem``; ``FileProblem/foreign`` where others could have put something into it.
    package static func check(_ path: String, mayBeLink: Bool = true) throws(FileProblem) {
        var facts = try FileFacts(path: path)
        if mayBeLink, let named = facts, named.isLink {
            guard named.belongsToUser else { throw .foreign }
            facts = try FileFacts(path: path, followsLink: true)
        }
        guard let facts else { throw FileProblem(ENOENT) }
        guard facts.isFolder else { throw FileProblem(ENOTDIR) }
        guard facts.isOwn else { throw .foreign }
    }
}
