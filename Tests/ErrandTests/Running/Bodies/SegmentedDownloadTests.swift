internal import Errand
internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

#if os(Linux)
    @Suite("Downloads in segments (G8, G13, G17)", .timeLimit(.minutes(60)), .paced, .tags(.threadSanitizer))
    struct SegmentedDownloadTests {
        private let scene: StreamingScene
        private let body = streamingBytes(9_000_001)
        private static let first = 1 << 20

        init() throws {
            self.scene = try StreamingScene()
        }

        private var server: LoopbackServer { self.scene.server }
        private var ranges: [String?] { self.server.received.map { $0.headers["Range"] } }
        /// What was asked for, in the order of the bytes.
        private var asked: [Range<Int>] {
            self.server.received.compactMap { Self.range(of: $0, in: self.body.count) }
                .sorted { $0.lowerBound < $1.lowerBound }
        }

        private static func range(of request: LoopbackRequest, in count: Int) -> Range<Int>? {
            guard let value = request.headers["Range"] else { return nil }
            let bounds = value.dropFirst(6).split(separator: "-").compactMap { Int($0) }
            return bounds[0]..<(bounds.count > 1 ? min(bounds[1] + 1, count) : count)
        }

        private func download(
            _ client: Client? = nil, segments: Int = 4, _ call: FixtureText = FixtureText()
        ) async throws -> DownloadedFile {
            try await (client ?? self.scene.client()).download(
                call, to: self.scene.place(), resuming: .automatic(segments: segments))
        }

        private func expectBody(_ body: Data? = nil, sourceLocation: SourceLocation = #_sourceLocation) throws {
            let file = try Data(contentsOf: self.scene.place())
            #expect(file == body ?? self.body, sourceLocation: sourceLocation)
            #expect(try self.scene.names == ["file"], sourceLocation: sourceLocation)
        }

        /// Expects that ranges follow each other, from the first byte to the last.
        private func expectTiling(_ ranges: [Range<Int>], sourceLocation: SourceLocation = #_sourceLocation) {
            var position = 0
            for range in ranges {
                #expect(range.lowerBound == position, sourceLocation: sourceLocation)
                position = range.upperBound
            }
            #expect(position == self.body.count, sourceLocation: sourceLocation)
        }

        /// Serves the body, so that nothing but the first segment ends before so many are under way.
        private func serveTogether(_ count: Int) {
            let (body, gate) = (self.body, LoopbackGate())
            let arrived = Locked(0)
            self.server.route("GET", "/a") { request in
                guard let range = Self.range(of: request, in: body.count), range.lowerBound > 0 else {
                    return .range(of: body, for: request)
                }
                let isLast = arrived.withLock { number in
                    number += 1
                    return number == count
                }
                if isLast { gate.open() }
                let (head, rest) = Self.halves(body, range)
                return LoopbackReply(.message(head), .hold(gate), .bytes(rest))
            }
        }

        /// The head of the response to a range with half of its bytes, and the other half.
        private static func halves(_ body: Data, _ range: Range<Int>) -> (LoopbackMessage, Data) {
            let bytes = body[range]
            let message = LoopbackMessage(
                status: 206,
                headers: [
                    "ETag": "\"1\"",
                    "Content-Range": "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(body.count)",
                ],
                body: .declared(bytes.count, sent: Data(bytes.prefix(bytes.count / 2))))
            return (message, Data(bytes.dropFirst(bytes.count / 2)))
        }

        // MARK: - Servers that serve ranges

        @Test(arguments: [2, 3, 4, 7]) func `come over so many connections at once`(segments: Int) async throws {
            self.serveTogether(segments)
            let client = self.scene.client { $0.limits.concurrency = RequestScheduler.Limits(total: 16, perHost: 16) }
            let file = try await self.download(client, segments: segments)
            #expect(file.size == Int64(self.body.count))
            #expect(file.head.status == .ok)
            #expect(file.head.headers["Content-Length"] == "\(self.body.count)")
            #expect(file.head.headers["Content-Range"] == nil)
            try self.expectBody()
            #expect(self.ranges.count == 1 + segments)
            self.expectTiling(self.asked)
            #expect(self.ranges.first == "bytes=0-1048575")
            let conditions = self.server.received.map { $0.headers["If-Range"] }
            #expect(conditions == [nil] + Array(repeating: "\"1\"", count: segments))
            await self.scene.expectEnded(client)
        }

        @Test func `have a slot each, and go one after another where there is only one`() async throws {
            let body = self.body
            self.server.route("GET", "/a") { .range(of: body, for: $0) }
            let client = self.scene.narrowClient()
            _ = try await self.download(client)
            try self.expectBody()
            self.expectTiling(self.asked)
            await self.scene.expectEnded(client)
        }

        @Test func `are no smaller than a mebibyte`() async throws {
            let body = Data(self.body.prefix(3 << 20))
            self.server.route("GET", "/a") { .range(of: body, for: $0) }
            _ = try await self.download(segments: 16)
            try self.expectBody(body)
            #expect(self.ranges.count == 3)
        }

        @Test func `show as one, with the sum as progress`() async throws {
            self.serveTogether(4)
            let meter = TransferMeter()
            let client = self.scene.client { $0.accessories.append(meter) }
            let request = client.request(
                FixtureFile(
                    file: self.scene.place(),
                    said: .destination(.file(self.scene.place(), resuming: .automatic(segments: 4)))))
            async let readings = request.progress.reduce(into: []) { $0.append($1.received.bytes) }
            _ = try await request.value
            let progress = self.scene.recorder.entries.compactMap { entry -> TransferProgress? in
                if case .event(.received(let progress)) = entry.call { progress } else { nil }
            }
            let count = Int64(self.body.count)
            #expect(progress.last == TransferProgress(bytes: count, total: count))
            #expect(progress.map(\.bytes) == progress.map(\.bytes).sorted())
            #expect(meter.reading.received == TransferProgress(bytes: count, total: count))
            let seen = await readings
            #expect(seen == seen.sorted())
        }

        @Test func `follow redirections and answer challenges`() async throws {
            let body = self.body
            self.server.route("GET", "/a") { _ in .redirect(to: "/b") }
            self.server.route("GET", "/b") { request in
                guard request.headers["Authorization"] != nil else {
                    return .text("", status: 401, headers: ["WWW-Authenticate": "Basic realm=\"x\""])
                }
                return .range(of: body, for: request)
            }
            _ = try await self.download(self.scene.client { $0.credentials.authenticator = StreamingLogin() })
            try self.expectBody()
        }

        @Test func `answer a challenge each, where a credential expires meanwhile`() async throws {
            let (body, gate) = (self.body, LoopbackGate())
            let arrived = Locked(0)
            self.server.route("GET", "/a") { request in
                let isFirst = Self.range(of: request, in: body.count)?.lowerBound == 0
                let value = request.headers["Authorization"]
                if isFirst { return .range(of: body, for: request) }
                guard value == nil else { return .range(of: body, for: request) }
                if arrived.withLock({ number in
                    number += 1; return number == 4
                }) {
                    gate.open()
                }
                return .text("", status: 401, headers: ["WWW-Authenticate": "Basic realm=\"x\""]).held(by: gate)
            }
            _ = try await self.download(self.scene.client { $0.credentials.authenticator = StreamingLogin() })
            try self.expectBody()
            #expect(self.server.received.count == 9)
        }

        @Test func `are fewer where a server refuses more`() async throws {
            let body = self.body
            let open = Locked(0)
            self.server.add(
                LoopbackRoute("GET", "/a") { request, number in
                    guard number > 1 else { return .range(of: body, for: request) }
                    // The second and all that come with it, but for one.
                    let isRefused = open.withLock { count in
                        count += 1
                        return (2...4).contains(count)
                    }
                    return isRefused ? .text("too many", status: 503) : .range(of: body, for: request)
                })
            _ = try await self.download()
            try self.expectBody()
            #expect(self.server.received.count < 12)
        }

        // MARK: - Servers that do not

        @Test func `are an ordinary download where the server sends all of the body`() async throws {
            self.server.route("GET", "/a", .data(self.body, headers: ["ETag": "\"1\""]))
            _ = try await self.download()
            try self.expectBody()
            #expect(self.ranges == ["bytes=0-1048575"])
        }

        @Test func `are an ordinary download of a small body`() async throws {
            let body = Data(self.body.prefix(1 << 20))
            self.server.route("GET", "/a") { .range(of: body, for: $0) }
            let file = try await self.download()
            try self.expectBody(body)
            #expect(file.head.status == .ok)
            #expect(self.ranges.count == 1)
        }

        @Test func `are an ordinary download of an empty body`() async throws {
            self.server.route("GET", "/a") { .range(of: Data(), for: $0) }
            _ = try await self.download()
            try self.expectBody(Data())
            #expect(self.ranges == ["bytes=0-1048575", nil])
        }

        /// What a server says to the first request.
        private static let beginnings: [LoopbackFields] = [
            ["ETag": "W/\"1\"", "Content-Range": "bytes 0-1048575/9000001"],
            ["Content-Range": "bytes 0-1048575/9000001"],
            ["ETag": "\"1\"", "Content-Range": "bytes 0-1048575/9000001", "Content-Encoding": "x-own"],
            ["ETag": "\"1\"", "Content-Range": "bytes 0-1048575/9000001", "Accept-Ranges": "none"],
            ["ETag": "\"1\"", "Content-Range": "bytes 1-1048576/9000001"],
            ["ETag": "\"1\"", "Content-Range": "bytes 0-1048574/9000001"],
            ["ETag": "\"1\"", "Content-Range": "bytes 0-9223372036854775806/9223372036854775807"],
            ["ETag": "\"1\""],
        ]

        @Test(arguments: beginnings.indices)
        func `are an ordinary download where the first response is not to be relied on`(index: Int) async throws {
            let body = self.body
            self.server.route("GET", "/a") { request in
                guard request.headers["Range"] != nil else { return .range(of: body, for: request) }
                return .data(Data(body.prefix(1 << 20)), status: 206, headers: Self.beginnings[index])
            }
            _ = try await self.download()
            try self.expectBody()
            #expect(self.ranges == ["bytes=0-1048575", nil])
        }

        @Test func `go on where the first part does not tell how long the body is`() async throws {
            let body = self.body
            self.server.route("GET", "/a") { request in
                guard request.headers["Range"] == "bytes=0-1048575" else { return .range(of: body, for: request) }
                return .data(
                    Data(body.prefix(1 << 20)), status: 206,
                    headers: ["ETag": "\"1\"", "Content-Range": "bytes 0-1048575/*"])
            }
            _ = try await self.download()
            try self.expectBody()
            #expect(self.ranges == ["bytes=0-1048575", "bytes=1048576-"])
        }

        @Test func `never trust the length that a server names`() async throws {
            let body = self.body
            self.server.route("GET", "/a") { request in
                guard request.headers["If-Range"] == nil else { return .close }
                return .data(
                    Data(body.prefix(1 << 20)), status: 206,
                    headers: ["ETag": "\"1\"", "Content-Range": "bytes 0-1048575/9223372036854775807"])
            }
            let error = await streamingFailure { _ = try await self.download() }
            #expect(error?.code == .connectionLost)
            // A connection that was kept and is closed is no answer: the transport sends what went there once more.
            #expect(self.server.received.count <= 6)
        }

        // MARK: - Servers that contradict themselves

        /// What a server says to one of the requests for segments, which is for a range.
        enum Lie: CaseIterable {
            case whole, wholeOfAnother, otherTag, weakTag, noTag, noRange, from0, earlier, later, longer, otherTotal
            case coded, surplus, unsatisfiable, failedCondition
        }

        private static func reply(_ lie: Lie, _ body: Data, _ range: Range<Int>) -> LoopbackReply {
            var (tag, first, last, total) = ("\"1\"", range.lowerBound, range.upperBound - 1, "\(body.count)")
            var (status, headers) = (HTTPStatus.partialContent, LoopbackFields())
            switch lie {
            case .whole: return .data(body, headers: ["ETag": "\"1\""])
            case .wholeOfAnother: return .data(Data(count: body.count), headers: ["ETag": "\"2\""])
            case .unsatisfiable: return .status(.rangeNotSatisfiable)
            case .failedCondition: return .status(412)
            case .otherTag: tag = "\"2\""
            case .weakTag: tag = "W/\"1\""
            case .noTag: tag = ""
            case .noRange: return .data(Data(count: range.count), status: 206, headers: ["ETag": "\"1\""])
            case .from0: (first, last) = (0, range.count - 1)
            case .earlier: first -= 1
            case .later: first += 1
            case .longer: last += 1
            case .otherTotal: total = "\(body.count + 1)"
            case .coded: headers.append("Content-Encoding", "x-own")
            case .surplus: status = .partialContent
            }
            if !tag.isEmpty { headers.append("ETag", tag) }
            headers.append("Content-Range", "bytes \(first)-\(last)/\(total)")
            let count = last - first + (lie == .surplus ? 2 : 1)
            return .data(Data(count: count), status: status, headers: headers)
        }

        @Test(arguments: Lie.allCases, [1, 3])
        func `begin again with one connection where a segment is answered with something else`(
            lie: Lie, position: Int
        ) async throws {
            let body = self.body
            self.server.route("GET", "/a") { request in
                guard let range = Self.range(of: request, in: body.count), range.lowerBound > 0 else {
                    return .range(of: body, for: request)
                }
                let place = (range.lowerBound - Self.first) / ((body.count - Self.first + 3) / 4)
                // The last segment of all cannot be longer.
                let isLie = place == (lie == .longer ? min(position, 2) : position)
                return isLie ? Self.reply(lie, body, range) : .range(of: body, for: request)
            }
            let client = self.scene.client()
            _ = try await self.download(client)
            try self.expectBody()
            // A request that was ended may come to the server after the one for all of the body.
            #expect(self.ranges.contains { $0 == nil })
            #expect(self.ranges.count <= 6)
            await self.scene.expectEnded(client)
        }

        @Test func `end the others at once when one is of no use`() async throws {
            let (body, gate) = (self.body, LoopbackGate())
            self.server.route("GET", "/a") { request in
                guard let range = Self.range(of: request, in: body.count), range.lowerBound > 0 else {
                    return .range(of: body, for: request)
                }
                // Nothing of it would ever end.
                let message = LoopbackMessage(headers: ["ETag": "\"2\""], body: .declared(1 << 30, sent: Data()))
                return LoopbackReply(.message(message), .hold(gate))
            }
            _ = try await self.download()
            try self.expectBody()
            gate.open()
        }

        // MARK: - Interruptions

        @Test(arguments: TestEffort.schedules.prefix(40))
        func `ask for no byte twice, wherever connections are lost`(seed: UInt64) async throws {
            let body = self.body
            let random = Locked(SplitMix64(seed: seed))
            let sent = Locked<[Range<Int>]>([])
            self.server.route("GET", "/a") { request in
                guard let range = Self.range(of: request, in: body.count) else { return .status(500) }
                let cut = random.withLock { Int.random(in: 1...2_500_000, using: &$0) }
                sent.withLock { $0.append(range.lowerBound..<min(range.upperBound, range.lowerBound + cut)) }
                return .range(of: body, for: request, cutAfter: cut)
            }
            let segments = Int(seed % 5) + 2
            _ = try await self.download(segments: segments)
            try self.expectBody()
            self.expectTiling(sent.withLock { $0 }.sorted { $0.lowerBound < $1.lowerBound })
        }

        @Test(arguments: [1, 4, 7])
        func `go on after a cancellation where each of them was`(segments: Int) async throws {
            let (body, gate, count) = (self.body, LoopbackGate(), 500_000)
            self.server.route("GET", "/a") { request in
                guard let range = Self.range(of: request, in: body.count), range.lowerBound > 0 else {
                    return .range(of: body, for: request)
                }
                let (head, _) = Self.halves(body, range)
                let message = LoopbackMessage(
                    status: 206, headers: head.headers,
                    body: .declared(range.count, sent: Data(body[range].prefix(count))))
                return LoopbackReply(.message(message), .hold(gate))
            }
            let there = Int64(Self.first + 4 * count)
            let reached = Waiter<Void>()
            let watch = FixtureHooks(observe: { event, _ in
                if case .received(let progress) = event, progress.bytes >= there { reached.resume(()) }
            })
            let client = self.scene.client { $0.accessories.append(watch) }
            let task = Task { try await self.download(client) }
            _ = await reached.wait()
            task.cancel()
            _ = await task.result
            await self.scene.expectEnded(client)
            #expect(!FileManager.default.fileExists(atPath: self.scene.place().path))
            let before = self.server.received.count
            let sent = Locked<[Range<Int>]>([])
            self.server.route("GET", "/a") { request in
                sent.withLock { $0.append(Self.range(of: request, in: body.count) ?? 0..<0) }
                return .range(of: body, for: request)
            }
            _ = try await self.download(segments: segments)
            try self.expectBody()
            let ranges = sent.withLock { $0 }
            #expect(ranges.reduce(0) { $0 + $1.count } == body.count - Int(there))
            #expect(self.server.received.count - before >= 4)
            gate.open()
        }

        @Test func `stand still while they are suspended`() async throws {
            self.serveTogether(4)
            let client = self.scene.client()
            let suspended = Locked<(@Sendable () -> Void)?>(nil)
            let watch = FixtureHooks(observe: { event, _ in
                if case .received(let progress) = event, progress.bytes > 2 * Self.first {
                    suspended.withLock { $0.take() }?()
                }
            })
            let destination = ResponseDestination.file(self.scene.place(), resuming: .automatic(segments: 4))
            let request = client.request(
                FixtureFile(file: self.scene.place(), said: .destination(destination)), options: .accessories([watch]))
            suspended.withLock { $0 = { request.suspend() } }
            await request.start()
            await fixtureUntil { request.isSuspended }
            self.server.route("GET", "/b", .text("other"))
            func count() -> Int {
                self.scene.recorder.entries.count { if case .event(.received) = $0.call { true } else { false } }
            }
            _ = try await self.scene.client { $0.accessories = [] }.send(FixtureText("b"))
            let before = count()
            for _ in 0..<20 {
                let other = self.scene.client { $0.accessories = [] }
                #expect(try await other.send(FixtureText("b")) == "other")
            }
            #expect(count() == before, "no byte moves")
            request.resume()
            _ = try await request.value
            try self.expectBody()
        }

        @Test func `end with a deadline of one of them, and go on later`() async throws {
            let (body, clock) = (self.body, TestClock())
            self.server.route("GET", "/a") { request in
                guard let range = Self.range(of: request, in: body.count), range.lowerBound > 0 else {
                    return .range(of: body, for: request)
                }
                let (message, _) = Self.halves(body, range)
                return LoopbackReply(.message(message), .stall)
            }
            let half = Int64(Self.first + (body.count - Self.first) / 2 - 4)
            let reached = Waiter<Void>()
            let watch = FixtureHooks(observe: { event, _ in
                if case .received(let progress) = event, progress.bytes >= half { reached.resume(()) }
            })
            let client = self.scene.client {
                $0.environment.clock = clock
                $0.accessories.append(watch)
                $0.options = $0.options.timeouts(Timeouts(idle: .seconds(10)))
            }
            async let failure = streamingFailure { _ = try await self.download(client) }
            _ = await reached.wait()
            await clock.waitForSleeper()
            clock.advance(by: .seconds(11))
            #expect(await failure?.code == .timedOut)
            await self.scene.expectEnded(client)
            self.server.route("GET", "/a") { .range(of: body, for: $0) }
            let before = self.server.received.count
            _ = try await self.download()
            try self.expectBody()
            let bytes = self.server.received.dropFirst(before)
                .reduce(0) { $0 + (Self.range(of: $1, in: body.count)?.count ?? 0) }
            #expect(bytes < body.count / 2 + Self.first)
        }

        @Test func `a server that refuses some segments is asked over fewer connections`() async throws {
            let body = self.body
            self.server.add(
                LoopbackRoute("GET", "/a") { request, number in
                    (3...5).contains(number) ? .text("busy", status: 503) : .range(of: body, for: request)
                })
            _ = try await self.download()
            try self.expectBody()
            // The first segment, four at once of which one is served, and the rest of it, before and behind that.
            #expect(self.server.receivedCount <= 7)
        }
    }
#endif
