internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

#if os(Linux)
    @Suite("Downloads that fail leave everything as it was", .timeLimit(.minutes(60)), .paced)
    struct DownloadFailureTests {
        private let scene: StreamingScene

        init() throws {
            self.scene = try StreamingScene()
        }

        private var server: LoopbackServer { self.scene.server }

        @Test(arguments: [404, 500, 204, 301])
        func `when the status is not accepted`(status: Int) async throws {
            try self.scene.putOldFile()
            let body = streamingBytes(20_000)
            self.server.route("GET", "/a", .data(body, status: HTTPStatus(rawValue: status)))
            let client = self.scene.client()
            let endpoint = FixtureText { $0.validation = ResponseValidation(statusCodes: 200...203) }
            let error = await streamingFailure { _ = try await client.download(endpoint, to: self.scene.place()) }
            #expect(error?.code == .unacceptableStatus)
            #expect(error?.context.status == HTTPStatus(rawValue: status))
            #expect(error?.context.body == (status == 204 ? Data() : body.prefix(ErrandError.Context.bodyLimit)))
            #expect(error?.context.attempts == 1)
            try self.scene.expectOldFile()
            await self.scene.expectEnded(client)
        }

        @Test(arguments: [
            LoopbackReply.shortBody(declared: 100_000, sent: streamingBytes(50_000)),
            .resetInBody(after: 50_000, of: streamingBytes(100_000)),
            .cutHeader(), .close, .reset,
            .raw("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nabcde"),
            .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcdeXX\r\n"),
        ])
        func `when the body breaks off`(reply: LoopbackReply) async throws {
            try self.scene.putOldFile()
            self.server.route("GET", "/a", reply.closing())
            let client = self.scene.client()
            let error = await streamingFailure { _ = try await client.download(FixtureData(), to: self.scene.place()) }
            #expect([.connectionLost, .invalidResponse].contains(error?.code))
            try self.scene.expectOldFile()
            await self.scene.expectEnded(client)
        }

        @Test(arguments: [false, true])
        func `while someone still holds their request`(isIntercepted: Bool) async throws {
            try self.scene.putOldFile()
            self.server.route("GET", "/a", .data(streamingBytes(20_000), status: 500))
            let twice = FixtureInterceptor { request, _, next in
                _ = try await next(request)
                return try await next(request)
            }
            let client = self.scene.client()
            let call = FixtureFile(file: self.scene.place(), said: .interceptors(isIntercepted ? [twice] : []))
            let request = client.request(call)
            let error = await streamingFailure { _ = try await request.value }
            #expect(error?.code == .unacceptableStatus)
            try self.scene.expectOldFile()
            #expect(await request.state == .failed)
            await self.scene.expectEnded(client)
        }

        enum Way: CaseIterable {
            case task, all, tag, shutdown
        }

        @Test(arguments: Way.allCases)
        func `when they are cancelled in the body`(way: Way) async throws {
            try self.scene.putOldFile()
            self.server.route("GET", "/a", .stallInBody(after: 50_000, of: streamingBytes(100_000)))
            let client = self.scene.client()
            let place = self.scene.place()
            let task = Task {
                try await client.download(FixtureData(), to: place, options: .tag("screen"))
            }
            await fixtureUntil { self.scene.recorder.entries.contains { $0.call.name == "received" } }
            #expect(try self.scene.names.count == 2)
            switch way {
            case .task: task.cancel()
            case .all: await client.cancelAll()
            case .tag: #expect(await client.record.cancel(tag: "screen") == 1)
            case .shutdown: await client.shutdown()
            }
            let error = await streamingFailure { _ = try await task.value }
            #expect(error?.code == (way == .shutdown ? .clientShutDown : .cancelled))
            try self.scene.expectOldFile()
            await self.scene.expectEnded(client)
            #expect(await self.server.waitForClosedConnections(1))
        }

        @Test func `when they are cancelled before`() async throws {
            try self.scene.putOldFile()
            let (client, place) = (self.scene.client(), self.scene.place())
            let task = Task {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                _ = try await client.download(FixtureData(), to: place)
            }
            #expect(await streamingFailure { try await task.value }?.code == .cancelled)
            try self.scene.expectOldFile()
            #expect(self.server.connectionsAccepted == 0)
        }

        @Test func `when they are cancelled while they wait for a slot`() async throws {
            try self.scene.putOldFile()
            let (client, place) = (self.scene.client(), self.scene.place())
            await client.scheduler.pause()
            let task = Task { _ = try await client.download(FixtureData(), to: place) }
            await fixtureUntil { await client.scheduler.waitingCount == 1 }
            task.cancel()
            #expect(await streamingFailure { try await task.value }?.code == .cancelled)
            try self.scene.expectOldFile()
            await self.scene.expectEnded(client)
            #expect(self.server.connectionsAccepted == 0)
        }

        @Test func `when they are cancelled, though an interceptor has an answer`() async throws {
            try self.scene.putOldFile()
            let gate = FixtureGate()
            let client = self.scene.client {
                $0.interceptors = [
                    FixtureInterceptor { _, _, _ in
                        await gate.pass(isPatient: true)
                        return HTTPResponse(status: 200, body: Data("new".utf8))
                    }
                ]
            }
            let place = self.scene.place()
            let task = Task { _ = try await client.download(FixtureData(), to: place) }
            await gate.waitUntilReached()
            task.cancel()
            gate.open()
            #expect(await streamingFailure { try await task.value }?.code == .cancelled)
            try self.scene.expectOldFile()
            await self.scene.expectEnded(client)
        }

        @Test func `when they are cancelled, though an interceptor has a stream whose end is near`() async throws {
            try self.scene.putOldFile()
            let gate = FixtureGate()
            let client = self.scene.client {
                $0.interceptors = [
                    FixtureInterceptor { _, _, _ in
                        HTTPResponse(
                            head: HTTPResponse.Head(status: .ok),
                            body: .stream(
                                BodyStream(isRepeatable: false) {
                                    {
                                        await gate.pass(isPatient: true)
                                        return nil
                                    }
                                }))
                    }
                ]
            }
            let place = self.scene.place()
            let task = Task { _ = try await client.download(FixtureData(), to: place) }
            await gate.waitUntilReached()
            task.cancel()
            gate.open()
            #expect(await streamingFailure { try await task.value }?.code == .cancelled)
            try self.scene.expectOldFile()
            await self.scene.expectEnded(client)
        }

        @Test(arguments: [
            Timeouts(idle: .seconds(5)), Timeouts(attempt: .seconds(5)), Timeouts(total: .seconds(5)),
        ])
        func `when a deadline passes in the body`(timeouts: Timeouts) async throws {
            try self.scene.putOldFile()
            self.server.route("GET", "/a", .stallInBody(after: 3, of: Data("content".utf8)))
            let client = self.scene.client { $0.environment.clock = self.scene.clock }
            let place = self.scene.place()
            let endpoint = FixtureText { $0.options = .timeouts(timeouts) }
            let task = Task { _ = try await client.download(endpoint, to: place) }
            await fixtureUntil { self.scene.recorder.entries.contains { $0.call.name == "received" } }
            await self.scene.clock.waitForSleeper()
            self.scene.clock.advance(by: .seconds(5))
            #expect(await streamingFailure { try await task.value }?.code == .timedOut)
            try self.scene.expectOldFile()
            await self.scene.expectEnded(client)
            #expect(await self.server.waitForClosedConnections(1))
        }

        // MARK: - Places that cannot be written to

        @Test func `when the folder does not exist`() async throws {
            self.server.route("GET", "/a", .text("content"))
            let place = self.scene.folder.appending(path: "none/file")
            let error = await streamingFailure { _ = try await self.scene.client().download(FixtureData(), to: place) }
            #expect(error?.code == .fileFailed)
            #expect(error?.message.contains("No such file") == true)
            #expect(error?.message.contains(place.deletingLastPathComponent().path) == true)
            #expect(try self.scene.names.isEmpty)
        }

        @Test(arguments: [true, false])
        func `when there is a folder at the place`(isKnown: Bool) async throws {
            let inner = self.scene.folder.appending(path: "inner", directoryHint: .isDirectory)
            try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
            self.server.route("GET", "/a", .text("content"))
            let client = self.scene.client()
            let place = isKnown ? inner : self.scene.place("inner")
            let error = await streamingFailure { _ = try await client.download(FixtureData(), to: place) }
            #expect(error?.code == .fileFailed)
            #expect(try self.scene.names == ["inner"])
            #expect(try FileManager.default.contentsOfDirectory(atPath: inner.path).isEmpty)
            #expect(await client.record.count == 0)
        }

        @Test(arguments: ["https://a.test/file", "file:///"])
        func `when the place is none`(place: String) async throws {
            let url = try #require(URL(string: place))
            let error = await streamingFailure { _ = try await self.scene.client().download(FixtureData(), to: url) }
            #expect(error?.code == .fileFailed)
            #expect(self.server.connectionsAccepted == 0)
        }

        @Test(.enabled(if: getuid() != 0, "root may write everywhere"))
        func `when the folder cannot be written to`() async throws {
            self.server.route("GET", "/a", .text("content"))
            try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: self.scene.folder.path)
            defer {
                try? FileManager.default.setAttributes(
                    [.posixPermissions: 0o700], ofItemAtPath: self.scene.folder.path)
            }
            let error = await streamingFailure {
                _ = try await self.scene.client().download(FixtureData(), to: self.scene.place())
            }
            #expect(error?.code == .fileFailed)
            #expect(try self.scene.names.isEmpty)
        }

        @Test func `when the transport cannot write files or hand out streams`() async throws {
            let client = self.scene.client { $0.transport = MemoryTransport() }
            try self.scene.putOldFile()
            let download = await streamingFailure {
                _ = try await client.download(FixtureData(), to: self.scene.place())
            }
            #expect(download?.code == .unsupported)
            let stream = await streamingFailure { try await client.stream(FixtureData()) { _ in } }
            #expect(stream?.code == .unsupported)
            try self.scene.expectOldFile()
        }

        /// Does nothing but refuse what is not for memory.
        private struct MemoryTransport: Transport {
            func exchange(
                _ request: HTTPRequest, _ context: ExchangeContext
            ) async throws(ErrandError) -> HTTPResponse {
                guard case .memory = context.destination else {
                    throw ErrandError(.unsupported, "a transport into memory")
                }
                return HTTPResponse(head: HTTPResponse.Head(status: .ok), body: .bytes(Data()))
            }
        }
    }
#endif
