internal import CErrandFiles
package import Foundation

/// Changes of names in folders, each in one step.
package enum FileSystem {
    /// Gives a file another name, in place of what has that.
    package static func move(_ path: String, to place: String) throws(FileProblem) {
        guard unsafe rename(path, place) == 0 else { throw FileProblem(errno) }
    }

    /// Gives a file another name, unless something has that; returns whether the name was free.
    static func move(_ path: String, toNew place: String) throws(FileProblem) -> Bool {
        if unsafe errand_rename_to_new(path, place) == 0 { return true }
        guard errno == EEXIST else { throw FileProblem(errno) }
        return false
    }

    /// Removes a file if that can be: one that is left does no harm.
    package static func discard(_ path: String) { _ = try? Self.remove(path) }

    /// Removes a file; returns whether there was one.
    package static func remove(_ path: String) throws(FileProblem) -> Bool {
        if unsafe unlink(path) == 0 { return true }
        let problem = FileProblem(errno)
        guard problem.isAbsence else { throw problem }
        return false
    }

    /// Says who may use a file.
    package static func setPermissions(_ mode: mode_t, of path: String) throws(FileProblem) {
        guard unsafe chmod(path, mode) == 0 else { throw FileProblem(errno) }
    }
}
