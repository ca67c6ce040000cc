internal import Errand
internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

#if os(Linux)
    @Suite("Transfers that are held back (G6, G13)", .timeLimit(.minutes(60)), .paced, .tags(.threadSanitizer))
    struct SuspendedTransferTests {
        private let scene: StreamingScene
        private let body = streamingBytes(3_000_000)

        init() throws {
            self.scene = try StreamingScene()
            self.scene.server.route("GET", "/b", .text("other"))
        }

        /// Does something at the first bytes in a direction, and counts them all.
        private final class Watcher: Accessory {
            private struct State {
                var counts: [TransferProgress.Direction: Int64] = [:]
                var action: (@Sendable () -> Void)?
            }

            private let direction: TransferProgress.Direction
            private let state = Locked(State())
            let reached = FixtureGate()

            init(_ direction: TransferProgress.Direction) {
                self.direction = direction
            }

            func onFirst(_ action: @escaping @Sendable () -> Void) { self.state.withLock { $0.action = action } }

            var count: Int64 { self.state.withLock { $0.counts[self.direction] ?? 0 } }

            func observe(_ event: RequestActivity.Event, of activity: RequestActivity) {
                let (direction, bytes): (TransferProgress.Direction, Int64)
                switch event {
                case .sent(let progress): (direction, bytes) = (.sending, progress.bytes)
                case .received(let progress): (direction, bytes) = (.receiving, progress.bytes)
                default: return
                }
                let action = self.state.withLock { state in
                    state.counts[direction] = bytes
                    return direction == self.direction ? state.action.take() : nil
                }
                action?()
            }
        }

        /// Suspends a request at its first bytes, lets others be sent meanwhile, and has it go on.
        private func suspendAtFirstBytes<E: Endpoint>(
            _ endpoint: E, _ direction: TransferProgress.Direction, while work: () async throws -> Void = {}
        ) async throws -> E.Response {
            let watcher = Watcher(direction)
            let client = self.scene.client { $0.environment.clock = self.scene.clock }
            let request = client.request(endpoint, options: .accessories([watcher]))
            watcher.onFirst { request.suspend() }
            await request.start()
            await fixtureUntil { request.isSuspended }
            let count = watcher.count
            for _ in 0..<20 { #expect(try await client.send(FixtureText("b")) == "other") }
            #expect(watcher.count == count, "no byte moves")
            try await work()
            request.resume()
            return try await request.value
        }

        @Test func `no byte of a response comes into memory, a file or a stream`() async throws {
            let body = self.body
            self.scene.server.route("GET", "/a") { _ in .data(body) }
            #expect(try await self.suspendAtFirstBytes(FixtureCustom { $0.data }, .receiving) == body)
            let file = self.scene.place()
            _ = try await self.suspendAtFirstBytes(
                FixtureFile(file: file), .receiving)
            #expect(try Data(contentsOf: file) == body)
        }

        @Test func `no byte of a request is sent`() async throws {
            self.scene.server.route("POST", "/a") { .text("\($0.body.count)") }
            let call = FixtureText {
                $0.method = .post
                $0.body = .bytes(self.body)
            }
            #expect(try await self.suspendAtFirstBytes(call, .sending) == "3000000")
        }

        @Test func `deadlines stand still`() async throws {
            let body = self.body
            self.scene.server.route("GET", "/a") { _ in .data(body) }
            let call = FixtureCustomTimed()
            let data = try await self.suspendAtFirstBytes(call, .receiving) {
                await self.scene.clock.waitForSleeper()
                for _ in 0..<3 { self.scene.clock.advance(by: .seconds(100)) }
            }
            #expect(data == body)
        }

        private struct FixtureCustomTimed: Endpoint {
            let path: EndpointPath = "a"
            var options: RequestOptions {
                .timeout(firstByte: .seconds(90), idle: .seconds(60), attempt: .seconds(80), total: .seconds(95))
            }

            func decode(_ response: HTTPResponse) throws -> Data { response.data }
        }

        @Test func `a download whose connection does not last as long asks for the rest`() async throws {
            let body = self.body
            let cut = LoopbackGate()
            self.scene.server.add(
                LoopbackRoute(
                    "GET", "/a",
                    answer: { request, number in
                        var reply = LoopbackReply.range(of: body, for: request, cutAfter: number == 1 ? 1_000_000 : nil)
                        if number == 1 { reply.steps.insert(.hold(cut), at: 1) }
                        return reply
                    }))
            let file = self.scene.place()
            let call = FixtureFile(file: file, said: .destination(.file(file, resuming: .automatic)))
            _ = try await self.suspendAtFirstBytes(call, .receiving) { cut.open() }
            #expect(try Data(contentsOf: file) == body)
            let ranges = self.scene.server.received.filter { $0.path == "/a" }.map { $0.headers["Range"] }
            #expect(ranges.count == 2)
            #expect(ranges.last.map { $0 != nil } == true)
        }

        @Test func `cancelling ends one that is held back`() async throws {
            let body = self.body
            self.scene.server.route("GET", "/a") { _ in .data(body) }
            let watcher = Watcher(.receiving)
            let client = self.scene.client()
            let file = self.scene.place()
            let request = client.request(
                FixtureFile(file: file), options: .accessories([watcher]))
            watcher.onFirst { request.suspend() }
            await request.start()
            await fixtureUntil { request.isSuspended }
            request.cancel()
            let error = await #expect(throws: ErrandError.self) { try await request.value }
            #expect(error?.code == .cancelled)
            #expect(try self.scene.names.isEmpty)
            await self.scene.expectEnded(client)
        }
    }
#endif
