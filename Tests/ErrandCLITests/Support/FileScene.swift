internal import ErrandTesting

@testable internal import ErrandCLI

/// A server for the program to get answers from, and a folder for what it writes.
struct FileScene {
    let server: LoopbackServer
    let folder: TestFolder
    let harness = ProgramHarness()

    init() throws {
        self.server = try LoopbackServer()
        self.server.fallback { .text("body of \($0.target)") }
        self.folder = try TestFolder()
    }

    /// Gets paths of the server; answers the exit code.
    func get(_ paths: [String], _ options: [String]) async -> Int32 {
        await self.harness.program.run(["get"] + options + paths.map { self.server.baseURL + $0 })
    }
}
