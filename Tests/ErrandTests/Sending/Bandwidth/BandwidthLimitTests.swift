internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

#if os(Linux)
    @Suite("Limits of bandwidth (G13)", .timeLimit(.minutes(60)), .paced, .tags(.threadSanitizer))
    struct BandwidthLimitTests {
        private let scene: StreamingScene
        private let body = streamingBytes(500_000)

        init() throws {
            self.scene = try StreamingScene()
            let body = self.body
            self.scene.server.route("GET", "/*") { _ in .data(body) }
            self.scene.server.route("POST", "/*") { .text("\($0.body.count)") }
        }

        private struct Download: Endpoint {
            var path: EndpointPath = "a"
            func decode(_ response: HTTPResponse) throws -> Data { response.data }
        }

        /// Lets time pass, whenever somebody waits for a limit, until some work is over; returns how much that was.
        private func passingTime<Value: Sendable>(
            at limit: BandwidthLimit, _ work: @escaping @Sendable () async throws -> Value
        ) async throws -> (value: Value, seconds: Double) {
            let clock = self.scene.clock
            let start = clock.now
            return try await withThrowingTaskGroup(of: Value?.self) { group in
                group.addTask { try await work() }
                group.addTask {
                    while !Task.isCancelled {
                        // The timer of the limit sleeps, and nothing else does here.
                        await fixtureUntil { limit.waitingCount > 0 && clock.nextSleeperDeadline != nil }
                        clock.advance(by: .milliseconds(20))
                    }
                    return nil
                }
                defer { group.cancelAll() }
                while let value = try await group.next() {
                    if let value { return (value, start.duration(to: clock.now) / .seconds(1)) }
                }
                throw FixtureError(description: "the work gave nothing")
            }
        }

        private func limit(sending: Int? = nil, receiving: Int? = nil) -> BandwidthLimit {
            BandwidthLimit(sending: sending, receiving: receiving, clock: self.scene.clock)
        }

        private func client(_ limit: BandwidthLimit?) -> Client {
            self.scene.client {
                $0.environment.clock = self.scene.clock
                if let limit { $0.options = $0.options.bandwidth(limit) }
            }
        }

        @Test func `a download takes as long as its limit says`() async throws {
            let limit = self.limit(receiving: 100_000)
            let client = self.client(limit)
            let (data, seconds) = try await self.passingTime(at: limit) { try await client.send(Download()) }
            #expect(data == self.body)
            // Half a megabyte at a tenth of one, with a burst and steps of the clock.
            #expect(4.5...6 ~= seconds)
        }

        @Test func `an upload takes as long as its limit says, in memory and from a file`() async throws {
            let limit = self.limit(sending: 100_000)
            let client = self.client(limit)
            let file = self.scene.place()
            try self.body.write(to: file)
            for body in [RequestBody.bytes(self.body), .file(file)] {
                let call = FixtureText {
                    $0.method = .post
                    $0.body = body
                }
                let (text, seconds) = try await self.passingTime(at: limit) { try await client.send(call) }
                #expect(text == "500000")
                #expect(4.5...6 ~= seconds)
            }
        }

        @Test func `what is small costs no more than it has`() async throws {
            let limit = self.limit(sending: 20_000)
            let client = self.client(limit)
            let call = FixtureText {
                $0.method = .post
                $0.body = .bytes(Data(count: 100))
            }
            // All of them together have as much as a tenth of a second brings.
            for _ in 0..<20 { #expect(try await client.send(call) == "100") }
            #expect(limit.waitingCount == 0)
        }

        @Test func `several requests share one limit`() async throws {
            let limit = self.limit(receiving: 200_000)
            let client = self.client(nil)
            let options = RequestOptions.bandwidth(limit)
            let (values, seconds) = try await self.passingTime(at: limit) {
                try await client.batch(Download(path: "a"), Download(path: "b"), options: options).value
            }
            #expect(values.0 == self.body && values.1 == self.body)
            #expect(4.5...6 ~= seconds)
            #expect(limit.waitingCount == 0)
        }

        @Test func `of two limits the lower one holds`() async throws {
            let client = self.client(self.limit(receiving: 1_000_000))
            let lower = self.limit(receiving: 100_000)
            let options = RequestOptions.bandwidth(lower)
            let (_, seconds) = try await self.passingTime(at: lower) {
                try await client.send(Download(), options: options)
            }
            #expect(4.5...6 ~= seconds)
        }

        @Test func `cancelling ends the wait, and others have their turn`() async throws {
            let limit = self.limit(receiving: 10_000)
            let client = self.client(limit)
            let request = client.request(Download())
            await request.start()
            await fixtureUntil { limit.waitingCount == 1 }
            request.cancel()
            _ = await #expect(throws: ErrandError.self) { try await request.value }
            await fixtureUntil { limit.waitingCount == 0 }
        }

        @Test(arguments: [0, -1, Int.min]) func `a limit of nothing is refused`(_ rate: Int) async {
            let client = self.client(self.limit(sending: rate))
            let error = await #expect(throws: ErrandError.self) { try await client.send(Download()) }
            #expect(error?.code == .invalidConfiguration)
        }

        @Test func `the largest limit is none`() async throws {
            let client = self.client(self.limit(sending: .max, receiving: .max))
            #expect(try await client.send(Download()) == self.body)
        }
    }
#endif
