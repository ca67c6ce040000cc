internal import Errand
internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

#if canImport(ErrandURLSession)
    @testable internal import ErrandURLSession
#endif

/// Streams that are sent, by way of files in a folder of the test's own.
@Suite(.timeLimit(.minutes(60)), .paced)
struct URLSessionTransportUploadStreamTests {
    private struct Upload: Endpoint {
        typealias Response = Data

        var body: RequestBody
        var options = RequestOptions()

        var path: EndpointPath { "upload" }
        var method: HTTPMethod { .post }
    }

    private static let body = streamingBytes(300_000)

    private let folder: FixtureFolder

    init() throws {
        self.folder = try FixtureFolder()
    }

    private func harness(
        _ handler: @escaping LoopbackRoute.Handler = { .data($0.body) }
    ) throws -> URLSessionTransportHarness {
        try URLSessionTransportHarness(handler, over: URLSessionTransport(uploadFolder: self.folder.url))
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: self.folder.url.path) }
    }

    /// Nothing is left, of the file and of the exchange.
    private func expectNothing(
        of harness: URLSessionTransportHarness, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        #expect(try self.names.isEmpty, sourceLocation: sourceLocation)
        await harness.waitUntilIdle()
        #expect(try self.names.isEmpty, sourceLocation: sourceLocation)
    }

    /// The body in pieces.
    private static func pieces(of size: Int) -> [Data] {
        stride(from: 0, to: Self.body.count, by: size).map { Self.body.dropFirst($0).prefix(size) }
    }

    /// A stream that gives a piece, tells so, and waits until it is cancelled; then it ends, or fails.
    private static func stalling(_ reached: Waiter<Void>, fails: Bool = true) -> BodyStream {
        BodyStream {
            var isFirst = true
            return { () async throws(ErrandError) -> Data? in
                defer { isFirst = false }
                guard !isFirst else { return Data("hello".utf8) }
                reached.resume(())
                _ = await Waiter<Void>().wait()
                if fails { throw .cancelled() }
                return nil
            }
        }
    }

    /// A stream that gives a piece and then fails.
    private static func failing(after count: Int) -> BodyStream {
        BodyStream {
            var rest = Self.pieces(of: 1000).prefix(count)
            return { () async throws(ErrandError) -> Data? in
                guard let piece = rest.popFirst() else { throw ErrandError(.encodingFailed, "a planned failure") }
                return piece
            }
        }
    }

    // MARK: - Whole

    @Test(arguments: [1000, 65_536, 300_000], [nil, 300_000])
    func `sends a stream with its length, known before or not`(size: Int, length: Int64?) async throws {
        let harness = try self.harness()
        let stream = FixtureBody.stream(Self.pieces(of: size))
        #expect(try await harness.send(.post, body: .stream(stream, length: length)).data == Self.body)
        try await self.expectNothing(of: harness)
        let request = try #require(harness.server.received.first)
        #expect(request.header("Content-Length") == "300000")
        #expect(request.header("Transfer-Encoding") == nil)
    }

    @Test(arguments: [[], [Data()], [Data(), Data()]], [nil, 0])
    func `sends nothing as a body without a byte`(chunks: [Data], length: Int64?) async throws {
        let harness = try self.harness { _ in .text("hello") }
        let body = HTTPRequest.Body.stream(FixtureBody.stream(chunks), length: length)
        #expect(try await harness.send(.post, body: body).data == Data("hello".utf8))
        try await self.expectNothing(of: harness)
        #expect(harness.server.received.map(\.body) == [Data()])
    }

    @Test func `passes empty chunks over, and takes large ones`() async throws {
        let (harness, large) = (try self.harness(), streamingBytes(8 << 20))
        let stream = FixtureBody.stream([Data(), Self.body, Data(), Data(), large, Data()])
        #expect(try await harness.send(.put, body: .stream(stream, length: nil)).data == Self.body + large)
        try await self.expectNothing(of: harness)
    }

    @Test func `keeps the file for this user alone while it is sent`() async throws {
        let gate = LoopbackGate()
        let harness = try self.harness { _ in .text("hello").held(by: gate) }
        let (task, _) = harness.start(.post, body: .stream(FixtureBody.stream([Self.body]), length: nil))
        await gate.waitUntilReached()
        let name = try #require(try self.names.first)
        #expect(try self.names.count == 1)
        let file = self.folder.url.appending(path: name)
        #expect(try Data(contentsOf: file) == Self.body)
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        gate.open()
        #expect(try await task.value.get().data == Data("hello".utf8))
        try await self.expectNothing(of: harness)
    }

    @Test func `tells how far the sending has come`() async throws {
        let harness = try self.harness()
        let stream = FixtureBody.stream(Self.pieces(of: 7000))
        let (task, events) = harness.start(.post, body: .stream(stream, length: nil))
        var sent: [TransferProgress] = []
        for await case .sent(let progress) in events { sent.append(progress) }
        #expect(try await task.value.get().data == Self.body)
        #expect(sent.last == TransferProgress(bytes: 300_000, total: 300_000))
        #expect(sent.map(\.bytes) == sent.map(\.bytes).sorted())
    }

    @Test func `answers into a file and as a stream`() async throws {
        let harness = try URLSessionTransportHarness(
            { .data($0.body) }, over: URLSessionTransport(streaming: .unbounded, uploadFolder: self.folder.url))
        let place = self.folder.url.appending(path: "answer", directoryHint: .notDirectory)
        let body = HTTPRequest.Body.stream(FixtureBody.stream(Self.pieces(of: 7000)), length: 300_000)
        _ = try await harness.send(.post, body: body, to: .file(place))
        #expect(try Data(contentsOf: place) == Self.body)
        #expect(try self.names == ["answer"])
        try FileManager.default.removeItem(at: place)
        let response = try await harness.send(.post, body: body, to: .stream(buffer: 1000))
        guard case .stream(let stream) = response.body else {
            Issue.record("there is no stream")
            return
        }
        #expect(try await streamingAll(stream) == Self.body)
        try await self.expectNothing(of: harness)
    }

    // MARK: - Not sent

    @Test(arguments: [0, 1, 50], [nil, 300_000])
    func `fails with the error of the stream`(count: Int, length: Int64?) async throws {
        let harness = try self.harness()
        let error = await harness.failure(.post, body: .stream(Self.failing(after: count), length: length))
        #expect(error?.code == .encodingFailed)
        #expect(error?.message == "a planned failure")
        try await self.expectNothing(of: harness)
        #expect(harness.server.connectionsAccepted == 0)
    }

    @Test(arguments: [(0, "longer"), (299_999, "longer"), (300_001, "shorter"), (Int64.max, "shorter")])
    func `sends nothing of a stream that is not as long as it says`(length: Int64, word: String) async throws {
        let harness = try self.harness()
        let body = HTTPRequest.Body.stream(FixtureBody.stream(Self.pieces(of: 1000)), length: length)
        let error = await harness.failure(.post, body: body)
        #expect(error?.code == .encodingFailed)
        #expect(error?.message == "the stream of the request body is \(word) than its length of \(length) bytes")
        try await self.expectNothing(of: harness)
        #expect(harness.server.connectionsAccepted == 0)
    }

    @Test func `needs a folder to write into`() async throws {
        let nowhere = self.folder.url.appending(path: "missing/", directoryHint: .isDirectory)
        let harness = try URLSessionTransportHarness(over: URLSessionTransport(uploadFolder: nowhere))
        let error = await harness.failure(.post, body: .stream(FixtureBody.stream([Self.body]), length: nil))
        #expect(error?.code == .fileFailed)
        #expect(error?.message.hasPrefix("the file for the request body cannot be made in ") == true)
        try await self.expectNothing(of: harness)
        #expect(harness.server.connectionsAccepted == 0)
    }

    @Test func `says that there is no room, and leaves nothing`() async {
        await #expect(processExitsWith: .success) {
            let folder = try FixtureFolder()
            let harness = try URLSessionTransportHarness(over: URLSessionTransport(uploadFolder: folder.url))
            guard TestFileSizeLimit(bytes: 2_000) != nil else { exit(2) }
            let body = HTTPRequest.Body.stream(
                FixtureBody.stream([Data(count: 1_500), Data(count: 1_500)]), length: 3_000)
            let error = await harness.failure(.post, body: body)
            guard error?.code == .fileFailed else { exit(4) }
            guard error?.message == "the request body cannot be written to its file: File too large" else { exit(5) }
            guard try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty else { exit(6) }
            guard harness.server.connectionsAccepted == 0 else { exit(7) }
        }
    }

    // MARK: - Ended early

    @Test(arguments: [true, false])
    func `ends reading when it is cancelled`(fails: Bool) async throws {
        let (harness, reached) = (try self.harness(), Waiter<Void>())
        let (task, _) = harness.start(.post, body: .stream(Self.stalling(reached, fails: fails), length: nil))
        _ = await reached.wait()
        #expect(try self.names.count == 1)
        task.cancel()
        #expect(await task.value.code == .cancelled)
        try await self.expectNothing(of: harness)
        #expect(harness.server.connectionsAccepted == 0)
    }

    @Test func `leaves nothing when it is cancelled while it sends`() async throws {
        let harness = try self.harness { _ in .stall }
        let (task, _) = harness.start(.post, body: .stream(FixtureBody.stream([Self.body]), length: nil))
        await harness.server.waitForRequests(1)
        #expect(try self.names.count == 1)
        task.cancel()
        #expect(await task.value.code == .cancelled)
        try await self.expectNothing(of: harness)
        await harness.server.waitForClosedConnections(1)
    }

    @Test func `leaves nothing when the connection is lost`() async throws {
        let harness = try self.harness { _ in .close }
        let body = HTTPRequest.Body.stream(FixtureBody.stream([Self.body]), length: nil)
        #expect(await harness.failure(.post, body: body)?.code == .connectionLost)
        try await self.expectNothing(of: harness)
    }

    @Test func `ends reading and sending when the transport is shut down`() async throws {
        let (harness, reached) = (try self.harness { _ in .stall }, Waiter<Void>())
        let (sending, _) = harness.start(.post, body: .stream(FixtureBody.stream([Self.body]), length: nil))
        await harness.server.waitForRequests(1)
        let (reading, _) = harness.start(.post, body: .stream(Self.stalling(reached), length: nil))
        _ = await reached.wait()
        #expect(try self.names.count == 2)
        harness.transport.shutdown()
        #expect(await reading.value.code == .clientShutDown)
        #expect(await sending.value.code == .clientShutDown)
        try await self.expectNothing(of: harness)
        let late = HTTPRequest.Body.stream(Self.failing(after: 1), length: nil)
        #expect(await harness.failure(.post, body: late)?.code == .clientShutDown)
        try await self.expectNothing(of: harness)
    }

    @Test func `leaves nothing of hundreds that are cancelled anywhere`() async throws {
        let harness = try self.harness()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<300 {
                if number >= 30 { await group.next() }
                group.addTask {
                    let body = HTTPRequest.Body.stream(FixtureBody.stream(Self.pieces(of: 50_000)), length: nil)
                    let (task, _) = harness.start(.post, body: body)
                    for _ in 0..<(number * 7 % 200) { await Task.yield() }
                    task.cancel()
                    let code = await task.value.code
                    #expect(code == nil || code == .cancelled)
                }
            }
        }
        try await self.expectNothing(of: harness)
    }

    // MARK: - Under a client

    /// However busy the machine is, no deadline passes.
    private func client(
        _ server: LoopbackServer, _ configure: (inout Client.Configuration) -> Void = { _ in }
    ) -> Client {
        Client(baseURL: server.baseURL) {
            $0.transport = URLSessionTransport(uploadFolder: self.folder.url)
            $0.options = $0.options.withoutTimeout()
            configure(&$0)
        }
    }

    @Test func `sends forms with files, and what is compressed`() async throws {
        let server = try LoopbackServer(routes: [LoopbackRoute("POST", "/upload") { .data($0.body) }])
        let client = self.client(server)
        let source = try FixtureFolder()
        let file = try source.file("photo.jpeg", Self.body)
        var form = MultipartForm(["album": "summer"], boundary: "0123456789")
        form.append("photo", file: file)
        let sent = try await client.send(Upload(body: .multipart(form)))
        #expect(sent.range(of: Self.body) != nil)
        #expect(sent.starts(with: Data("--0123456789\r\n".utf8)))
        let packed = try await client.send(Upload(body: .file(file).gzipped()))
        #expect(packed.starts(with: [0x1F, 0x8B]))
        #expect(server.received.map { $0.header("Content-Length") } == ["\(sent.count)", "\(packed.count)"])
        #expect(try self.names.isEmpty)
        await client.shutdown()
    }

    @Test func `sends a stream once more where a redirection asks for it`() async throws {
        let server = try LoopbackServer()
        server.route("POST", "/upload", .text("", status: 307, headers: ["Location": "/next"]))
        server.route("POST", "/next") { .data($0.body) }
        let client = self.client(server)
        let stream = FixtureBody.stream(Self.pieces(of: 7000))
        #expect(try await client.send(Upload(body: .stream(stream, contentType: "text/plain"))) == Self.body)
        #expect(server.received.map(\.body) == [Self.body, Self.body])
        let once = FixtureBody.stream(Self.pieces(of: 7000), isRepeatable: false)
        _ = try? await client.send(Upload(body: .stream(once, contentType: "text/plain")))
        #expect(server.received.map(\.path) == ["/upload", "/next", "/upload"])
        #expect(try self.names.isEmpty)
        await client.shutdown()
    }

    @Test(arguments: [true, false])
    func `sends a stream once more when a credential is asked for, if that can be`(isRepeatable: Bool) async throws {
        let server = try LoopbackServer()
        server.route("POST", "/upload") { request in
            request.header("Authorization") == nil
                ? .text("who?", status: 401, headers: ["WWW-Authenticate": "Basic realm=\"photos\""])
                : .data(request.body)
        }
        let asked = Locked(0)
        let client = self.client(server) {
            $0.credentials.authenticator = FixtureAuthenticator { _ in
                asked.withLock { $0 += 1 }
                return .basic(user: "ann", password: "secret")
            }
        }
        let stream = FixtureBody.stream(Self.pieces(of: 7000), isRepeatable: isRepeatable)
        let upload = Upload(body: .stream(stream, contentType: "text/plain"))
        if isRepeatable {
            #expect(try await client.send(upload) == Self.body)
            #expect(server.received.map(\.body) == [Self.body, Self.body])
        } else {
            let error = await #expect(throws: ErrandError.self) { try await client.send(upload) }
            #expect(error?.context.status == 401)
            #expect(server.received.map(\.body) == [Self.body])
        }
        #expect(asked.withLock { $0 } == (isRepeatable ? 1 : 0))
        #expect(try self.names.isEmpty)
        await client.shutdown()
    }

    @Test func `reads no longer than a deadline allows`() async throws {
        let (server, clock, reached) = (try LoopbackServer(), TestClock(), Waiter<Void>())
        let transport = URLSessionTransport(uploadFolder: self.folder.url)
        let client = Client(baseURL: server.baseURL) {
            $0.options = $0.options.timeouts(Timeouts(attempt: .seconds(3_600)))
            $0.environment.clock = clock
            $0.transport = transport
        }
        let upload = Upload(
            body: .stream(Self.stalling(reached), contentType: "text/plain"),
            options: .timeouts(Timeouts(attempt: .seconds(10))))
        let task = Task { await streamingFailure { _ = try await client.send(upload) } }
        _ = await reached.wait()
        await clock.waitForSleeper()
        clock.advance(by: .seconds(10))
        #expect(await task.value?.code == .timedOut)
        while transport.inFlightCount > 0 { await Task.yield() }
        #expect(try self.names.isEmpty)
        #expect(server.connectionsAccepted == 0)
        await client.shutdown()
    }
}
