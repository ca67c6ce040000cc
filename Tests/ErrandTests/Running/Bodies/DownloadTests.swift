internal import Errand
internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

#if os(Linux)
    @Suite("Downloads into files", .timeLimit(.minutes(60)), .paced)
    struct DownloadTests {
        private let scene: StreamingScene

        init() throws {
            self.scene = try StreamingScene()
        }

        private var server: LoopbackServer { self.scene.server }

        @Test(arguments: [0, 1, 100_000, 20 << 20])
        func `bring the whole body`(count: Int) async throws {
            let body = streamingBytes(count)
            self.server.route("GET", "/a", .data(body, headers: ["X-Name": "n"]))
            let client = self.scene.client { $0.limits.responseBody = 1000 }
            let file = try await client.download(FixtureData(), to: self.scene.place())
            #expect(file.url == self.scene.place())
            #expect(file.size == Int64(count))
            #expect(file.head.status == .ok)
            #expect(file.head.headers["X-Name"] == "n")
            #expect(try Data(contentsOf: self.scene.place()) == body)
            #expect(try self.scene.names == ["file"])
            await self.scene.expectEnded(client)
        }

        @Test func `replace a file that was there`() async throws {
            try self.scene.putOldFile()
            self.server.route("GET", "/a", .chunked([Data("new ".utf8), Data("content".utf8)]))
            let file = try await self.scene.client().download(FixtureData(), to: self.scene.place())
            #expect(file.size == 11)
            #expect(try Data(contentsOf: self.scene.place()) == Data("new content".utf8))
            #expect(try self.scene.names == ["file"])
        }

        @Test func `tell the size of what is there now, whatever was known of the old file`() async throws {
            try self.scene.putOldFile()
            let place = self.scene.place()
            #expect(try place.resourceValues(forKeys: [.fileSizeKey]).fileSize == 3)
            self.server.route("GET", "/a", .text("longer"))
            #expect(try await self.scene.client().download(FixtureData(), to: place).size == 6)
        }

        @Test func `are decompressed`() async throws {
            self.server.route("GET", "/a", .data(StreamingGzip.packed, headers: ["Content-Encoding": "gzip"]))
            let file = try await self.scene.client().download(FixtureData(), to: self.scene.place())
            #expect(try Data(contentsOf: file.url) == StreamingGzip.content)
            #expect(file.size == Int64(StreamingGzip.content.count))
        }

        @Test func `ask for what was published, and no coding of it, unless the call says something else`() async throws
        {
            self.server.route("GET", "/a", .text("content"))
            let client = self.scene.client()
            _ = try await client.download(FixtureData(), to: self.scene.place())
            _ = try await client.send(FixtureFile(file: self.scene.place("other")))
            _ = try await client.download(
                FixtureText { $0.headers = ["Accept-Encoding": "gzip"] }, to: self.scene.place())
            _ = try await client.download(
                FixtureText { $0.options = .omittingHeaders(["Accept-Encoding"]) }, to: self.scene.place())
            _ = try await client.send(FixtureData())
            let sent = self.server.received.map { $0.header("Accept-Encoding") }
            #expect(sent == ["identity", "identity", "gzip", "gzip, deflate, br, zstd", "gzip, deflate, br, zstd"])
        }

        /// A name may have 255 bytes in most file systems.
        @Test(arguments: ["a b%20c?#é", String(repeating: "字", count: 85), String(repeating: "n", count: 255), ".a"])
        func `take any name a file can have`(name: String) async throws {
            self.server.route("GET", "/a", .text("content"))
            let file = try await self.scene.client().download(FixtureData(), to: self.scene.place(name))
            #expect(try Data(contentsOf: file.url) == Data("content".utf8))
            #expect(try self.scene.names == [name])
        }

        @Test func `to the same place at once leave one whole file`() async throws {
            let bodies = [streamingBytes(3_000_000), Data(repeating: 7, count: 2_000_000)]
            self.server.route("GET", "/0", .data(bodies[0]))
            self.server.route("GET", "/1", .data(bodies[1]))
            let (client, place) = (self.scene.client(), self.scene.place())
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask { _ = try await client.download(FixtureData(path: "\(number % 2)"), to: place) }
                }
                try await group.waitForAll()
            }
            #expect(bodies.contains(try Data(contentsOf: place)))
            #expect(try self.scene.names == ["file"])
        }

        @Test func `are a batch of endpoints that say so`() async throws {
            self.server.route("GET", "/*") { .text("content of \($0.path)") }
            let calls = (0..<20).map { FixtureFile(path: "\($0)", file: self.scene.place("\($0)")) }
            let files = try await self.scene.client().batch(of: calls).value
            #expect(files == calls.map(\.file))
            for number in 0..<20 {
                #expect(try Data(contentsOf: files[number]) == Data("content of /\(number)".utf8))
            }
            #expect(try self.scene.names.count == 20)
        }

        @Test func `of an endpoint that is cached go past the cache`() async throws {
            self.server.route("GET", "/a", .text("content"))
            let client = self.scene.client()
            for _ in 0..<2 {
                let call = FixtureFile(file: self.scene.place(), said: .caching(.fresh(for: .seconds(1000))))
                #expect(try await client.send(call) == self.scene.place())
                try FileManager.default.removeItem(at: self.scene.place())
            }
            #expect(self.server.receivedCount == 2)
        }

        @Test func `follow redirections, whose own bodies go nowhere`() async throws {
            self.server.route("GET", "/a") { _ in
                .text("moved", status: 302, headers: ["Location": "/b"])
            }
            self.server.route("GET", "/b", .text("here"))
            let client = self.scene.client { $0.limits.concurrency = RequestScheduler.Limits(total: 1, perHost: 1) }
            let file = try await client.download(FixtureData(), to: self.scene.place())
            #expect(try Data(contentsOf: file.url) == Data("here".utf8))
            #expect(try self.scene.names == ["file"])
            await self.scene.expectEnded(client)
        }

        @Test func `go on when a challenge is answered`() async throws {
            self.server.route("GET", "/a") { request in
                guard request.header("Authorization") == "Basic QW5uOnNlY3JldA==" else {
                    return .text("who?", status: 401, headers: ["WWW-Authenticate": "Basic realm=\"home\""])
                }
                return .text("in")
            }
            let client = self.scene.client { $0.credentials.authenticator = StreamingLogin() }
            let file = try await client.download(FixtureData(), to: self.scene.place())
            #expect(try Data(contentsOf: file.url) == Data("in".utf8))
            #expect(try self.scene.names == ["file"])
        }

        @Test func `leave nothing behind of attempts that an interceptor makes again`() async throws {
            let turns = Locked(0)
            self.server.route("GET", "/a") { _ in
                let turn = turns.withLock { turns in
                    turns += 1
                    return turns
                }
                return turn < 3 ? .text("failure", status: 500) : .text("content")
            }
            let retry = FixtureInterceptor { request, _, next in
                var response = try await next(request)
                while response.status == 500 { response = try await next(request) }
                return response
            }
            let client = self.scene.client {
                $0.interceptors = [retry]
                $0.limits.concurrency = RequestScheduler.Limits(total: 1, perHost: 1)
            }
            let file = try await client.download(FixtureData(), to: self.scene.place())
            #expect(try Data(contentsOf: file.url) == Data("content".utf8))
            #expect(try self.scene.names == ["file"])
            #expect(self.server.receivedCount == 3)
            await self.scene.expectEnded(client)
        }

        @Test func `are seen by accessories`() async throws {
            self.server.route("GET", "/a", .data(streamingBytes(300_000)))
            _ = try await self.scene.client().download(FixtureData(), to: self.scene.place())
            let received = self.scene.recorder.entries.compactMap { entry in
                if case .event(.received(let progress)) = entry.call { progress } else { nil }
            }
            #expect(received.count > 1)
            #expect(received.map(\.bytes) == received.map(\.bytes).sorted())
            #expect(received.last == TransferProgress(bytes: 300_000, total: 300_000))
            let id = try #require(self.scene.recorder.ids(of: .request).first)
            #expect(self.scene.recorder.end(of: id)?.bodySize == 300_000)
            #expect(self.scene.recorder.entries.first?.activity.name == "FixtureData")
        }

        @Test func `fail with the name of the endpoint`() async throws {
            self.server.route("GET", "/a", .text("no", status: 500))
            let error = await streamingFailure {
                _ = try await self.scene.client().download(FixtureData(), to: self.scene.place())
            }
            #expect(error?.context.endpointName == "FixtureData")
        }

        @Test func `are sent as the endpoint says`() async throws {
            struct Call: Endpoint {
                var path: EndpointPath { "a" }
                var decoder: ResponseDecoder<Data> {
                    ResponseDecoder(contentTypes: [.any], accept: "application/pdf") { $0.data }
                }
                var options: RequestOptions {
                    .defaultHeaders(DefaultHeaders(userAgent: "own", acceptLanguage: nil, sendsAccept: true))
                }
            }
            self.server.route("GET", "/a", .text("content"))
            let client = self.scene.client()
            _ = try await client.send(Call())
            _ = try await client.download(Call(), to: self.scene.place())
            _ = try await client.stream(Call()) { _ in }
            for request in self.server.received {
                #expect(request.header("User-Agent") == "own")
                #expect(request.header("Accept") == "application/pdf")
            }
            #expect(self.server.receivedCount == 3)
        }
    }
#endif
