internal import Foundation

/// The folder of a package, which identifies the package's own files.
struct PackageFolder: Sendable {
    /// The folder as given.
    let url: URL
    /// The possible spellings of the folder in compiler output, each with a slash at its end.
    private let prefixes: [String]
    /// Folders inside that are not the package's own, each with a slash at its end.
    private let foreign: [String]

    /// Creates a reference to a folder.
    ///
    /// - Parameters:
    ///   - url: The folder.
    ///   - scratch: A folder for builds, inside or outside.
    init(_ url: URL, scratch: URL? = nil) {
        self.url = url
        self.prefixes = Self.spellings(of: url)
        self.foreign = scratch.map(Self.spellings) ?? []
    }

    private static func spellings(of url: URL) -> [String] {
        let standard = url.standardizedFileURL
        let paths = [standard.path, standard.resolvingSymlinksInPath().path]
        return Array(Set(paths.map { $0.hasSuffix("/") ? $0 : "\($0)/" })).sorted()
    }

    /// Returns the path of a file relative to the folder, if the file is the package's own: not built, checked out or
    /// generated.
    func ownPath(_ path: String) -> String? {
        guard let relative = self.relativePath(path), !self.foreign.contains(where: path.hasPrefix) else { return nil }
        let isHidden = relative.split(separator: "/").dropLast().contains { $0.hasPrefix(".") }
        return isHidden ? nil : relative
    }

    /// Returns the path of a file relative to the folder; `nil` if it is outside.
    func relativePath(_ path: String) -> String? {
        self.prefixes.first(where: path.hasPrefix).map { String(path.dropFirst($0.count)) }
    }
}
