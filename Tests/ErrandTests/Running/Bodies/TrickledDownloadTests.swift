internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

#if os(Linux)
    @Suite("Downloads of which next to nothing comes (G17, G18)", .timeLimit(.minutes(60)), .paced)
    struct TrickledDownloadTests {
        private let scene: StreamingScene

        init() throws {
            self.scene = try StreamingScene()
        }

        @Test(arguments: [1, 2])
        func `a server that gives a byte with each connection is not asked for ever`(segments: Int) async throws {
            let body = streamingBytes(5_000_000)
            self.scene.server.route("GET", "/a") { .range(of: body, for: $0, cutAfter: 1) }
            let error = await streamingFailure {
                _ = try await self.scene.client().download(
                    FixtureText(), to: self.scene.place(), resuming: .automatic(segments: segments))
            }
            #expect(error?.code == .connectionLost)
            #expect(error?.message.contains("fewer than 4096 bytes") == true, "\(error?.message ?? "")")
            #expect(error?.context.resumeData != nil)
            #expect(self.scene.server.received.count <= (DownloadPlan.trickleLimit + 2) * segments)
        }

        @Test func `what has come is gone on from with the next call`() async throws {
            let body = streamingBytes(100_000)
            self.scene.server.add(
                LoopbackRoute("GET", "/a") { request, number in
                    .range(of: body, for: request, cutAfter: number <= DownloadPlan.trickleLimit + 1 ? 1 : nil)
                })
            let client = self.scene.client()
            _ = await streamingFailure {
                _ = try await client.download(FixtureText(), to: self.scene.place(), resuming: .automatic)
            }
            _ = try await client.download(FixtureText(), to: self.scene.place(), resuming: .automatic)
            #expect(try Data(contentsOf: self.scene.place()) == body)
            #expect(self.scene.server.received.last?.headers["Range"] == "bytes=\(DownloadPlan.trickleLimit + 1)-")
        }
    }
#endif
