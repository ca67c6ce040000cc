#if os(Linux)
    internal import ErrandLocks
    internal import ErrandTesting
    internal import Foundation
    internal import TestEffort
    internal import Testing

    @testable internal import Errand

    @Suite(
        "Uploads whose process is killed (G16, G17)", .serialized, .timeLimit(.minutes(60)), .paced,
        .enabled(if: TestProgram.areWanted, "ERRAND_PROGRAMS is not 1"))
    struct ResumedUploadProcessTests {
        @Test(arguments: [false, true])
        func `go on, and never have a wrong byte`(isTus: Bool) async throws {
            let scene = try UploadScene(isTus ? .tus : .draft(interopVersion: 8), size: 40_000_000)
            let program = try #require(TestProgram(besideTests: "errand"))
            let arguments = [
                "upload", scene.file.path, scene.server.url, isTus ? "--tus" : "--resumable", "--continue",
                scene.records.path, "-q",
            ]
            var random = SplitMix64(seed: 1)
            for _ in 0..<TestEffort.rounds(of: 20) {
                let child = try await ChildProcess.start(program, arguments)
                let hasEnded = Locked(false)
                async let end: Void = {
                    _ = await child.result()
                    hasEnded.withLock { $0 = true }
                }()
                let goal = scene.server.server.bytesReceived + Int.random(in: 0...20_000_000, using: &random)
                let server = scene.server.server
                // Until it has sent so much, or has ended.
                await fixtureUntil { server.bytesReceived >= goal || hasEnded.withLock { $0 } }
                child.kill()
                await end
            }
            let child = try await ChildProcess.start(program, arguments)
            let result = try #require(await child.result())
            #expect(result.status == 0, "\(child.complaint)")
            let complete = scene.server.uploads.filter(\.isComplete)
            #expect(!complete.isEmpty)
            #expect(complete.allSatisfy { $0.content == scene.content })
            #expect(scene.methods.count { $0 == "HEAD" } > 5)
            #expect(try scene.recordNames == [])
        }
    }
#endif
