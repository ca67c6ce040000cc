internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

#if canImport(ErrandURLSession)
    @testable internal import ErrandURLSession
#endif

/// Bodies that go into files.
@Suite(.timeLimit(.minutes(60)), .paced)
final class URLSessionTransportFileTests {
    private static let body = streamingBytes(300_000)

    private let folder: URL

    init() throws {
        self.folder = FileManager.default.temporaryDirectory.appending(path: "errand-\(UUID().uuidString)/")
        try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: self.folder)
    }

    private func place(_ name: String = "file") -> URL {
        self.folder.appending(path: name, directoryHint: .notDirectory)
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: self.folder.path).sorted() }
    }

    private func expectNothing(sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(try self.names.isEmpty, sourceLocation: sourceLocation)
    }

    // MARK: - Whole

    @Test(arguments: [0, 1, 300_000, 8 << 20])
    func `has the whole body`(count: Int) async throws {
        let body = streamingBytes(count)
        let harness = try URLSessionTransportHarness { _ in .data(body) }
        let response = try await harness.send(to: .file(self.place()))
        guard case .file(let file) = response.body else {
            Issue.record("there is no file")
            return
        }
        #expect(file == self.place())
        #expect(try Data(contentsOf: file) == body)
        await harness.waitUntilIdle()
        #expect(try self.names == ["file"])
    }

    @Test func `has the content of all chunks`() async throws {
        let pieces = (1...40).map { Data(repeating: UInt8($0), count: $0 * 1000) }
        let harness = try URLSessionTransportHarness { _ in .chunked(pieces) }
        _ = try await harness.send(to: .file(self.place()))
        #expect(try Data(contentsOf: self.place()) == Data(pieces.joined()))
    }

    @Test(arguments: [(302, "Location", "/next"), (401, "WWW-Authenticate", "Basic realm=\"x\"")])
    func `has the body of a redirection and of a challenge`(status: Int, name: String, value: String) async throws {
        let harness = try URLSessionTransportHarness { _ in
            .text("who?", status: HTTPStatus(rawValue: status), headers: [name: value])
        }
        #expect(try await harness.send(to: .file(self.place())).status.code == status)
        #expect(try Data(contentsOf: self.place()) == Data("who?".utf8))
    }

    @Test func `may be the answer to a file`() async throws {
        try Self.body.write(to: self.place("sent"))
        let harness = try URLSessionTransportHarness { .data($0.body) }
        _ = try await harness.send(.put, body: .file(self.place("sent")), to: .file(self.place()))
        #expect(try Data(contentsOf: self.place()) == Self.body)
    }

    @Test func `twenty come at once`() async throws {
        let harness = try URLSessionTransportHarness { .text($0.path) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                let place = self.place("\(number)")
                group.addTask {
                    _ = try await harness.send(.get, "\(number)", to: .file(place))
                    #expect(try Data(contentsOf: place) == Data("/\(number)".utf8))
                }
            }
            try await group.waitForAll()
        }
    }

    // MARK: - Refused

    @Test func `leaves a file alone that is there already, and sends nothing`() async throws {
        try Data("mine".utf8).write(to: self.place())
        let harness = try URLSessionTransportHarness()
        #expect(await harness.failure(to: .file(self.place()))?.code == .fileFailed)
        #expect(try Data(contentsOf: self.place()) == Data("mine".utf8))
        #expect(harness.server.connectionsAccepted == 0)
        #expect(harness.transport.inFlightCount == 0)
    }

    @Test func `needs a folder, and sends nothing without one`() async throws {
        let harness = try URLSessionTransportHarness()
        let place = self.folder.appending(path: "missing/file")
        #expect(await harness.failure(to: .file(place))?.code == .fileFailed)
        #expect(harness.server.connectionsAccepted == 0)
    }

    @Test func `makes no file when the one to send cannot be read`() async throws {
        let harness = try URLSessionTransportHarness()
        let missing = HTTPRequest.Body.file(self.place("missing"))
        #expect(await harness.failure(.put, body: missing, to: .file(self.place()))?.code == .encodingFailed)
        try self.expectNothing()
    }

    // MARK: - Failed

    @Test(arguments: [
        (LoopbackReply.close, ErrandError.Code.connectionLost),
        (.shortBody(declared: 300_000, sent: Data(count: 200_000)), .connectionLost),
        (.resetInBody(after: 200_000, of: Self.body), .connectionLost),
        (
            LoopbackReply(
                .bytes(Data("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\n".utf8))),
            .invalidResponse
        ),
    ])
    func `leaves nothing when it fails`(reply: LoopbackReply, code: ErrandError.Code) async throws {
        let harness = try URLSessionTransportHarness { _ in reply }
        #expect(await harness.failure(to: .file(self.place()))?.code == code)
        try self.expectNothing()
        // The place is free again.
        try Data("mine".utf8).write(to: self.place())
        await harness.waitUntilIdle()
        #expect(try Data(contentsOf: self.place()) == Data("mine".utf8))
    }

    // MARK: - Cancelled

    @Test func `leaves nothing when it is cancelled before it begins`() async throws {
        let harness = try URLSessionTransportHarness()
        let place = self.place()
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return await harness.failure(to: .file(place))
        }
        #expect(await task.value?.code == .cancelled)
        try self.expectNothing()
    }

    @Test func `leaves nothing when it is cancelled before the head`() async throws {
        let harness = try URLSessionTransportHarness { _ in .stall }
        let (task, _) = harness.start(to: .file(self.place()))
        await harness.server.waitForRequests(1)
        #expect(try self.names == ["file"])
        task.cancel()
        #expect(await task.value.code == .cancelled)
        try self.expectNothing()
        await harness.server.waitForClosedConnections(1)
        await harness.waitUntilIdle()
    }

    @Test(arguments: [0, 200_000])
    func `leaves nothing when it is cancelled in the body`(count: Int) async throws {
        let harness = try URLSessionTransportHarness { _ in .stallInBody(after: count, of: Self.body) }
        let (task, events) = harness.start(to: .file(self.place()))
        for await event in events {
            if case .responseHead = event, count == 0 { break }
            if case .received = event { break }
        }
        task.cancel()
        #expect(await task.value.code == .cancelled)
        try self.expectNothing()
        await harness.server.waitForClosedConnections(1)
        await harness.waitUntilIdle()
    }

    @Test func `leaves nothing when the transport is shut down`() async throws {
        let harness = try URLSessionTransportHarness { _ in .stallInBody(after: 200_000, of: Self.body) }
        let (task, events) = harness.start(to: .file(self.place()))
        for await case .received in events { break }
        harness.transport.shutdown()
        #expect(await task.value.code == .clientShutDown)
        try self.expectNothing()
        #expect(await harness.failure(to: .file(self.place()))?.code == .clientShutDown)
        try self.expectNothing()
        await harness.waitUntilIdle()
    }

    @Test func `leaves nothing of hundreds that are cancelled anywhere`() async throws {
        let harness = try URLSessionTransportHarness { _ in .data(Self.body) }
        try Self.body.write(to: self.place("sent"))
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<300 {
                if number >= 30 { await group.next() }
                let place = self.place("\(number)")
                let body: HTTPRequest.Body = number % 2 == 0 ? .none : .file(self.place("sent"))
                group.addTask { await Self.cancel(after: number * 7 % 200, harness, body, place) }
            }
        }
        await harness.waitUntilIdle()
        #expect(try self.names == ["sent"])
    }

    /// Cancels an exchange after so many turns; when it has ended there is all of its file, or none.
    private static func cancel(
        after turns: Int, _ harness: URLSessionTransportHarness, _ body: HTTPRequest.Body, _ place: URL
    ) async {
        let (task, _) = harness.start(.post, body: body, to: .file(place))
        for _ in 0..<turns { await Task.yield() }
        task.cancel()
        let result = await task.value
        let content = try? Data(contentsOf: place)
        switch result {
        case .success: #expect(content == Self.body)
        case .failure(let error):
            #expect(error.code == .cancelled)
            #expect(content == nil)
        }
        try? FileManager.default.removeItem(at: place)
    }

    // MARK: - Under a client

    @Test func `serves the downloads of a client, and its streams where it can be held back`() async throws {
        let server = try LoopbackServer(routes: [LoopbackRoute("GET", "/a") { _ in .data(Self.body) }])
        let client = Client(baseURL: server.baseURL) {
            $0.options = $0.options.timeouts(Timeouts(attempt: .seconds(3_600)))
            $0.transport = URLSessionTransportHarness.streaming
        }
        let file = try await client.download(FixtureData(), to: self.place())
        #expect(file.size == Int64(Self.body.count))
        #expect(try Data(contentsOf: self.place()) == Self.body)
        #expect(try self.names == ["file"])
        #expect(try await client.stream(FixtureData(), buffer: 1000) { try await streamingAll($0.body) } == Self.body)
    }
}
