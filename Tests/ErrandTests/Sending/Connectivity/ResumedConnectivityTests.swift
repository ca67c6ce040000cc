internal import Errand
internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

#if os(Linux)
    @Suite("Resumed transfers that wait for a network (G13)", .timeLimit(.minutes(60)), .paced)
    struct ResumedConnectivityTests {
        private let scene: StreamingScene
        private let network = TestPathMonitor(.none)
        private let body = streamingBytes(3_000_000)

        init() throws {
            self.scene = try StreamingScene()
        }

        private func client() -> Client {
            let network = self.network
            return self.scene.client {
                $0.options = $0.options.connectivity(.wait(upTo: .seconds(3_600)))
                $0.environment.pathMonitor = network
            }
        }

        /// Answers as long as there is no network in one way, and with all that is asked for then.
        private func serve(_ offline: @escaping @Sendable (LoopbackRequest) -> LoopbackReply) {
            let (network, body) = (self.network, self.body)
            self.scene.server.add(
                LoopbackRoute(where: { _ in true }) { request in
                    guard network.path.isSatisfied else { return offline(request) }
                    return request.method == "GET" ? .range(of: body, for: request) : .text("x")
                })
        }

        private func returnOnceWaited(for count: Int = 1) async {
            await fixtureUntil { self.network.readerCount == count }
            self.network.set(NetworkPath(interfaces: [.wifi]))
        }

        private var ranges: [String?] { self.scene.server.received.map { $0.headers["Range"] } }

        @Test(arguments: [1, 3])
        func `a download waits whose connection is lost before anything has come`(segments: Int) async throws {
            self.serve { _ in .close }
            let (client, place) = (self.client(), self.scene.place())
            async let file = client.download(FixtureText(), to: place, resuming: .automatic(segments: segments))
            await self.returnOnceWaited()
            #expect(try await file.size == 3_000_000)
            #expect(try Data(contentsOf: place) == self.body)
            #expect(self.ranges.prefix(2) == (segments == 1 ? [nil, nil] : ["bytes=0-1048575", "bytes=0-1048575"]))
        }

        @Test func `a download asks for the rest first, and waits then`() async throws {
            let body = self.body
            self.serve { $0.headers["Range"] == nil ? .range(of: body, for: $0, cutAfter: 1_000_000) : .close }
            let (client, place) = (self.client(), self.scene.place())
            async let file = client.download(FixtureText(), to: place, resuming: .automatic)
            await self.returnOnceWaited()
            #expect(try await file.size == 3_000_000)
            #expect(try Data(contentsOf: place) == body)
            #expect(self.ranges == [nil, "bytes=1000000-", "bytes=1000000-"])
        }

        @Test func `an upload waits that has not begun, if it may be sent twice`() async throws {
            self.serve { _ in .close }
            let client = self.client()
            async let text = client.send(SendText(method: .put))
            await self.returnOnceWaited()
            #expect(try await text == "x")
            self.network.set(.none)
            let error = await streamingFailure { _ = try await client.send(SendText(method: .post)) }
            #expect(error?.code == .connectionLost)
        }

        @Test func `an upload that has begun goes on where it was, also without a network`() async throws {
            let scene = try UploadScene()
            scene.server.cut(after: 100_000)
            let network = self.network
            let isOver = Locked(false)
            let client = scene.client {
                $0.environment.clock = ContinuousClock()
                $0.environment.pathMonitor = network
                $0.options = $0.options.connectivity(.wait(upTo: .seconds(3_600)))
            }
            let upload = Task {
                defer { isOver.withLock { $0 = true } }
                return try await scene.upload(.automatic, UploadScene.call(.put), with: client)
            }
            // The server is there: what asks it has no reason to wait.
            await fixtureUntil { network.readerCount > 0 || isOver.withLock { $0 } }
            network.set(NetworkPath(interfaces: [.wifi]))
            #expect(try await upload.value == "uploaded")
            #expect(scene.methods == ["PUT", "HEAD", "PATCH"])
            scene.expectWhole()
        }

        private struct SendText: Endpoint {
            typealias Response = String

            let path: EndpointPath = "a"
            let method: HTTPMethod
            var options: RequestOptions { .uploadResumption(.automatic) }
            let body = RequestBody.text("content")
        }
    }
#endif
