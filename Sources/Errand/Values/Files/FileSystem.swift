internal import CErrandFiles
package import Foundation

/// Atomic changes of names in folders.
package enum FileSystem {
    /// Renames a file, replacing an existing one.
    package static func move(_ path: String, to place: String) throws(FileProblem) {
        guard unsafe rename(path, place) == 0 else { throw FileProblem(errno) }
    }

    /// Renames a file unless the name is taken; returns true if it was free.
    static func move(_ path: String, toNew place: String) throws(FileProblem) -> Bool {
        if unsafe errand_rename_to_new(path, place) == 0 { return true }
        guard errno == EEXIST else { throw FileProblem(errno) }
        return false
    }

    /// Removes a file, ignoring errors: a remaining file is harmless.
    package static func discard(_ path: String) { _ = try? Self.remove(path) }

    /// Removes a file; returns true if there was one.
    package static func remove(_ path: String) throws(FileProblem) -> Bool {
        if unsafe unlink(path) == 0 { return true }
        let problem = FileProblem(errno)
        guard problem.isAbsence else { throw problem }
        return false
    }

    /// Sets the permissions of a file.
    package static func setPermissions(_ mode: mode_t, of path: String) throws(FileProblem) {
        guard unsafe chmod(path, mode) == 0 else { throw FileProblem(errno) }
    }
}
