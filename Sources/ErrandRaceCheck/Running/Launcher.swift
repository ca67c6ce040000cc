internal import Foundation

/// A command to run, with the destination of its output.
struct Launch: Hashable, Sendable {
    let arguments: [String]
    var environment: [String: String]
    let folder: URL
    /// The file for its standard output and standard error.
    let log: URL
}

/// Runs programs.
protocol Launcher: Sendable {
    /// Runs `swift` until it ends, and returns its exit status.
    ///
    /// - Throws: ``UsageError`` if it cannot be started.
    func run(_ launch: Launch) throws(UsageError) -> Int32
}

/// Runs the `swift` of a toolchain.
struct SwiftLauncher: Launcher {
    private let program: URL

    /// Finds the program.
    ///
    /// - Parameters:
    ///   - path: Its path; `nil` for the first on the `PATH`.
    ///   - environment: The environment with the `PATH`.
    /// - Throws: ``UsageError`` if there is none.
    init(_ path: String?, environment: [String: String]) throws(UsageError) {
        let folders = environment["PATH", default: "/usr/bin"].split(separator: ":")
        let paths = path.map { [$0] } ?? folders.map { "\($0)/swift" }
        guard let program = paths.first(where: FileManager.default.isExecutableFile(atPath:)) else {
            throw UsageError(message: "there is no program \"\(path ?? "swift")\"")
        }
        self.program = URL(filePath: program)
    }

    func run(_ launch: Launch) throws(UsageError) -> Int32 {
        do {
            // A file rather than a pipe: processes that the tests leave behind may keep a pipe open forever.
            try Data().write(to: launch.log)
            let output = try FileHandle(forWritingTo: launch.log)
            defer { try? output.close() }
            let process = Process()
            process.executableURL = self.program
            process.arguments = launch.arguments
            process.environment = launch.environment
            process.currentDirectoryURL = launch.folder
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = output
            process.standardError = output
            try process.run()
            process.waitUntilExit()
            return process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
        } catch {
            throw UsageError(message: "\(self.program.path) cannot be run: \(error.localizedDescription)")
        }
    }
}
