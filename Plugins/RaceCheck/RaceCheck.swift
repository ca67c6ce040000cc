import Foundation
import PackagePlugin

/// The command `swift package race-check`, which describes the package to the program and leaves the rest to it.
@main
struct RaceCheck: CommandPlugin {
    /// The program's input; `Plan` there has the same members.
    private struct Plan: Encodable {
        struct Target: Encodable {
            let name: String
            let files: [String]
        }

        let package: String
        let targets: [Target]
        let scratch: String
        let swift: String?
    }

    func performCommand(context: PluginContext, arguments: [String]) async throws {
        let folder = context.pluginWorkDirectoryURL
        let plan = Plan(
            package: context.package.directoryURL.path, targets: self.targets(of: context.package),
            scratch: folder.appending(path: "tests").path, swift: try? context.tool(named: "swift").url.path)
        let file = folder.appending(path: "plan.json")
        try JSONEncoder().encode(plan).write(to: file)

        let process = Process()
        process.executableURL = try context.tool(named: "ErrandRaceCheck").url
        process.arguments = ["--plan", file.path] + arguments
        // Relative paths in the arguments refer to this directory.
        process.currentDirectoryURL = context.package.directoryURL
        try process.run()
        process.waitUntilExit()
        exit(process.terminationReason == .exit ? process.terminationStatus : 1)
    }

    private func targets(of package: Package) -> [Plan.Target] {
        package.targets.compactMap { target in
            (target as? any SourceModuleTarget).map { module in
                Plan.Target(
                    name: module.name,
                    files: module.sourceFiles(withSuffix: "swift").filter { $0.type == .source }.map(\.url.path))
            }
        }
    }
}
