internal import Errand
internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

#if os(Linux)
    @Suite("Downloads that are resumed: which pieces stay, and for what (G13, G17)", .timeLimit(.minutes(60)), .paced)
    struct KeptPieceTests {
        private let scene: StreamingScene
        private let body = streamingBytes(3_000_000)

        init() throws {
            self.scene = try StreamingScene()
        }

        private var ranges: [String?] { self.scene.server.received.map { $0.headers["Range"] } }

        /// Answers requests by how many there have been.
        private func answer(_ reply: @escaping @Sendable (LoopbackRequest, Int) -> LoopbackReply) {
            self.scene.server.add(LoopbackRoute("GET", "/a", answer: reply))
        }

        private func download(_ call: some Endpoint = FixtureText()) async throws -> DownloadedFile {
            try await self.scene.client().download(call, to: self.scene.place(), resuming: .automatic)
        }

        private var content: Data { get throws { try Data(contentsOf: self.scene.place()) } }

        // MARK: - A range of the caller's

        @Test(arguments: [false, true])
        func `a range that the caller asks for is a body by itself, and no part of a download`(
            isInterrupted: Bool
        ) async throws {
            let body = self.body
            self.answer { request, number in
                guard isInterrupted, number <= 2 else { return .range(of: body, for: request) }
                return number == 1 ? .range(of: body, for: request, cutAfter: 1_000_000) : .close
            }
            if isInterrupted { #expect(await streamingFailure { _ = try await self.download() } != nil) }
            let part = try await self.download(FixtureText { $0.headers = ["Range": "bytes=5-9"] })
            #expect(part.head.status == .partialContent)
            #expect(try self.content == body[5..<10])
            _ = try await self.download()
            #expect(try self.content == body)
            #expect(self.ranges.suffix(2) == ["bytes=5-9", isInterrupted ? "bytes=1000000-" : nil])
            #expect(try self.scene.names == ["file"])
        }

        // MARK: - What others have left

        /// Interrupts a download, and gives the folder with its pieces the name under which one is removed.
        private func leaveFolder() async throws -> URL {
            let body = self.body
            self.answer { request, number in
                guard number < 3 else { return .range(of: body, for: request) }
                return number == 1 ? .range(of: body, for: request, cutAfter: 1_000_000) : .close
            }
            #expect(await streamingFailure { _ = try await self.download() } != nil)
            let folder = self.scene.folder.appending(path: try #require(try self.scene.names.first))
            let gone = folder.appendingPathExtension("gone")
            try FileManager.default.moveItem(at: folder, to: gone)
            return gone
        }

        @Test func `what a killed process was removing goes with the next download`() async throws {
            let gone = try await self.leaveFolder()
            #expect(try !FileManager.default.contentsOfDirectory(atPath: gone.path).isEmpty)
            _ = try await self.download()
            #expect(try self.content == self.body)
            #expect(try self.scene.names == ["file"])
        }

        @Test func `nothing goes that a link of that name leads to`() async throws {
            let gone = try await self.leaveFolder()
            let other = try TestFolder()
            try Data("kept".utf8).write(to: other.file("a"))
            try FileManager.default.removeItem(at: gone)
            try FileManager.default.createSymbolicLink(at: gone, withDestinationURL: other.url)
            _ = try await self.download()
            #expect(try self.content == self.body)
            #expect(try Data(contentsOf: other.file("a")) == Data("kept".utf8))
            #expect(try self.scene.names.sorted() == [gone.lastPathComponent, "file"].sorted())
        }

        // MARK: - A cancellation

        /// A call whose hook keeps a response that has come.
        private struct HeldCall: ProcessingEndpoint {
            typealias Response = Data

            let gate: FixtureGate
            let path: EndpointPath = "a"

            func didReceive(_ response: inout HTTPResponse) async throws { await self.gate.pass() }
        }

        @Test func `a download that is cancelled when all has come keeps it for the next one`() async throws {
            let body = self.body
            self.answer { request, _ in .range(of: body, for: request) }
            let gate = FixtureGate()
            let task = Task { try await self.download(HeldCall(gate: gate)) }
            await gate.waitUntilReached()
            task.cancel()
            let error = await streamingFailure { _ = try await task.value }
            #expect(error?.code == .cancelled)
            #expect(error?.context.resumeData?.receivedBytes == Int64(body.count))
            _ = try await self.download()
            #expect(try self.content == body)
            // The last byte shows whether it is still the same.
            #expect(self.ranges == [nil, "bytes=\(body.count - 1)-"])
        }

        // MARK: - Another body

        /// All of a body whose length nobody says, and no more than its beginning.
        private static func beginning(_ bytes: Data, tag: String) -> LoopbackReply {
            let head = "HTTP/1.1 200 OK\r\nETag: \(tag)\r\nTransfer-Encoding: chunked\r\n\r\n"
            return LoopbackReply(
                .bytes(Data("\(head)\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Data("\r\n".utf8)), .close)
        }

        /// An interceptor that sends a request again when its connection is lost.
        private static let again = FixtureInterceptor { request, _, next in
            do {
                return try await next(request)
            } catch {
                return try await next(request)
            }
        }

        /// What an old server of several says to a request for the rest, where another one has sent a new body meanwhile.
        enum LateReply: CaseIterable {
            case rest
            case nothingIsMissing
        }

        @Test(arguments: LateReply.allCases)
        func `a part of one body is not joined with what has come of another meanwhile`(late: LateReply) async throws {
            let (old, new) = (self.body, Data(self.body.reversed()))
            self.answer { request, number in
                switch number {
                case 1: Self.beginning(old.prefix(1_000_000), tag: "\"1\"")
                case 2: .close
                case 3: Self.beginning(new.prefix(1_000_000), tag: "\"2\"")
                case 4 where late == .rest: .range(of: old, for: request, tag: "\"1\"")
                case 4: .status(416, headers: ["ETag": "\"1\"", "Content-Range": "bytes */1000000"])
                default: .range(of: new, for: request, tag: "\"2\"")
                }
            }
            _ = try await self.download(FixtureText { $0.options = .interceptors([Self.again]) })
            #expect(try self.content == new)
            #expect(self.ranges.prefix(4) == [nil, nil, "bytes=1000000-", "bytes=1000000-"])
            #expect(try self.scene.names == ["file"])
        }
    }
#endif
