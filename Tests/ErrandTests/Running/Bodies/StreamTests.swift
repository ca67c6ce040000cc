internal import Errand
internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

#if os(Linux)
    @Suite("Bodies that are read while they come", .timeLimit(.minutes(60)), .paced)
    struct StreamTests {
        private let scene: StreamingScene

        init() throws {
            self.scene = try StreamingScene()
        }

        private var server: LoopbackServer { self.scene.server }

        @Test(arguments: [0, 1, 100_000, 20 << 20], [1, 256 << 10])
        func `are whole`(count: Int, buffer: Int) async throws {
            let body = streamingBytes(count)
            self.server.route("GET", "/a", .data(body, headers: ["X-Name": "n"]))
            let client = self.scene.client { $0.limits.responseBody = 1000 }
            let read = try await client.stream(FixtureData(), buffer: buffer) { response in
                #expect(response.head.status == .ok)
                #expect(response.head.headers["X-Name"] == "n")
                return try await streamingAll(response.body)
            }
            #expect(read == body)
            await self.scene.expectEnded(client)
        }

        @Test func `are decompressed`() async throws {
            self.server.route("GET", "/a", .data(StreamingGzip.packed, headers: ["Content-Encoding": "gzip"]))
            let read = try await self.scene.client().stream(FixtureData()) { try await streamingAll($0.body) }
            #expect(read == StreamingGzip.content)
        }

        @Test func `give the value that the closure makes, nothing included`() async throws {
            self.server.route("GET", "/a", .text("content"))
            let value: Int? = try await self.scene.client().stream(FixtureData()) { _ in nil }
            #expect(value == nil)
        }

        @Test func `come chunk by chunk, as the server sends them`() async throws {
            let gate = LoopbackGate()
            let message = LoopbackMessage(body: .declared(6, sent: Data("abc".utf8)))
            self.server.route("GET", "/a", LoopbackReply(.message(message), .hold(gate), .bytes(Data("def".utf8))))
            let chunks = try await self.scene.client().stream(FixtureData()) { response in
                var chunks: [String] = []
                for try await chunk in response.body {
                    chunks.append(String(decoding: chunk, as: UTF8.self))
                    gate.open()
                }
                return chunks
            }
            #expect(chunks == ["abc", "def"])
        }

        @Test func `are seen by accessories`() async throws {
            self.server.route("GET", "/a", .data(streamingBytes(300_000)))
            _ = try await self.scene.client().stream(FixtureData()) { try await streamingAll($0.body).count }
            let received = self.scene.recorder.entries.compactMap { entry in
                if case .event(.received(let progress)) = entry.call { progress } else { nil }
            }
            #expect(received.map(\.bytes) == received.map(\.bytes).sorted())
            #expect(received.last == TransferProgress(bytes: 300_000, total: 300_000))
            let id = try #require(self.scene.recorder.ids(of: .request).first)
            #expect(self.scene.recorder.end(of: id)?.bodySize == 300_000)
            #expect(self.scene.recorder.entries.first?.activity.name == "FixtureData")
        }

        @Test func `hold the server back while nobody reads`() async throws {
            let (pieces, piece) = (64, streamingBytes(1 << 20))
            // It is open: it only counts how many pieces the system has taken from the server.
            let taken = LoopbackGate(isOpen: true)
            let head = LoopbackMessage(body: .declared(pieces * piece.count, sent: Data()))
            self.server.route(
                "GET", "/a",
                LoopbackReply(
                    steps: [.message(head)] + (0..<pieces).flatMap { _ in [.bytes(piece), .hold(taken)] }))
            self.server.route("GET", "/b", .text("b"))
            let client = self.scene.client()
            let count = try await client.stream(FixtureData()) { response in
                var iterator = response.body.makeAsyncIterator()
                var count = try await iterator.next()?.count ?? 0
                // The server does one thing after another, a piece at most in each turn: in these it could send all.
                for _ in 0..<200 { _ = try await client.send(FixtureText("b")) }
                #expect(taken.reachedCount < 32)
                while let chunk = try await iterator.next() { count += chunk.count }
                return count
            }
            #expect(count == pieces * piece.count)
            #expect(taken.reachedCount == pieces)
        }

        // MARK: - Leaving early

        @Test(arguments: [true, false], [true, false])
        func `are not received any further when the closure returns`(isBegun: Bool, isIntercepted: Bool) async throws {
            self.server.route("GET", "/a", .stallInBody(after: 50_000, of: streamingBytes(100_000)))
            self.server.route("GET", "/b", .text("b"))
            let client = self.scene.narrowClient {
                if isIntercepted { $0.interceptors = [FixtureInterceptor { try await $2($0) }] }
            }
            let count = try await client.stream(FixtureData()) { response in
                guard isBegun else { return 1 }
                for try await chunk in response.body { return chunk.count }
                return 0
            }
            #expect(count > 0)
            await self.scene.expectEnded(client)
            #expect(await self.server.waitForClosedConnections(1))
            #expect(try await client.send(FixtureText("b")) == "b")
        }

        @Test func `end with the error that the closure throws`() async throws {
            self.server.route("GET", "/a", .stallInBody(after: 50_000, of: streamingBytes(100_000)))
            self.server.route("GET", "/b", .text("b"))
            let client = self.scene.narrowClient()
            let error = await streamingFailure {
                try await client.stream(FixtureData()) { response in
                    for try await _ in response.body { throw FixtureError() }
                }
            }
            #expect(error?.code == .callbackFailed)
            #expect(error?.cause as? FixtureError == FixtureError())
            #expect(error?.context.status == .ok)
            await self.scene.expectEnded(client)
            #expect(await self.server.waitForClosedConnections(1))
            #expect(try await client.send(FixtureText("b")) == "b")
        }

        @Test func `end with an error of this package as it is`() async throws {
            self.server.route("GET", "/a", .text("content"))
            let client = self.scene.client()
            let error = await streamingFailure {
                try await client.stream(FixtureData()) { _ in throw ErrandError(.encodingFailed, "own words") }
            }
            #expect(error?.code == .encodingFailed)
            #expect(error?.message == "own words")
            await self.scene.expectEnded(client)
        }

        // MARK: - Failing

        @Test(arguments: [404, 500, 302])
        func `are not read when the status is not accepted`(status: Int) async throws {
            let body = streamingBytes(20_000)
            self.server.route("GET", "/a", .data(body, status: HTTPStatus(rawValue: status)))
            let client = self.scene.narrowClient()
            let error = await streamingFailure { try await client.stream(FixtureData()) { _ in _ = Issue.record() } }
            #expect(error?.code == .unacceptableStatus)
            #expect(error?.context.status == HTTPStatus(rawValue: status))
            #expect(error?.context.body == body.prefix(ErrandError.Context.bodyLimit))
            await self.scene.expectEnded(client)
        }

        @Test func `of an endless refusal are left`() async throws {
            self.server.route("GET", "/a", .stallInBody(after: 50_000, of: streamingBytes(100_000), status: 500))
            let client = self.scene.narrowClient()
            let error = await streamingFailure { try await client.stream(FixtureData()) { _ in _ = Issue.record() } }
            #expect(error?.code == .unacceptableStatus)
            #expect(error?.context.body == streamingBytes(ErrandError.Context.bodyLimit))
            await self.scene.expectEnded(client)
            #expect(await self.server.waitForClosedConnections(1))
        }

        @Test(arguments: [
            LoopbackReply.shortBody(declared: 100_000, sent: streamingBytes(50_000)),
            .resetInBody(after: 50_000, of: streamingBytes(100_000)),
            .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\nXX\r\n"),
        ])
        func `that break off fail the reading`(reply: LoopbackReply) async throws {
            self.server.route("GET", "/a", reply.closing())
            let client = self.scene.narrowClient()
            let inner = Locked<ErrandError.Code?>(nil)
            let error = await streamingFailure {
                try await client.stream(FixtureData()) { response in
                    do throws(ErrandError) {
                        _ = try await streamingAll(response.body)
                    } catch {
                        inner.withLock { $0 = error.code }
                        throw error
                    }
                }
            }
            #expect([.connectionLost, .invalidResponse].contains(error?.code))
            #expect(inner.withLock { $0 } == error?.code)
            await self.scene.expectEnded(client)
        }

        @Test func `can be read only once`() async throws {
            self.server.route("GET", "/a", .text("content"))
            let client = self.scene.client()
            let error = await streamingFailure {
                try await client.stream(FixtureData()) { response in
                    _ = try await streamingAll(response.body)
                    _ = try await streamingAll(response.body)
                }
            }
            #expect(error?.code == .bodyAlreadyRead)
            await self.scene.expectEnded(client)
        }
    }
#endif
