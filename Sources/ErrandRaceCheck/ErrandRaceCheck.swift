internal import Foundation

/// The program behind `swift package race-check`.
@main
struct ErrandRaceCheck {
    static func main() {
        let environment = ProcessInfo.processInfo.environment
        let program = Program(
            environment: environment,
            currentFolder: URL(filePath: FileManager.default.currentDirectoryPath, directoryHint: .isDirectory),
            // If standard output is closed, there is no stream left on which to report it.
            print: { try? FileHandle.standardOutput.write(contentsOf: Data($0.utf8)) },
            makeLauncher: { path throws(UsageError) in try SwiftLauncher(path, environment: environment) })
        exit(program.run(Array(CommandLine.arguments.dropFirst())))
    }
}
