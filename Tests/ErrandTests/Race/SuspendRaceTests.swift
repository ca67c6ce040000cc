internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

#if os(Linux)
    @Suite("Suspending under real parallelism (G6, G11)", .timeLimit(.minutes(60)), .paced, .tags(.threadSanitizer))
    struct SuspendRaceTests {
        private struct Download: Endpoint {
            let path: EndpointPath = "a"
            func decode(_ response: HTTPResponse) throws -> Data { response.data }
        }

        /// Suspends, resumes and cancels requests that share a limit while their bodies come.
        @Test func `whatever is suspended and goes on ends, with all of its bytes`() async throws {
            let scene = try StreamingScene()
            let body = streamingBytes(300_000)
            scene.server.route("GET", "/a") { _ in .data(body) }
            let client = scene.client {
                $0.accessories = []
                $0.options = $0.options.bandwidth(BandwidthLimit(receiving: 200 << 20))
            }
            await withTaskGroup(of: Void.self) { group in
                for lane in 0..<8 {
                    group.addTask {
                        var random = SplitMix64(seed: UInt64(lane))
                        for _ in 0..<TestEffort.rounds(of: 40) {
                            await Self.round(client, body, cancels: random.next(below: 4) == 0)
                        }
                    }
                }
                group.addTask {
                    for _ in 0..<TestEffort.rounds(of: 100) {
                        client.suspendAll()
                        await Task.yield()
                        client.resumeAll()
                        await Task.yield()
                    }
                }
            }
            #expect(await client.record.count == 0)
            #expect(await client.scheduler.activeCount == 0)
            #expect(await client.scheduler.waitingCount == 0)
        }

        private static func round(_ client: Client, _ body: Data, cancels: Bool) async {
            let request = client.request(Download())
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await request.start() }
                for _ in 0..<2 {
                    group.addTask {
                        for _ in 0..<5 {
                            request.suspend()
                            await Task.yield()
                            request.resume()
                        }
                    }
                }
                if cancels { group.addTask { request.cancel() } }
            }
            // The last word of two who suspend may be either.
            request.resume()
            do {
                #expect(try await request.value == body)
            } catch {
                #expect(cancels && error.code == .cancelled)
            }
        }
    }
#endif
