internal import Foundation

/// What is to be run, and where its words go.
struct Launch: Hashable, Sendable {
    let arguments: [String]
    var environment: [String: String]
    let folder: URL
    /// The file that gets what it writes to its output and its errors.
    let log: URL
}

/// Runs programs.
protocol Launcher: Sendable {
    /// Runs `swift` until it ends, and returns the status it ended with.
    ///
    /// - Throws: ``UsageError`` when it cannot be started.
    func run(_ launch: Launch) throws(UsageError) -> Int32
}

/// Runs the `swift` of a toolchain.
struct SwiftLauncher: Launcher {
    private let program: URL

    /// Finds the program.
    ///
    /// - Parameters:
    ///   - path: Where it is; `nil` for the first on the `PATH`.
    ///   - environment: The environment with the `PATH`.
    /// - Throws: ``UsageError`` when there is none.
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
            // A file and no pipe: what the tests leave behind may hold a pipe open for ever.
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
