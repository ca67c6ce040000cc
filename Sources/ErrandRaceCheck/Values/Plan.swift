internal import Foundation

/// The contents of a package, described by its plug-in or found in its folders.
struct Plan: Sendable, Decodable {
    /// A target and its sources.
    struct Target: Sendable, Decodable {
        let name: String
        /// The absolute paths of its Swift files.
        let files: [String]
    }

    /// The folder of the package.
    let package: String
    let targets: [Target]
    /// The folder for builds.
    let scratch: String
    /// The program `swift`; `nil` for the one on the `PATH`.
    let swift: String?

    /// Reads the description that the plug-in has written.
    static func read(_ path: String) throws(UsageError) -> Plan {
        do {
            return try JSONDecoder().decode(Plan.self, from: Data(contentsOf: URL(filePath: path)))
        } catch {
            throw UsageError(message: "the plan \"\(path)\" cannot be read: \(error.localizedDescription)")
        }
    }

    /// Finds targets in the usual folders of a package.
    static func find(_ path: String) throws(UsageError) -> Plan {
        let folder = URL(filePath: path, directoryHint: .isDirectory).standardizedFileURL
        guard FileManager.default.fileExists(atPath: folder.appending(path: "Package.swift").path) else {
            throw UsageError(message: "there is no package in \"\(folder.path)\"")
        }
        let targets = ["Sources", "Tests", "Plugins"].flatMap { name in
            Self.folders(in: folder.appending(path: name, directoryHint: .isDirectory)).map { target in
                Target(name: target.lastPathComponent, files: Self.sources(in: target))
            }
        }
        let scratch = folder.appending(path: ".build/race-check", directoryHint: .isDirectory)
        return Plan(package: folder.path, targets: targets, scratch: scratch.path, swift: nil)
    }

    private static func folders(in folder: URL) -> [URL] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().filter { !$0.hasPrefix(".") }
            .map { folder.appending(path: $0, directoryHint: .isDirectory) }
    }

    private static func sources(in folder: URL) -> [String] {
        let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        return names.filter { $0.hasSuffix(".swift") }.sorted().map { folder.appending(path: $0).path }
    }

    /// Returns the plan with only the given targets.
    ///
    /// - Parameter names: Their names; empty for all.
    /// - Returns: The plan without the others.
    /// - Throws: ``UsageError`` if there is no such target.
    func limited(to names: [String]) throws(UsageError) -> Plan {
        guard !names.isEmpty else { return self }
        let known = self.targets.map(\.name)
        if let name = names.first(where: { !known.contains($0) }) {
            throw UsageError(
                message: "there is no target \"\(name)\", only \(known.sorted().joined(separator: ", "))")
        }
        return Plan(
            package: self.package, targets: self.targets.filter { names.contains($0.name) }, scratch: self.scratch,
            swift: self.swift)
    }
}
