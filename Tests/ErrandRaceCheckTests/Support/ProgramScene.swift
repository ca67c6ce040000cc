internal import ErrandTesting
internal import Foundation

@testable internal import ErrandRaceCheck

/// A package of two targets in a folder of its own.
final class ProgramScene {
    let folder: TestFolder
    let launcher = ScriptedLauncher()
    private(set) var output = ""

    init(source: String = "final class Box: @unchecked Sendable {}\n") throws {
        self.folder = try TestFolder()
        try self.write("// swift-tools-version: 6.2\n", to: "Package.swift")
        try self.write(source, to: "Sources/Lab/Box.swift")
        try self.write("import Testing\n", to: "Tests/LabTests/BoxTests.swift")
    }

    func write(_ text: String, to path: String) throws {
        let file = self.folder.file(path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    func run(_ arguments: String...) -> Int32 {
        self.output = ""
        let program = Program(
            environment: ["TSAN_OPTIONS": "verbosity=0"], currentFolder: self.folder.url,
            print: { self.output += $0 }, makeLauncher: { _ in self.launcher })
        return program.run(arguments)
    }
}
