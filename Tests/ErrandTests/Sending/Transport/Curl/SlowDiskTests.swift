internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

#if os(Linux)
    /// A disk that does not answer holds up its own exchange, and nothing else of the transport.
    @Suite("A slow disk", .timeLimit(.minutes(60)), .paced)
    struct SlowDiskTests {
        private let scene: StreamingScene

        init() throws {
            self.scene = try StreamingScene()
            self.scene.server.route("GET", "/other", .text("other"))
        }

        private var server: LoopbackServer { self.scene.server }

        private func transport(_ gate: DiskGate) -> CurlTransport {
            var settings = TransportSettings()
            settings.proxy = .none
            return CurlTransport(settings: settings, version: nil, diskDelay: { gate.use() })
        }

        private func client(_ gate: DiskGate) -> Client {
            self.scene.client { $0.transport = self.transport(gate) }
        }

        private func download(_ count: Int) -> FixtureText {
            self.server.route("GET", "/file", .data(streamingBytes(count)))
            return FixtureText("file") { $0.options = .destination(.file(self.scene.place())) }
        }

        private func upload(_ count: Int) throws -> FixtureText {
            self.server.route("PUT", "/file", .text("thanks"))
            try streamingBytes(count).write(to: self.scene.place("content"))
            return FixtureText("file") {
                $0.method = .put
                $0.body = .file(self.scene.place("content"))
            }
        }

        /// Starts a request, waits until it is held up by the disk, and sees that others are not.
        private func heldUp<E: Endpoint>(
            _ endpoint: E, _ client: Client, _ gate: DiskGate, count: Int = 1
        ) async throws -> Request<E> {
            let request = client.request(endpoint)
            await request.start()
            await fixtureUntil {
                if await request.state == .failed { return true }
                return gate.waitingCount >= count
            }
            for _ in 0..<3 { #expect(try await client.send(FixtureText("other")) == "other") }
            #expect(await request.state == .running)
            return request
        }

        @Test(arguments: [0, 1, 3])
        func `under a download lets others go on, and then brings the whole body`(free: Int) async throws {
            let gate = try DiskGate(free: free)
            let client = self.client(gate)
            let request = try await self.heldUp(
                DownloadCall(base: self.download(5_000_000)), client, gate)
            gate.open()
            #expect(try await request.value.size == 5_000_000)
            #expect(try Data(contentsOf: self.scene.place()) == streamingBytes(5_000_000))
            await client.shutdown()
        }

        @Test func `holds the server back`() async throws {
            let gate = try DiskGate(free: 1)
            let client = self.client(gate)
            let request = try await self.heldUp(
                DownloadCall(base: self.download(60_000_000)), client, gate)
            #expect(self.server.bytesSent < 40_000_000)
            gate.open()
            #expect(try await request.value.size == 60_000_000)
            await client.shutdown()
        }

        @Test(arguments: [0, 1])
        func `is waited for at the end of a body that has come`(count: Int) async throws {
            let gate = try DiskGate(free: 1)
            let client = self.client(gate)
            let request = try await self.heldUp(
                DownloadCall(base: self.download(count)), client, gate)
            // All has come, and others use the connection: the request is not over.
            #expect(try self.scene.names != ["file"])
            gate.open()
            #expect(try await request.value.size == Int64(count))
            #expect(try self.scene.names == ["file"])
            await client.shutdown()
        }

        @Test(arguments: [0, 1, 2], [10, 5_000_000])
        func `under a download does not hold up its cancelling`(free: Int, count: Int) async throws {
            let gate = try DiskGate(free: free)
            let client = self.client(gate)
            let call = DownloadCall(base: self.download(count))
            // A small body has three uses: its file is opened, written and finished.
            let request = try await self.heldUp(call, client, gate)
            request.cancel()
            let error = await #expect(throws: ErrandError.self) { try await request.value }
            #expect(error?.code == .cancelled)
            #expect(try await client.send(FixtureText("other")) == "other")
            gate.open()
            await fixtureUntil { (try? self.scene.names.isEmpty) == true }
            await client.shutdown()
        }

        @Test(arguments: [0, 1, 2])
        func `under an upload lets others go on, and then sends the whole body`(free: Int) async throws {
            let gate = try DiskGate(free: free)
            let client = self.client(gate)
            let request = try await self.heldUp(try self.upload(5_000_000), client, gate)
            gate.open()
            #expect(try await request.value == "thanks")
            #expect(self.server.received.last { $0.method == "PUT" }?.body == streamingBytes(5_000_000))
            await client.shutdown()
        }

        @Test(arguments: [0, 1])
        func `under an upload does not hold up its cancelling`(free: Int) async throws {
            let gate = try DiskGate(free: free)
            let client = self.client(gate)
            let request = try await self.heldUp(try self.upload(5_000_000), client, gate)
            request.cancel()
            let error = await #expect(throws: ErrandError.self) { try await request.value }
            #expect(error?.code == .cancelled)
            #expect(try await client.send(FixtureText("other")) == "other")
            gate.open()
            await client.shutdown()
        }

        /// What is sent in pieces, as a form or compressed, is read by the task that makes them.
        @Test func `under a part of a body does not hold up the cancelling of who reads it`() async throws {
            let (gate, content) = (try DiskGate(free: 1), self.scene.place("content"))
            try streamingBytes(100).write(to: content)
            let file = try RegularFile(content, delay: { gate.use() })
            #expect(try await file.read(60, from: 0) == streamingBytes(100).prefix(60))
            let task = Task { try await file.read(60, from: 60) }
            await fixtureUntil { gate.waitingCount == 1 }
            task.cancel()
            let error = await #expect(throws: ErrandError.self) { try await task.value }
            #expect(error?.code == .cancelled)
            gate.open()
            #expect(try await file.read(60, from: 60) == streamingBytes(100).dropFirst(60))
        }

        @Test(arguments: [0, 1])
        func `does not hold up the end of the transport`(free: Int) async throws {
            let gate = try DiskGate(free: free)
            let transport = self.transport(gate)
            let client = self.scene.client { $0.transport = transport }
            let request = try await self.heldUp(
                DownloadCall(base: self.download(5_000_000)), client, gate)
            // A file that is still being opened is waited for by its task, which the client ends.
            if free > 0 { transport.shutdown() } else { await client.shutdown() }
            let error = await #expect(throws: ErrandError.self) { try await request.value }
            #expect(error?.code == .clientShutDown)
            gate.open()
            await fixtureUntil { (try? self.scene.names.isEmpty) == true }
        }

        @Test func `is used for many bodies at once`() async throws {
            let client = self.scene.client { $0.network.proxy = .none }
            self.server.route("PUT", "/echo") { .data($0.body) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<12 {
                    group.addTask {
                        let content = streamingBytes(number * 150_000 + number)
                        let (source, place) = (self.scene.place("s\(number)"), self.scene.place("d\(number)"))
                        try content.write(to: source)
                        let echo = FixtureText("echo") {
                            $0.method = .put
                            $0.body = .file(source)
                        }
                        _ = try await client.download(echo, to: place)
                        #expect(try Data(contentsOf: place) == content)
                    }
                }
                try await group.waitForAll()
            }
            await client.shutdown()
        }
    }
#endif
