#if os(Linux)
    internal import ErrandTesting
    internal import Foundation
    internal import TestEffort
    internal import Testing

    internal import Errand

    @Suite(
        "Downloads whose process is killed (G13, G17)", .serialized, .timeLimit(.minutes(60)), .paced,
        .enabled(if: TestProgram.areWanted, "ERRAND_PROGRAMS is not 1"))
    struct ResumedDownloadProcessTests {
        private static let body = streamingBytes(40_000_000)
        private let scene: StreamingScene
        private let program: TestProgram

        init() throws {
            self.scene = try StreamingScene()
            self.program = try #require(TestProgram(besideTests: "errand"))
            self.scene.server.route("GET", "/file") { .range(of: Self.body, for: $0) }
        }

        private func start(segments: Int = 1) async throws -> ChildProcess {
            try await ChildProcess.start(
                self.program,
                [
                    "get", "\(self.scene.server.baseURL)file", "--output", self.scene.folder.path, "--continue", "-q",
                    "--segments", "\(segments)",
                ])
        }

        /// Runs the program until it has ended by itself.
        private func finish() async throws {
            let child = try await self.start()
            let result = try #require(await child.result())
            #expect(result.status == 0, "\(child.complaint)")
            #expect(try self.scene.names == ["file"])
        }

        @Test func `go on, and never have a wrong byte or a name before they are whole`() async throws {
            var random = SplitMix64(seed: 1)
            for round in 0..<TestEffort.rounds(of: 400) {
                // One goes on with what the other has left.
                let child = try await self.start(segments: [1, 4, 7][round % 3])
                let goal = self.scene.server.bytesSent + Int.random(in: 0...60_000_000, using: &random)
                let (server, path) = (self.scene.server, self.scene.place().path)
                // Until it has got so much, or has ended.
                await fixtureUntil { server.bytesSent >= goal || FileManager.default.fileExists(atPath: path) }
                child.kill()
                // While it dies, what it has under way is still its own.
                _ = await child.result()
                guard try self.scene.names.contains("file") else { continue }
                #expect(try Data(contentsOf: self.scene.place()) == Self.body)
                try FileManager.default.removeItem(at: self.scene.place())
            }
            try await self.finish()
            #expect(try Data(contentsOf: self.scene.place()) == Self.body)
            #expect(self.scene.server.received.count { $0.headers["Range"] != nil } > 10)
        }
    }
#endif
