internal import Errand
internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

#if os(Linux)
    @Suite("Downloads that are resumed (G13, G17)", .timeLimit(.minutes(60)), .paced, .tags(.threadSanitizer))
    struct ResumedDownloadTests {
        private let scene: StreamingScene
        private let body = streamingBytes(3_000_000)

        init() throws {
            self.scene = try StreamingScene()
        }

        private var server: LoopbackServer { self.scene.server }

        /// The ranges that were asked for, in order; `nil` for a request without one.
        private var ranges: [String?] { self.server.received.map { $0.headers["Range"] } }

        private func download(
            _ client: Client? = nil, _ call: FixtureText = FixtureText(), resuming: DownloadResumption = .automatic,
            sha256: String? = nil
        ) async throws -> DownloadedFile {
            try await (client ?? self.scene.client()).download(
                call, to: self.scene.place(), resuming: resuming, sha256: sha256)
        }

        private func expectBody(_ body: Data? = nil, sourceLocation: SourceLocation = #_sourceLocation) throws {
            #expect(try Data(contentsOf: self.scene.place()) == body ?? self.body, sourceLocation: sourceLocation)
            let names = try self.scene.names
            #expect(names == ["file"], sourceLocation: sourceLocation)
        }

        /// Downloads a part, and fails then.
        private func interrupt(after count: Int, tag: String = "\"1\"", headers: LoopbackFields = [:]) async throws {
            let body = self.body
            self.answer { request, number in
                guard number == 1 else { return .close }
                return .range(of: body, for: request, tag: tag, cutAfter: count, headers: headers)
            }
            let error = await streamingFailure { _ = try await self.download() }
            #expect(error?.code == .connectionLost)
            #expect(!FileManager.default.fileExists(atPath: self.scene.place().path))
        }

        /// Answers requests by how many there have been, from now on.
        private func answer(_ reply: @escaping @Sendable (LoopbackRequest, Int) -> LoopbackReply) {
            self.server.add(LoopbackRoute("GET", "/a", answer: reply))
        }

        private func serve(_ body: Data? = nil, tag: String = "\"1\"", headers: LoopbackFields = [:]) {
            let body = body ?? self.body
            self.server.route("GET", "/a") { .range(of: body, for: $0, tag: tag, headers: headers) }
        }

        // MARK: - Within one request

        @Test func `go on where the connection was lost, and ask for no byte twice`() async throws {
            let (body, cut) = (self.body, 100_000)
            self.server.route("GET", "/a") { .range(of: body, for: $0, cutAfter: cut) }
            let client = self.scene.client()
            let file = try await self.download(client)
            #expect(file.size == Int64(body.count))
            try self.expectBody()
            #expect(self.ranges == [nil] + (1..<30).map { "bytes=\($0 * cut)-" })
            #expect(self.server.received.dropFirst().allSatisfy { $0.headers["If-Range"] == "\"1\"" })
            #expect(self.server.received.allSatisfy { $0.headers["Accept-Encoding"] == "identity" })
            await self.scene.expectEnded(client)
        }

        @Test(arguments: 0..<20)
        func `have the right bytes, wherever connections are lost`(seed: UInt64) async throws {
            let body = self.body.prefix(200_000)
            let random = Locked(SplitMix64(seed: seed))
            self.server.route("GET", "/a") { request in
                .range(
                    of: Data(body), for: request, cutAfter: random.withLock { Int.random(in: 1...40_000, using: &$0) })
            }
            _ = try await self.download()
            try self.expectBody(Data(body))
        }

        @Test func `tell of the whole in the response and in the progress`() async throws {
            let body = self.body
            self.server.route("GET", "/a") { .range(of: body, for: $0, cutAfter: 2_000_000) }
            let client = self.scene.client()
            let file = try await self.download(client)
            #expect(file.head.status == .ok)
            #expect(file.head.headers["Content-Range"] == nil)
            #expect(file.head.headers["Content-Length"] == "\(body.count)")
            let progress = self.scene.recorder.entries.compactMap { entry -> TransferProgress? in
                if case .event(.received(let progress)) = entry.call { progress } else { nil }
            }
            #expect(progress.last == TransferProgress(bytes: Int64(body.count), total: Int64(body.count)))
            #expect(progress.map(\.bytes) == progress.map(\.bytes).sorted())
        }

        @Test func `end where a connection brings nothing`() async throws {
            try await self.interrupt(after: 1_000_000)
            #expect(self.ranges == [nil, "bytes=1000000-"])
        }

        // MARK: - With the next request

        @Test func `go on where an earlier request was interrupted`() async throws {
            try await self.interrupt(after: 1_000_000)
            self.serve()
            let file = try await self.download()
            #expect(file.size == Int64(self.body.count))
            try self.expectBody()
            #expect(self.ranges.last == "bytes=1000000-")
        }

        @Test func `D34: go on at once after a cancellation`() async throws {
            let (body, gate) = (self.body, LoopbackGate())
            self.server.route("GET", "/a") { request in
                let message = LoopbackMessage(
                    headers: ["ETag": "\"1\""], body: .declared(body.count, sent: body.prefix(1_000_000)))
                return LoopbackReply(.message(message), .hold(gate))
            }
            let reached = Waiter<Void>()
            let watch = FixtureHooks(observe: { event, _ in
                if case .received(let progress) = event, progress.bytes >= 1_000_000 { reached.resume(()) }
            })
            let task = Task {
                try await self.scene.client { $0.accessories = [watch] }
                    .download(FixtureText(), to: self.scene.place(), resuming: .automatic)
            }
            _ = await reached.wait()
            task.cancel()
            _ = await task.result
            self.serve()
            _ = try await self.download()
            try self.expectBody()
            // What the file had taken when it was closed.
            let range = try #require(self.ranges.last ?? nil)
            #expect(range == "bytes=1000000-")
            gate.open()
        }

        @Test func `ask for the last byte where all of them are there`() async throws {
            let (body, place) = (self.body, self.scene.place())
            self.server.route("GET", "/a") { request in
                // The place is taken while the body comes.
                _ = FileManager.default.createFile(atPath: place.path, contents: Data("other".utf8))
                return .range(of: body, for: request)
            }
            let client = self.scene.client()
            let error = await streamingFailure {
                _ = try await client.download(FixtureText(), to: place, existing: .fail, resuming: .automatic)
            }
            #expect(error?.code == .fileFailed)
            try FileManager.default.removeItem(at: place)
            self.serve()
            _ = try await self.download()
            try self.expectBody()
            #expect(self.ranges == [nil, "bytes=\(self.body.count - 1)-"])
        }

        @Test func `begin again when the body has changed`() async throws {
            try await self.interrupt(after: 1_000_000)
            let changed = streamingBytes(2_000_001)
            self.serve(changed, tag: "\"2\"")
            _ = try await self.download()
            try self.expectBody(changed)
        }

        @Test func `T34: go on after a deadline has passed, with progress that begins with what was there`()
            async throws
        {
            let (body, clock) = (self.body, TestClock())
            self.server.route("GET", "/a") { request in
                let message = LoopbackMessage(
                    headers: ["ETag": "\"1\""], body: .declared(body.count, sent: body.prefix(1_000_000)))
                return LoopbackReply(.message(message), .stall)
            }
            let reached = Waiter<Void>()
            let watch = FixtureHooks(observe: { event, _ in
                if case .received(let progress) = event, progress.bytes >= 1_000_000 { reached.resume(()) }
            })
            let late = self.scene.client {
                $0.accessories = [watch]
                $0.environment.clock = clock
                $0.options = $0.options.timeout(total: .seconds(1))
            }
            async let failure = streamingFailure { _ = try await self.download(late) }
            _ = await reached.wait()
            await clock.waitForSleeper()
            clock.advance(by: .seconds(1))
            #expect(await failure?.code == .timedOut)
            self.serve()
            _ = try await self.download()
            try self.expectBody()
            let first = self.scene.recorder.entries.lazy.compactMap { entry -> Int64? in
                if case .event(.received(let progress)) = entry.call { progress.bytes } else { nil }
            }.first { _ in true }
            #expect(try #require(first) > 1_000_000)
        }

        @Test func `D33: begin again for another URL`() async throws {
            try await self.interrupt(after: 1_000_000)
            let other = streamingBytes(10)
            self.server.route("GET", "/b") { .range(of: other, for: $0) }
            _ = try await self.download(nil, FixtureText("b"))
            try self.expectBody(other)
            #expect(self.ranges.last == .some(nil))
        }

        @Test(arguments: ["W/\"1\"", "1", "\"\u{7F}\"", ""])
        func `keep nothing without a strong validator`(tag: String) async throws {
            try await self.interrupt(after: 1_000_000, tag: tag)
            #expect(try self.scene.names == [])
            #expect(self.ranges == [nil])
        }

        @Test func `keep nothing of a body that is coded`() async throws {
            let (packed, tag) = (StreamingGzip.packed, "\"1\"")
            self.server.route("GET", "/a") { request in
                .range(
                    of: packed, for: request, tag: tag, cutAfter: packed.count - 1,
                    headers: ["Content-Encoding": "gzip"])
            }
            let error = await streamingFailure { _ = try await self.download() }
            #expect(error != nil)
            #expect(self.ranges == [nil])
            #expect(try self.scene.names == [])
        }

        @Test(arguments: [(404, true), (410, true), (403, false), (503, false)])
        func `are kept when the server refuses, unless there is nothing any more`(
            status: Int, isOver: Bool
        ) async throws {
            try await self.interrupt(after: 1_000_000)
            self.server.route("GET", "/a", .text("no", status: HTTPStatus(rawValue: status)))
            let error = await streamingFailure { _ = try await self.download() }
            #expect(error?.code == .unacceptableStatus)
            #expect(error?.context.body == Data("no".utf8))
            #expect(try self.scene.names.isEmpty == isOver)
            self.serve()
            _ = try await self.download()
            try self.expectBody()
            #expect(self.ranges.last == .some(isOver ? nil : "bytes=1000000-"))
        }

        // MARK: - Servers that contradict themselves

        private static let size = 3_000_000

        /// What a server says to a request for the bytes from 1 000 000 on, with that many bytes of zeros behind it.
        private static let lies: [(status: HTTPStatus, range: String?, count: Int, LoopbackFields)] = [
            (206, nil, 2_000_000, [:]),
            (206, "bytes 0-2999999/3000000", 3_000_000, [:]),
            (206, "bytes 999999-2999999/3000000", 2_000_001, [:]),
            (206, "bytes 1000001-2999999/3000000", 1_999_999, [:]),
            (206, "bytes 1000000-2999999/2999999", 2_000_000, [:]),
            (206, "bytes 1000000-3000000/*", 2_000_001, [:]),
            (206, "bytes 1000000-3999999/4000000", 3_000_000, [:]),
            (206, "bytes 1000000-2999999", 2_000_000, [:]),
            (206, "bytes 1000000-/3000000", 2_000_000, [:]),
            (206, "bytes -1000000/3000000", 2_000_000, [:]),
            (206, "bytes */3000000", 2_000_000, [:]),
            (206, "bytes 2999999-1000000/3000000", 2_000_000, [:]),
            (206, "lines 1000000-2999999/3000000", 2_000_000, [:]),
            (206, "bytes +1000000-2999999/3000000", 2_000_000, [:]),
            (206, "bytes 1000000-99999999999999999999/3000000", 2_000_000, [:]),
            (206, "bytes 1000000-2999999/3000000, bytes 1000000-2999999/3000000", 2_000_000, [:]),
            (206, "bytes 1000000-2999999/3000000", 1_999_999, [:]),
            (206, "bytes 1000000-1999999/3000000", 2_000_000, [:]),
            (206, "bytes 1000000-2999999/3000000", 2_000_000, ["ETag": "\"2\""]),
            (206, "bytes 1000000-2999999/3000000", 2_000_000, ["ETag": "W/\"1\""]),
            (206, "bytes 1000000-2999999/3000000", 2_000_000, ["Content-Encoding": "x-own"]),
            (206, nil, 2_000_000, ["Content-Type": "multipart/byteranges; boundary=a"]),
            (416, "bytes */3000000", 0, [:]),
            (416, "bytes */999999", 0, [:]),
            (416, "bytes */1000000", 0, [:]),
            (416, nil, 10, [:]),
            (412, nil, 10, [:]),
        ]

        @Test(arguments: lies.indices)
        func `never join what does not belong together`(index: Int) async throws {
            try await self.interrupt(after: 1_000_000)
            let (status, range, count, headers) = Self.lies[index]
            let body = self.body
            self.server.route("GET", "/a") { request in
                guard request.headers["Range"] != nil else { return .range(of: body, for: request) }
                var headers = headers
                if headers["ETag"] == nil { headers.append("ETag", "\"1\"") }
                if let range { headers.append("Content-Range", range) }
                return .data(Data(count: count), status: status, headers: headers)
            }
            _ = try await self.download()
            try self.expectBody()
            #expect(Array(self.ranges.suffix(2)) == ["bytes=1000000-", nil])
        }

        @Test func `never take more of a response than its range, also of one that is cut`() async throws {
            try await self.interrupt(after: 1_000_000)
            let body = self.body
            self.answer { request, number in
                guard number == 1 else { return .range(of: body, for: request) }
                let surplus = [Data(body[1_000_000..<1_500_000]), Data(count: 500_000)]
                var head = "HTTP/1.1 206 Partial Content\r\nETag: \"1\"\r\n"
                head += "Content-Range: bytes 1000000-1499999/3000000\r\nTransfer-Encoding: chunked\r\n\r\n"
                let chunks = surplus.reduce(Data(head.utf8)) { text, piece in
                    text + Data("\(String(piece.count, radix: 16))\r\n".utf8) + piece + Data("\r\n".utf8)
                }
                return LoopbackReply(.bytes(chunks), .close)
            }
            _ = try await self.download()
            try self.expectBody()
        }

        @Test func `never join what two resources bring, though their tags are alike`() async throws {
            let (body, other) = (self.body, Data(count: Self.size))
            let target = Locked("v1")
            self.server.route("GET", "/a") { _ in .redirect(to: "/\(target.withLock { $0 })") }
            self.server.route("GET", "/v1") { request in
                request.headers["Range"] == nil ? .range(of: other, for: request, cutAfter: 1_000_000) : .close
            }
            _ = await streamingFailure { _ = try await self.download() }
            target.withLock { $0 = "v2" }
            self.server.route("GET", "/v2") { .range(of: body, for: $0) }
            _ = try await self.download()
            try self.expectBody()
        }

        @Test(arguments: [
            ("id=1", "id=2", false), ("id=1&v=1", "id=1", false), ("id=1", "id=1&signed=1", false),
            ("id=1&X-Amz-Date=1&X-Amz-Signature=a", "id=1&x-amz-date=2&x-amz-signature=b", true),
            ("id=1&X-Amz-Date=1&X-Amz-Signature=a", "id=2&X-Amz-Date=1&X-Amz-Signature=a", false),
            ("id=1&Expires=1&Signature=a&Key-Pair-Id=k", "Expires=2&id=1&Signature=b&Key-Pair-Id=k", true),
            ("id=1&Expires=1", "id=1&Expires=2", false), ("sv=1&se=2&sig=3", "sv=1&se=4&sig=5", true),
        ])
        func `never join what two queries bring, unless they are signatures`(
            first: String, second: String, isJoined: Bool
        ) async throws {
            let body = self.body
            let query = Locked(first)
            self.server.route("GET", "/a") { _ in .redirect(to: "/dl?\(query.withLock { $0 })") }
            self.server.route("GET", "/dl") { request in
                request.headers["Range"] == nil ? .range(of: body, for: request, cutAfter: 1_000_000) : .close
            }
            _ = await streamingFailure { _ = try await self.download() }
            query.withLock { $0 = second }
            self.server.route("GET", "/dl") { .range(of: body, for: $0) }
            _ = try await self.download()
            try self.expectBody()
            #expect((self.ranges.last == .some("bytes=1000000-")) == isJoined)
        }

        @Test func `never join what two hosts of one server bring`() async throws {
            try await self.interrupt(after: 1_000_000)
            let other = streamingBytes(3_000_000).reversed()
            self.serve(Data(other))
            _ = try await self.download(nil, FixtureText { $0.headers = ["Host": "tenant.test"] })
            try self.expectBody(Data(other))
            #expect(self.ranges.last == .some(nil))
        }

        // MARK: - Servers that do not know how long a body is

        /// A body whose length the head does not say, and which ends without its end.
        private static func endless(_ body: Data, _ fields: String = "") -> LoopbackReply {
            let head = "HTTP/1.1 200 OK\r\nETag: \"1\"\r\n\(fields)Transfer-Encoding: chunked\r\n\r\n"
            let chunk = Data("\(String(body.count, radix: 16))\r\n".utf8) + body + Data("\r\n".utf8)
            return LoopbackReply(.bytes(Data(head.utf8) + chunk), .close)
        }

        @Test(
            arguments: [([:], true), (["ETag": "\"1\""], true), (["ETag": "\"2\""], false)] as [(LoopbackFields, Bool)])
        func `are complete where the server has no byte beyond those that are there`(
            fields: LoopbackFields, isComplete: Bool
        ) async throws {
            let body = self.body
            self.answer { request, number in
                guard request.headers["Range"] != nil else {
                    return number == 1
                        ? Self.endless(body, "Content-Type: text/x-own\r\n") : .range(of: body, for: request)
                }
                var fields = fields
                fields.append("Content-Range", "bytes */\(body.count)")
                fields.append("Content-Type", "text/html")
                return .data(Data("<p>".utf8), status: 416, headers: fields)
            }
            let file = try await self.download()
            try self.expectBody()
            #expect(file.head.status == .ok)
            #expect(file.head.headers["Content-Range"] == nil)
            #expect(file.head.headers["Content-Length"] == "\(body.count)")
            #expect((file.head.headers["Content-Type"] == "text/x-own") == isComplete)
            #expect(self.ranges == [nil, "bytes=\(body.count)-"] + (isComplete ? [] : [nil]))
        }

        @Test(arguments: [true, false])
        func `go on with a part whose server does not know the length`(isLengthKnown: Bool) async throws {
            let body = self.body
            self.answer { request, number in
                if number == 1 {
                    return isLengthKnown
                        ? .range(of: body, for: request, cutAfter: 1_000_000) : Self.endless(body.prefix(1_000_000))
                }
                guard request.headers["Range"] == "bytes=1000000-" else {
                    return .status(416, headers: ["Content-Range": "bytes */\(body.count)"])
                }
                return .data(
                    body.dropFirst(1_000_000), status: 206,
                    headers: ["ETag": "\"1\"", "Content-Range": "bytes 1000000-\(body.count - 1)/*"])
            }
            let file = try await self.download()
            try self.expectBody()
            #expect(file.head.status == .ok)
            #expect(self.ranges == [nil, "bytes=1000000-"] + (isLengthKnown ? [] : ["bytes=\(body.count)-"]))
        }

        @Test func `never believe that a whole response is shorter than it was`() async throws {
            try await self.interrupt(after: 1_000_000)
            let body = self.body
            self.answer { request, number in
                guard number == 1 else { return .range(of: body, for: request) }
                let text = "HTTP/1.1 200 OK\r\nETag: \"1\"\r\nConnection: close\r\n\r\n"
                return LoopbackReply(.bytes(Data(text.utf8) + body.prefix(100)), .close)
            }
            _ = try await self.download()
            try self.expectBody()
        }

        @Test(arguments: [true, false])
        func `never take a part for the whole that an interceptor hands over`(isItsOwn: Bool) async throws {
            try await self.interrupt(after: 1_000_000)
            self.serve()
            let change = FixtureInterceptor { request, _, next in
                let response = isItsOwn ? HTTPResponse(status: 206, body: Data("own".utf8)) : try await next(request)
                guard !isItsOwn, response.status == .partialContent, case .file(let file) = response.body else {
                    return response
                }
                return HTTPResponse(head: response.head, body: .bytes(try Data(contentsOf: file)))
            }
            let call = FixtureText { $0.options = .interceptors([change]) }
            if isItsOwn {
                let error = await streamingFailure { _ = try await self.download(nil, call) }
                #expect(error?.code == .invalidResponse)
            } else {
                _ = try await self.download(nil, call)
                try self.expectBody()
            }
        }

        @Test func `never take a part for the whole over a transport that tells of no heads`() async throws {
            try await self.interrupt(after: 1_000_000)
            self.serve()
            let transport = SilentTransport(base: CurlTransport())
            _ = try await self.download(self.scene.client { $0.transport = transport })
            try self.expectBody()
            transport.shutdown()
        }

        @Test func `keep the longer part of the same body`() async throws {
            try await self.interrupt(after: 1_000_000)
            let body = self.body
            self.answer { _, number in
                let message = LoopbackMessage(
                    headers: ["ETag": "\"1\""], body: .declared(body.count, sent: body.prefix(10)))
                return number == 1 ? LoopbackReply(.message(message), .close) : .close
            }
            _ = await streamingFailure { _ = try await self.download() }
            self.serve()
            _ = try await self.download()
            try self.expectBody()
            #expect(self.ranges.last == "bytes=1000000-")
        }

        @Test func `know from the first response what the body is`() async throws {
            let digest = Data(SHA256(of: self.body).bytes).base64EncodedString()
            let fields: LoopbackFields = [
                "Content-Type": "text/x-own", "Repr-Digest": "sha-256=:\(digest):", "Set-Cookie": "a=b",
            ]
            try await self.interrupt(after: 1_000_000, headers: fields)
            let body = self.body
            self.server.route("GET", "/a") { request in
                guard request.headers["Range"] != nil else { return .range(of: body, for: request) }
                let message = LoopbackMessage(
                    status: 206, headers: ["ETag": "\"1\"", "Content-Range": "bytes 1000000-2999999/3000000"],
                    body: .fixed(Data(body[1_000_000...])))
                return LoopbackReply(.message(message))
            }
            let file = try await self.download()
            try self.expectBody()
            #expect(file.head.headers["Content-Type"] == "text/x-own")
            #expect(file.head.headers["Repr-Digest"] != nil)
            #expect(file.head.headers["Set-Cookie"] == nil)
        }

        @Test(arguments: [true, false])
        func `do not go on for ever with a server that does not`(changesTag: Bool) async throws {
            try await self.interrupt(after: 1_000_000)
            let body = self.body
            self.answer { request, number in
                if changesTag { return .range(of: body, for: request, tag: "\"\(number)x\"", cutAfter: 1_000) }
                return number == 1 ? .status(.rangeNotSatisfiable) : .close
            }
            let error = await streamingFailure { _ = try await self.download() }
            #expect(error?.code == .connectionLost)
            #expect(self.ranges.count - 2 < 10)
        }

        @Test func `take a whole response to a request for the rest`() async throws {
            try await self.interrupt(after: 1_000_000)
            self.server.route("GET", "/a", .data(self.body, headers: ["ETag": "\"1\""]))
            _ = try await self.download()
            try self.expectBody()
        }

        @Test func `take less than they asked for, and ask for the rest of that`() async throws {
            try await self.interrupt(after: 1_000_000)
            let body = self.body
            self.server.route("GET", "/a") { request in
                let first = Int(request.headers["Range"]?.dropFirst(6).dropLast() ?? "") ?? 0
                let last = min(first + 499_999, body.count - 1)
                return .data(
                    Data(body[first...last]), status: 206,
                    headers: ["ETag": "\"1\"", "Content-Range": "bytes \(first)-\(last)/\(body.count)"])
            }
            _ = try await self.download()
            try self.expectBody()
            #expect(self.ranges.count == 2 + 4)
        }

        @Test func `give up on a server that contradicts itself each time`() async throws {
            let body = self.body
            self.server.route("GET", "/a") { request in
                request.headers["Range"] == nil
                    ? .range(of: body, for: request, cutAfter: 1_000_000) : .data(Data(count: 10), status: 206)
            }
            let error = await streamingFailure { _ = try await self.download() }
            #expect(error?.code == .invalidResponse)
            #expect(self.server.received.count < 10)
        }

        @Test func `refuse a part that nobody asked for`() async throws {
            self.server.route(
                "GET", "/a", .data(Data(count: 10), status: 206, headers: ["Content-Range": "bytes 0-9/20"]))
            let error = await streamingFailure { _ = try await self.download() }
            #expect(error?.code == .invalidResponse)
            #expect(try self.scene.names == [])
        }

        // MARK: - Digests

        @Test func `are compared with the digest that is declared`() async throws {
            self.serve()
            let digest = SHA256(of: self.body).description
            for resuming in [DownloadResumption.never, .automatic] {
                _ = try await self.download(resuming: resuming, sha256: digest.uppercased())
                try self.expectBody()
            }
        }

        @Test(arguments: [DownloadResumption.never, .automatic])
        func `leave nothing when they have another digest`(resuming: DownloadResumption) async throws {
            self.serve()
            try self.scene.putOldFile()
            let error = await streamingFailure {
                _ = try await self.download(resuming: resuming, sha256: String(repeating: "0", count: 64))
            }
            #expect(error?.code == .digestMismatch)
            try self.scene.expectOldFile()
        }

        @Test func `are compared with the digest that the server names`() async throws {
            let digest = Data(SHA256(of: self.body).bytes).base64EncodedString()
            self.serve(headers: ["Repr-Digest": "sha-512=:AA==:, sha-256=:\(digest):"])
            _ = try await self.download()
            try self.expectBody()
            self.serve(headers: ["Repr-Digest": "sha-256=:\(Data(count: 32).base64EncodedString()):"])
            let error = await streamingFailure { _ = try await self.download() }
            #expect(error?.code == .digestMismatch)
            try self.expectBody()
        }

        @Test(arguments: ["", "12", String(repeating: "x", count: 64)])
        func `want a digest of 64 digits`(digest: String) async throws {
            let error = await streamingFailure { _ = try await self.download(sha256: digest) }
            #expect(error?.code == .invalidRequest)
            #expect(self.server.received.isEmpty)
        }

        // MARK: - Bad input

        @Test func `must be a GET`() async throws {
            let error = await streamingFailure {
                _ = try await self.scene.client().download(
                    FixtureText { $0.method = .post }, to: self.scene.place(), resuming: .automatic)
            }
            #expect(error?.code == .unsupported)
        }

        @Test func `to the same place at once are all whole`() async throws {
            self.serve()
            let client = self.scene.client()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 { group.addTask { _ = try await self.download(client) } }
                try await group.waitForAll()
            }
            try self.expectBody()
        }

        /// Damages what an interrupted download has left.
        enum Damage: CaseIterable {
            case noRecord, emptyRecord, otherVersion, strangeName, strangeTag, noPiece, emptyPiece, longPiece
        }

        @Test(arguments: Damage.allCases)
        func `begin again where what is there is damaged`(damage: Damage) async throws {
            try await self.interrupt(after: 1_000_000)
            let name = try #require(try self.scene.names.first)
            let folder = self.scene.folder.appending(path: name)
            let record = folder.appending(path: "record")
            let piece = try #require(
                try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
                    .first { !["record", "lock"].contains($0.lastPathComponent) })
            let text = try String(contentsOf: record, encoding: .utf8)
            switch damage {
            case .noRecord: try FileManager.default.removeItem(at: record)
            case .emptyRecord: try Data().write(to: record)
            case .otherVersion:
                try Data(text.replacing("\"version\":1", with: "\"version\":2").utf8).write(to: record)
            case .strangeName:
                try Data(text.replacing(piece.lastPathComponent, with: "../file").utf8).write(to: record)
            case .strangeTag:
                try #require(text.contains(#"\"1\""#))
                try Data(text.replacing(#"\"1\""#, with: #"\"1\r\n\""#).utf8).write(to: record)
            case .noPiece: try FileManager.default.removeItem(at: piece)
            case .emptyPiece: try Data().write(to: piece)
            case .longPiece: try Data(count: self.body.count + 1).write(to: piece)
            }
            self.serve()
            _ = try await self.download()
            try self.expectBody()
            #expect(self.ranges.last == .some(nil))
        }

        /// What may be in the way of the hidden folder.
        enum Obstacle: CaseIterable {
            case linkToFolder, danglingLink, file, folderOfAll
        }

        @Test(arguments: Obstacle.allCases)
        func `use no folder that others may use, and harm none`(obstacle: Obstacle) async throws {
            try await self.interrupt(after: 1_000_000)
            let hidden = self.scene.folder.appending(path: try #require(try self.scene.names.first))
            try FileManager.default.removeItem(at: hidden)
            let other = self.scene.folder.appending(path: "other/")
            try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
            let file = other.appending(path: "thesis")
            try Data("text".utf8).write(to: file)
            switch obstacle {
            case .linkToFolder: try FileManager.default.createSymbolicLink(at: hidden, withDestinationURL: other)
            case .danglingLink:
                try FileManager.default.createSymbolicLink(
                    at: hidden, withDestinationURL: self.scene.folder.appending(path: "none"))
            case .file: try Data().write(to: hidden)
            case .folderOfAll:
                try FileManager.default.createDirectory(
                    at: hidden, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o777])
                _ = unsafe chmod(hidden.path, 0o777)
            }
            self.serve()
            let error = await streamingFailure { _ = try await self.download() }
            #expect(error?.code == .fileFailed)
            #expect(try Data(contentsOf: file) == Data("text".utf8))
        }

        @Test func `can be discarded`() async throws {
            try await self.interrupt(after: 1_000_000)
            #expect(try !self.scene.names.isEmpty)
            try DownloadResumption.automatic.discardPartialDownload(of: self.scene.place())
            #expect(try self.scene.names == [])
            try DownloadResumption.automatic.discardPartialDownload(of: self.scene.place())
        }

        @Test func `keep what has come in a folder of one's own`() async throws {
            let folder = self.scene.folder.appending(path: "parts/")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let body = self.body
            self.answer { request, number in
                number == 1
                    ? .range(of: body, for: request, cutAfter: 1_000_000) : .close
            }
            let resuming = DownloadResumption.automatic(in: folder)
            _ = await streamingFailure { _ = try await self.download(resuming: resuming) }
            #expect(try self.scene.names == ["parts"])
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
            self.serve()
            _ = try await self.download(resuming: resuming)
            #expect(try Data(contentsOf: self.scene.place()) == body)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
            #expect(self.ranges.last == "bytes=1000000-")
        }

        @Test func `work over an interceptor that sends again`() async throws {
            let body = self.body
            self.answer { request, number in
                return number % 2 == 1
                    ? .text("busy", status: 503) : .range(of: body, for: request, cutAfter: 1_000_000)
            }
            let again = FixtureInterceptor { request, _, next in
                let response = try await next(request)
                return response.status.code == 503 ? try await next(request) : response
            }
            _ = try await self.download(nil, FixtureText { $0.options = .interceptors([again]) })
            try self.expectBody()
        }

        @Test func `retries do not ask for what the download asks for by itself`() async throws {
            let body = self.body
            self.answer { request, number in
                .range(of: body, for: request, cutAfter: number == 1 ? 100_000 : nil)
            }
            let client = self.scene.client {
                $0.options = $0.options.retries(RetryPolicy(backoff: Backoff(base: .zero, jitter: .none)))
            }
            _ = try await self.download(client)
            try self.expectBody()
            #expect(self.ranges == [nil, "bytes=100000-"])
        }

        @Test func `the error of a download that cannot be resumed shows no secret of its URL`() async throws {
            let call = FixtureText("a?access_token=topsecret") { $0.method = .post }
            let error = await streamingFailure { _ = try await self.download(nil, call) }
            #expect(error?.code == .unsupported)
            let url = try #require(error?.context.url)
            #expect(url.contains("/a") && !url.contains("topsecret"))
        }
    }

    /// Tells nobody what happens.
    private struct SilentTransport: Transport {
        let base: CurlTransport

        func exchange(_ request: HTTPRequest, _ context: ExchangeContext) async throws(ErrandError) -> HTTPResponse {
            try await self.base.exchange(
                request,
                ExchangeContext(
                    requestID: context.requestID, attempt: context.attempt, destination: context.destination,
                    keepsPartOfFile: context.keepsPartOfFile))
        }

        func shutdown() { self.base.shutdown() }
    }
#endif
