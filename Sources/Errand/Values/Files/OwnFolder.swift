internal import Foundation

/// The rule for the library's own folders: they belong to this user, and other users cannot write to them.
package enum OwnFolder {
    /// Creates a folder that only this user can access; an existing one is left unchanged.
    ///
    /// - Parameters:
    ///   - path: The folder.
    ///   - makesParents: Pass true to create its parent folders too.
    /// - Returns: True if it was created, false if it existed.
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
        // Without write permission, there may be an existing folder.
        let isThere = (try? FileFacts(path: path, followsLink: true)) != nil
        guard isThere || [EEXIST, EISDIR].contains(problem.number) else { throw problem }
        return false
    }

    /// Checks a folder, or the target of a link that belongs to this user.
    ///
    /// - Parameters:
    ///   - path: The folder.
    ///   - mayBeLink: True if the user has chosen it; inside the library's folders, a link is never its own.
    /// - Throws: ``FileProblem``; ``FileProblem/foreign`` if other users could have written to it.
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
