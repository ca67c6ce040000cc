internal import Errand
internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

#if os(Linux)
    @Suite("Bodies whose request is stopped while they are read (G1, G2, G3, G6)", .timeLimit(.minutes(60)), .paced)
    struct StreamEndingTests {
        private let scene: StreamingScene
        private let pass = FixtureInterceptor { request, _, next in try await next(request) }

        init() throws {
            self.scene = try StreamingScene()
        }

        private var server: LoopbackServer { self.scene.server }

        /// A call to a server that falls silent, which reads until then; the gate tells that it has begun.
        private func stallingCall(
            _ reading: FixtureGate, timeouts: Timeouts? = nil, isIntercepted: Bool = false,
            isHeld: Bool = false
        ) -> FixtureReading<Int> {
            self.server.route("GET", "/a", .stallInBody(after: 3, of: Data("content".utf8)))
            if !isHeld { reading.open() }
            return FixtureReading(timeouts: timeouts, interceptors: isIntercepted ? [self.pass] : []) { response in
                var count = 0
                for try await chunk in response.body {
                    count += chunk.count
                    await reading.pass()
                }
                return count
            }
        }

        // MARK: - Stopping

        enum Way: CaseIterable {
            case task, cancel, all, tag, id, shutdown
        }

        @Test(arguments: Way.allCases, [false, true])
        func `end at once`(way: Way, isIntercepted: Bool) async throws {
            let (client, reading) = (self.scene.client(), FixtureGate())
            let request = client.request(
                self.stallingCall(reading, isIntercepted: isIntercepted), options: .tag("screen"))
            let task = Task { _ = try await request.value }
            await reading.waitUntilReached()
            switch way {
            case .task: task.cancel()
            case .cancel: request.cancel()
            case .all: await client.cancelAll()
            case .tag: #expect(await client.record.cancel(tag: "screen") == 1)
            case .id: #expect(await client.record.cancel(request.id))
            case .shutdown: await client.shutdown()
            }
            let code = way == .shutdown ? ErrandError.Code.clientShutDown : .cancelled
            #expect(await streamingFailure { try await task.value }?.code == code)
            // Whoever only left cancelled for nobody else.
            if way != .task { #expect(await streamingFailure { _ = try await request.value }?.code == code) }
            await self.scene.expectEnded(client)
            #expect(await self.server.waitForClosedConnections(1))
        }

        @Test(arguments: [false, true])
        func `end at once for the task that sends`(isIntercepted: Bool) async throws {
            let (client, reading) = (self.scene.client(), FixtureGate())
            let call = self.stallingCall(reading, isIntercepted: isIntercepted)
            let task = Task { _ = try await client.send(call) }
            await reading.waitUntilReached()
            task.cancel()
            #expect(await streamingFailure { try await task.value }?.code == .cancelled)
            await self.scene.expectEnded(client)
            #expect(await self.server.waitForClosedConnections(1))
        }

        @Test(arguments: [false, true])
        func `end though there is more to read`(isIntercepted: Bool) async throws {
            self.server.route("GET", "/a", .data(streamingBytes(8 << 20)))
            let (client, reading) = (self.scene.client(), FixtureGate())
            let late = Locked(0)
            let call = FixtureReading(buffer: 1 << 20, interceptors: isIntercepted ? [self.pass] : []) { response in
                var iterator = response.body.makeAsyncIterator()
                _ = try await iterator.next()
                await reading.pass(isPatient: true)
                while let chunk = try await iterator.next() { late.withLock { $0 += chunk.count } }
            }
            let request = client.request(call)
            let task = Task { try await request.value }
            await reading.waitUntilReached()
            request.cancel()
            reading.open()
            #expect(await streamingFailure { try await task.value }?.code == .cancelled)
            #expect(late.withLock { $0 } == 0)
            await self.scene.expectEnded(client)
            #expect(await self.server.waitForClosedConnections(1))
        }

        @Test func `end as cancelled, whatever the closure makes of it`() async throws {
            self.server.route("GET", "/a", .stallInBody(after: 3, of: Data("content".utf8)))
            let (client, reading) = (self.scene.client(), FixtureGate())
            reading.open()
            let task = Task {
                try await client.stream(FixtureData()) { response in
                    var iterator = response.body.makeAsyncIterator()
                    _ = try await iterator.next()
                    await reading.pass()
                    _ = try? await iterator.next()
                }
            }
            await reading.waitUntilReached()
            task.cancel()
            #expect(await streamingFailure { try await task.value }?.code == .cancelled)
            await self.scene.expectEnded(client)
        }

        // MARK: - Deadlines

        @Test(
            arguments: [
                (Timeouts(idle: .seconds(5)), "nothing was sent or received for 5.0 seconds"),
                (Timeouts(attempt: .seconds(5)), "an attempt took longer than 5.0 seconds"),
                (Timeouts(total: .seconds(5)), "the request took longer than 5.0 seconds"),
            ], [false, true])
        func `end with a deadline`(deadline: (Timeouts, String), isIntercepted: Bool) async throws {
            let client = self.scene.client { $0.environment.clock = self.scene.clock }
            let reading = FixtureGate()
            let call = self.stallingCall(reading, timeouts: deadline.0, isIntercepted: isIntercepted)
            let task = Task { _ = try await client.send(call) }
            await reading.waitUntilReached()
            // That of the next byte runs from when the reader asks for it.
            await fixtureUntil { client.environment.deadlines.count == 1 }
            await self.scene.clock.waitForSleeper()
            self.scene.clock.advance(by: .milliseconds(4_999))
            #expect(await client.record.count == 1)
            self.scene.clock.advance(by: .milliseconds(1))
            let error = await streamingFailure { try await task.value }
            #expect(error?.code == .timedOut)
            #expect(error?.message == deadline.1)
            await self.scene.expectEnded(client)
            #expect(await self.server.waitForClosedConnections(1))
        }

        @Test(arguments: [false, true])
        func `are not late while their reader takes its time`(isIntercepted: Bool) async throws {
            let client = self.scene.client { $0.environment.clock = self.scene.clock }
            let reading = FixtureGate()
            let timeouts = Timeouts(idle: .seconds(5))
            let call = self.stallingCall(reading, timeouts: timeouts, isIntercepted: isIntercepted, isHeld: true)
            let task = Task { _ = try await client.send(call) }
            await reading.waitUntilReached()
            await self.scene.clock.waitForSleeper()
            self.scene.clock.advance(by: .seconds(600))
            await fixtureUntil { client.environment.deadlines.count == 0 }
            #expect(await client.record.count == 1)
            reading.open()
            await fixtureUntil { client.environment.deadlines.count == 1 }
            await self.scene.clock.waitForSleeper()
            self.scene.clock.advance(by: .seconds(5))
            let error = await streamingFailure { try await task.value }
            #expect(error?.message == "nothing was sent or received for 5.0 seconds")
            await self.scene.expectEnded(client)
        }

        @Test(arguments: [false, true])
        func `are not late while their reader has not begun`(isIntercepted: Bool) async throws {
            self.server.route("GET", "/a", .text("content"))
            let client = self.scene.client { $0.environment.clock = self.scene.clock }
            let call = FixtureReading(
                timeouts: Timeouts(idle: .seconds(5)), interceptors: isIntercepted ? [self.pass] : []
            ) { response in
                await self.scene.clock.waitForSleeper()
                self.scene.clock.advance(by: .seconds(600))
                // The timer has looked, and found that nobody waits for anything.
                await fixtureUntil { client.environment.deadlines.count == 0 }
                return try await streamingAll(response.body).count
            }
            #expect(try await client.send(call) == 7)
            await self.scene.expectEnded(client)
        }

        @Test(arguments: [
            (Timeouts(idle: .seconds(5)), "nothing was sent or received for 5.0 seconds"),
            (Timeouts(attempt: .seconds(5)), "an attempt took longer than 5.0 seconds"),
        ])
        func `end with a deadline that passes before anyone reads`(deadline: (Timeouts, String)) async throws {
            // It passes while cookies are kept: the exchange has returned, and nobody reads yet.
            let store = StreamingSlowCookies()
            let message = LoopbackMessage(
                headers: ["Set-Cookie": "a=1"], body: .declared(7, sent: Data("con".utf8)))
            self.server.route("GET", "/a", LoopbackReply(.message(message), .stall))
            let client = self.scene.client {
                $0.environment.clock = self.scene.clock
                $0.cookies = .store(store)
                $0.interceptors = [self.pass]
            }
            let call = FixtureReading(timeouts: deadline.0) { try await streamingAll($0.body) }
            let task = Task { _ = try await client.send(call) }
            await store.gate.waitUntilReached()
            await fixtureUntil { self.scene.recorder.entries.contains { $0.call.name == "received" } }
            await self.scene.clock.waitForSleeper()
            self.scene.clock.advance(by: .seconds(5))
            // The timer has told whom it concerns when it has nothing left.
            await fixtureUntil { client.environment.deadlines.count == 0 }
            store.gate.open()
            let error = await streamingFailure { try await task.value }
            #expect(error?.message == deadline.1)
            await self.scene.expectEnded(client)
        }

        @Test func `leave no deadline behind`() async throws {
            self.server.route("GET", "/a", .text("content"))
            let client = self.scene.client { $0.environment.clock = self.scene.clock }
            let timeouts = Timeouts(
                connect: .seconds(1), firstByte: .seconds(2), idle: .seconds(3), attempt: .seconds(4),
                total: .seconds(5))
            let call = FixtureReading(timeouts: timeouts) { try await streamingAll($0.body).count }
            #expect(try await client.send(call) == 7)
            await self.scene.expectEnded(client)
        }

        // MARK: - Escaping

        @Test func `cannot be read after the closure`() async throws {
            self.server.route("GET", "/a", .stallInBody(after: 3, of: Data("content".utf8)))
            let client = self.scene.client()
            let body = try await client.stream(FixtureData()) { $0.body }
            let error = await streamingFailure { _ = try await streamingAll(body) }
            #expect(error?.code == .cancelled)
            #expect(await self.server.waitForClosedConnections(1))
        }

        @Test func `cannot be read on after the closure`() async throws {
            self.server.route("GET", "/a", .stallInBody(after: 3, of: Data("content".utf8)))
            let (client, reading) = (self.scene.client(), FixtureGate())
            let task = try await client.stream(FixtureData()) { response in
                let task = Task {
                    var iterator = response.body.makeAsyncIterator()
                    _ = try await iterator.next()
                    await reading.pass(isPatient: true)
                    _ = try await iterator.next()
                }
                await reading.waitUntilReached()
                return task
            }
            await self.scene.expectEnded(client)
            // Whoever still holds the body does not hold the connection.
            #expect(await self.server.waitForClosedConnections(1))
            reading.open()
            #expect(await streamingFailure { try await task.value }?.code == .cancelled)
        }

        @Test func `let go of those who still wait for more after the closure`() async throws {
            self.server.route("GET", "/a", .stallInBody(after: 3, of: Data("content".utf8)))
            let (client, reading) = (self.scene.client(), FixtureGate())
            reading.open()
            let task = try await client.stream(FixtureData()) { response in
                let task = Task {
                    var iterator = response.body.makeAsyncIterator()
                    _ = try await iterator.next()
                    await reading.pass()
                    _ = try await iterator.next()
                }
                await reading.waitUntilReached()
                return task
            }
            #expect(await streamingFailure { try await task.value }?.code == .cancelled)
            await self.scene.expectEnded(client)
            #expect(await self.server.waitForClosedConnections(1))
        }
    }

    /// Cookies that are kept when a test allows it.
    private struct StreamingSlowCookies: CookieStore {
        let gate = FixtureGate()

        func cookies(for url: HTTPURL) async -> [StoredCookie] { [] }

        func store(_ cookies: [StoredCookie], from url: HTTPURL) async {
            await self.gate.pass(isPatient: true)
        }

        func removeAll() async {}
    }
#endif
