internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

#if os(Linux)
    @Suite("The progress of a request and a batch", .timeLimit(.minutes(60)), .paced)
    struct RequestProgressTests {
        private let scene: StreamingScene

        init() throws {
            self.scene = try StreamingScene()
            self.scene.server.route("GET", "/*", .data(streamingBytes(300_000)))
        }

        @Test func `a request shows how far it is, and ends that with itself`() async throws {
            let request = self.scene.client().request(FixtureData())
            let progress = await request.progress
            await request.start()
            let readings = await fixtureAll(progress)
            #expect(readings.last?.received == TransferProgress(bytes: 300_000, total: 300_000))
            #expect(readings.last?.fractionCompleted == 1)
            #expect(try await request.value.count == 300_000)
            #expect(await fixtureAll(request.progress).last?.received.bytes == 0, "over at once")
        }

        @Test func `a batch shows the sum of all, and ends with the last`() async throws {
            let batch = self.scene.narrowClient().batch(of: (0..<4).map { FixtureData(path: "\($0)") })
            let progress = await batch.transferProgress
            try await batch.start()
            let readings = await fixtureAll(progress)
            #expect(readings.last?.received == TransferProgress(bytes: 1_200_000, total: 1_200_000))
            #expect(readings.map(\.received.bytes) == readings.map(\.received.bytes).sorted())
            let full = readings.compactMap(\.fractionCompleted).filter { $0 == 1 }
            #expect(full.count == readings.drop { $0.received.bytes < 1_200_000 }.count, "full at the end alone")
        }

        @Test func `a batch knows its sum though the cache answers one of them`() async throws {
            struct Call: Endpoint {
                let path: EndpointPath
                let caching: CachePolicy
                var options: RequestOptions { .caching(self.caching) }
            }
            let client = self.scene.client { $0.cache = MemoryCache() }
            let cached = Call(path: "cached", caching: .fresh(for: .seconds(60)))
            _ = try await client.send(cached)
            let batch = client.batch(of: [Call(path: "a", caching: .never), cached])
            let progress = await batch.transferProgress
            try await batch.start()
            let last = await fixtureAll(progress).last
            #expect(last?.received == TransferProgress(bytes: 300_000, total: 300_000))
            #expect(last?.fractionCompleted == 1)
        }

        @Test func `one that runs already shows what comes with the next attempt`() async throws {
            let gate = LoopbackGate()
            let body = streamingBytes(300_000)
            self.scene.server.replaceRoutes(with: [
                LoopbackRoute("GET", "/a") { _ in LoopbackReply.redirect(to: "/b").held(by: gate) },
                LoopbackRoute("GET", "/b") { _ in .data(body) },
            ])
            let request = self.scene.client { $0.accessories = [] }.request(FixtureData())
            await request.start()
            #expect(await gate.waitUntilReached())
            let progress = await request.progress
            gate.open()
            #expect(await fixtureAll(progress).last?.received.bytes == 300_000)
        }

        @Test func `ends for one that is cancelled before it starts, and for one that nobody holds`() async throws {
            let client = self.scene.client()
            let request = client.request(FixtureData())
            let progress = await request.progress
            request.cancel()
            #expect(await fixtureAll(progress).last?.received.bytes == 0)
            let orphan = await client.request(FixtureData()).progress
            #expect(await fixtureAll(orphan).last?.received.bytes == 0)
        }

        @Test func `asking a running request for its progress takes no hook from the accessories (G2)`() async throws {
            let gate = StubGate()
            let world = FixtureWorld(isRecording: true) { $0.options = $0.options.withoutTimeout() }
            world.transport.route("a", StubReply.text("x").held(by: gate))
            let request = world.client.request(FixtureText())
            await request.start()
            await gate.waitUntilReached()
            let progress = await request.progress
            gate.open()
            #expect(try await request.value == "x")
            _ = await fixtureAll(progress)
            #expect(world.recorder.hooks(of: request.id) == FixtureHook.names)
            await world.expectAtRest()
        }
    }
#endif
