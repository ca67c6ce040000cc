internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

#if canImport(ErrandURLSession)
    @testable internal import ErrandURLSession
#endif

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

#if os(Linux)
    @Suite("A client that begins anew (G6)", .timeLimit(.minutes(60)), .paced)
    struct ResetTests {
        private let scene: StreamingScene

        init() throws {
            self.scene = try StreamingScene()
            self.scene.server.route("GET", "/a", .text("x", headers: ["Set-Cookie": "a=1"]))
        }

        @Test func `what is sent after it goes over a new connection, and the old one is closed`() async throws {
            let client = self.scene.client()
            #expect(try await client.send(FixtureText()) == "x")
            #expect(try await client.send(FixtureText()) == "x")
            #expect(Set(self.scene.server.received.map(\.connectionNumber)).count == 1)
            await client.reset()
            #expect(await self.scene.server.waitForClosedConnections(1))
            #expect(try await client.send(FixtureText()) == "x")
            #expect(Set(self.scene.server.received.map(\.connectionNumber)).count == 2)
        }

        @Test func `what is under way goes on, a stream too`() async throws {
            let gate = LoopbackGate()
            let body = streamingBytes(1_000_000)
            self.scene.server.route("GET", "/slow", LoopbackReply.data(body).held(by: gate))
            self.scene.server.route("GET", "/stream", .data(body))
            let client = self.scene.client()
            async let slow = client.send(FixtureData(path: "slow"))
            #expect(await gate.waitUntilReached())
            let count = try await client.stream(FixtureText("stream"), buffer: 10_000) { response in
                var count = 0
                for try await chunk in response.body {
                    if count == 0 { await client.reset() }
                    count += chunk.count
                }
                return count
            }
            #expect(count == body.count)
            await client.reset()
            gate.open()
            #expect(try await slow == body)
        }

        @Test func `cookies are forgotten if that is asked for`() async throws {
            let client = self.scene.client { $0.cookies = .perClient }
            for (removes, cookie) in [(false, "a=1"), (true, nil)] {
                _ = try await client.send(FixtureText())
                await client.reset(removingCookies: removes)
                _ = try await client.send(FixtureText())
                #expect(self.scene.server.received.last?.headers["Cookie"] == cookie)
            }
        }

        @Test func `after the end it does nothing`() async throws {
            let client = self.scene.client()
            await client.shutdown()
            await client.reset()
            let error = await #expect(throws: ErrandError.self) { try await client.send(FixtureText()) }
            #expect(error?.code == .clientShutDown)
        }

        @Test func `a session can be adopted, but for what is Errand's`() async throws {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.httpAdditionalHeaders = ["X-App": "mine"]
            configuration.timeoutIntervalForRequest = 0.000_1
            let client = Client(baseURL: self.scene.server.baseURL) {
                $0.transport = URLSessionTransport(adopting: configuration)
            }
            #expect(try await client.send(FixtureText()) == "x")
            #expect(self.scene.server.received.last?.headers["X-App"] == "mine")
            #expect(configuration.timeoutIntervalForRequest == 0.000_1, "the app's own stays as it is")
        }
    }
#endif
