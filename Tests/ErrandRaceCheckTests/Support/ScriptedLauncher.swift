internal import Foundation
internal import Synchronization

@testable internal import ErrandRaceCheck

/// Does as `swift` would: writes what it is told to, and keeps how it was called.
final class ScriptedLauncher: Launcher {
    struct Answer {
        var status: Int32 = 0
        var log = "Test run with 3 tests in 1 suite passed"
        var report = ""
        /// Whether what is built with the sanitizer has it.
        var isSanitized = true
        /// What simulated tests leave, by the name of the file.
        var results: [String: String] = [:]
        /// What is left by those that were running when the process ended, by the name of the file.
        var trails: [String: String] = [:]
    }

    private let state = Mutex<(answers: [String: Answer], launches: [Launch])>(([:], []))

    var launches: [Launch] { self.state.withLock { $0.launches } }

    func answer(_ command: String, _ answer: Answer) {
        self.state.withLock { $0.answers[command] = answer }
    }

    private func leave(_ files: [String: String], in path: String?) throws {
        guard let path, !files.isEmpty else { return }
        let folder = URL(filePath: path, directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
    }

    /// Makes the program with all tests.
    private func build(_ content: String, in arguments: [String]) throws {
        let path = zip(arguments, arguments.dropFirst()).first { $0.0 == "--scratch-path" }?.1 ?? ""
        let folder = URL(filePath: path).appending(path: "debug")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let program = folder.appending(path: "LabPackageTests.xctest")
        try Data(content.utf8).write(to: program)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
    }

    func run(_ launch: Launch) throws(UsageError) -> Int32 {
        let command = launch.arguments.first ?? ""
        let answer = self.state.withLock { state in
            state.launches.append(launch)
            return state.answers[command] ?? Answer()
        }
        do {
            if command == "demangle" {
                let names = launch.arguments.filter { $0.hasPrefix("$") }.map { "written(\($0.count))" }
                try Data((names.joined(separator: "\n") + "\n").utf8).write(to: launch.log)
                return 0
            }
            try Data(answer.log.utf8).write(to: launch.log)
            if command == "build", launch.arguments.contains("--sanitize=thread") {
                try self.build("\0__tsan" + (answer.isSanitized ? "_func_entry" : "_"), in: launch.arguments)
            }
            if command == "test", !answer.report.isEmpty {
                let options = launch.environment["TSAN_OPTIONS"] ?? ""
                let prefix = options.split(separator: "'").dropFirst().first.map(String.init) ?? ""
                try Data(answer.report.utf8).write(to: URL(filePath: prefix + ".123"))
            }
            if command == "test" {
                try self.leave(answer.results, in: launch.environment["ERRAND_SIMULATION_RESULTS"])
                try self.leave(answer.trails, in: launch.environment["ERRAND_SIMULATION_TRAIL"])
            }
        } catch {
            throw UsageError(message: "\(error)")
        }
        return answer.status
    }
}
