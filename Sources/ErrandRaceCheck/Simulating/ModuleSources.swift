internal import Foundation

/// Finds the paths of files that a compiler identifies by module and name.
struct ModuleSources: Sendable {
    private let paths: [String: String]

    /// Creates the lookup from the targets of a package.
    init(_ plan: Plan) {
        let folder = PackageFolder(URL(filePath: plan.package, directoryHint: .isDirectory))
        var paths: [String: String] = [:]
        for target in plan.targets {
            let module = Self.module(of: target.name)
            for path in target.files {
                paths["\(module)/\(URL(filePath: path).lastPathComponent)"] = folder.relativePath(path) ?? path
            }
        }
        self.paths = paths
    }

    /// Returns the path of a file relative to the package's folder, or the name itself if the path is not known.
    func path(of fileID: String) -> String {
        self.paths[fileID] ?? fileID
    }

    /// Returns the name of a target's module.
    static func module(of target: String) -> String {
        let name = target.map { $0.isLetter || $0.isNumber || $0 == "_" ? $0 : "_" }
        return String(name.first?.isNumber == true ? ["_"] + name.dropFirst() : name)
    }
}
