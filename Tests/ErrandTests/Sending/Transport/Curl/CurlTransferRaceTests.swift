internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

#if os(Linux)
    /// Downloads and uploads that go on over connections that are used again; each test in a process of its own.
    @Suite("Transfers over CurlTransport that are broken off", .serialized, .timeLimit(.minutes(60)), .paced)
    struct CurlTransferRaceTests {
        @Test func `downloads in segments leave what they go on with, and then nothing but their files`() async {
            await #expect(processExitsWith: .success) {
                let body = streamingBytes(4_000_000)
                try await CurlScene.leavingNothing { scene in
                    scene.server.route("GET", "/range/*") { .range(of: body, for: $0) }
                    try await scene.withClient { client in
                        let lanes = TransferLane.all(client, scene)
                        await withTaskGroup { group in
                            for lane in lanes {
                                group.addTask { await lane.breakOff(times: TestEffort.rounds(of: 12)) }
                            }
                        }
                        await CurlScene.expectNothingInFlight(client)
                        for lane in lanes {
                            let whole = try await lane.finish()
                            #expect(whole == body)
                        }
                    }
                    let names = try FileManager.default.contentsOfDirectory(atPath: scene.folder.path)
                    #expect(names.sorted() == TransferLane.names)
                }
            }
        }

        @Test func `uploads leave what they go on with, and then nothing`() async {
            await #expect(processExitsWith: .success) {
                try await CurlScene.leavingNothing { scene in
                    let (server, content) = (try ResumableUploadServer(.tus), streamingBytes(3_000_000))
                    let file = scene.folder.appending(path: "content")
                    try content.write(to: file)
                    try await scene.withClient { client in
                        for patience in 0..<TestEffort.rounds(of: 30) {
                            let upload = { @Sendable () async -> Void in
                                _ = try? await client.upload(
                                    UploadCall(url: server.url), from: file,
                                    options: .uploadResumption(.tus(in: scene.folder)))
                            }
                            await withTaskGroup { group in
                                group.addTask(operation: upload)
                                for _ in 0..<patience * patience { await Task.yield() }
                                group.cancelAll()
                            }
                        }
                        await CurlScene.expectNothingInFlight(client)
                        _ = try await client.upload(
                            UploadCall(url: server.url), from: file,
                            options: .uploadResumption(.tus(in: scene.folder)))
                    }
                    #expect(server.uploads.last?.content == content)
                    let names = try FileManager.default.contentsOfDirectory(atPath: scene.folder.path)
                    #expect(names == ["content"])
                    server.server.stop()
                    await server.server.waitUntilStopped()
                }
            }
        }
    }

    /// A file that is downloaded again and again, and broken off at any moment.
    private struct TransferLane: Sendable {
        private static let count = 6

        let client: Client
        let file: URL
        let number: Int

        static func all(_ client: Client, _ scene: CurlScene) -> [TransferLane] {
            (0..<Self.count).map { number in
                TransferLane(client: client, file: scene.folder.appending(path: "file\(number)"), number: number)
            }
        }

        static var names: [String] { (0..<Self.count).map { "file\($0)" } }

        func breakOff(times: Int) async {
            var random = SplitMix64(seed: UInt64(self.number))
            for _ in 0..<times {
                let patience = random.next(below: 400)
                await withTaskGroup { group in
                    group.addTask { _ = try? await self.download() }
                    for _ in 0..<patience { await Task.yield() }
                    group.cancelAll()
                }
                // One that was in time: the next one begins anew.
                try? FileManager.default.removeItem(at: self.file)
            }
        }

        func finish() async throws -> Data {
            _ = try await self.download()
            return try Data(contentsOf: self.file)
        }

        private func download() async throws(ErrandError) -> DownloadedFile {
            try await self.client.download(
                CurlCall("/range/\(self.number)"), to: self.file,
                resuming: .automatic(segments: 1 + self.number % 4))
        }
    }

    private struct UploadCall: Endpoint {
        let url: String

        var path: EndpointPath { .url(self.url) }
        var method: HTTPMethod { .post }
    }
#endif
