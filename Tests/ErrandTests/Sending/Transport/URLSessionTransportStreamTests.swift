internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

#if canImport(ErrandURLSession)
    @testable internal import ErrandURLSession
#endif

/// Bodies that are handed over as streams.
@Suite(.timeLimit(.minutes(60)), .paced)
struct URLSessionTransportStreamTests {
    private static let body = streamingBytes(300_000)

    private static func harness(
        _ handler: @escaping LoopbackRoute.Handler = { _ in .data(Self.body) }
    ) throws -> URLSessionTransportHarness {
        try URLSessionTransportHarness(handler, over: URLSessionTransportHarness.streaming)
    }

    // MARK: - Reading

    @Test(arguments: [1, 1000, 1 << 20])
    func `gives several chunks, however large the buffer is`(buffer: Int) async throws {
        let pieces = (1...40).map { Data(repeating: UInt8($0), count: $0 * 1000) }
        let harness = try Self.harness { _ in .chunked(pieces) }
        #expect(try await streamingAll(harness.stream(buffer: buffer)) == Data(pieces.joined()))
        await harness.waitUntilIdle()
    }

    @Test func `keeps everything for a reader that is slow`() async throws {
        let harness = try Self.harness()
        var reader = try await harness.stream(buffer: 1000).makeAsyncIterator()
        var read = Data()
        while let chunk = try await reader.next() {
            read += chunk
            for _ in 0..<100 { await Task.yield() }
        }
        #expect(read == Self.body)
        await harness.waitUntilIdle()
    }

    @Test func `can be read when the exchange is long over`() async throws {
        // As much as the buffer holds comes without anybody who reads.
        let harness = try Self.harness { _ in .text("hello") }
        let stream = try await harness.stream()
        await harness.waitUntilIdle()
        #expect(try await streamingAll(stream) == Data("hello".utf8))
    }

    @Test(arguments: [HTTPMethod.get, .head], [200, 204, 304, 401, 404])
    func `ends at once when there is nothing`(method: HTTPMethod, status: Int) async throws {
        let harness = try Self.harness { _ in
            .status(HTTPStatus(rawValue: status), headers: ["WWW-Authenticate": "Basic realm=\"x\""])
        }
        let response = try await harness.send(method, to: .stream(buffer: 10))
        #expect(response.status.code == status)
        guard case .stream(let stream) = response.body else {
            Issue.record("there is no stream")
            return
        }
        #expect(try await streamingAll(stream).isEmpty)
    }

    @Test(arguments: [(302, "Location", "/next"), (401, "WWW-Authenticate", "Basic realm=\"x\"")])
    func `has the body of a redirection and of a challenge`(status: Int, name: String, value: String) async throws {
        let harness = try Self.harness { _ in
            .text("who?", status: HTTPStatus(rawValue: status), headers: [name: value])
        }
        let response = try await harness.send(to: .stream(buffer: 10))
        #expect(response.status.code == status)
        guard case .stream(let stream) = response.body else {
            Issue.record("there is no stream")
            return
        }
        #expect(try await streamingAll(stream) == Data("who?".utf8))
        #expect(harness.server.receivedCount == 1)
    }

    @Test func `reports the head once, and how far it is`() async throws {
        let harness = try Self.harness()
        let (events, continuation) = AsyncStream.makeStream(of: ExchangeEvent.self)
        let response = try await harness.send(to: .stream(buffer: 1000)) { continuation.yield($0) }
        guard case .stream(let stream) = response.body else {
            Issue.record("there is no stream")
            return
        }
        #expect(try await streamingAll(stream) == Self.body)
        await harness.waitUntilIdle()
        continuation.finish()
        var (heads, received): ([HTTPStatus], [TransferProgress]) = ([], [])
        for await event in events {
            if case .responseHead(let head) = event { heads.append(head.status) }
            if case .received(let progress) = event { received.append(progress) }
        }
        #expect(heads == [.ok])
        #expect(received.last == TransferProgress(bytes: 300_000, total: 300_000))
        #expect(received.map(\.bytes) == received.map(\.bytes).sorted())
    }

    // MARK: - Ending early

    @Test(arguments: [0, 1])
    func `ends the exchange when the stream is let go of`(chunks: Int) async throws {
        let harness = try Self.harness { _ in .stallInBody(after: 200_000, of: Self.body) }
        do {
            var reader = try await harness.stream().makeAsyncIterator()
            for _ in 0..<chunks { _ = try await reader.next() }
        }
        await harness.server.waitForClosedConnections(1)
        await harness.waitUntilIdle()
    }

    @Test func `leaves at once while it waits for a head`() async throws {
        let harness = try Self.harness { _ in .stall }
        let (task, _) = harness.start(to: .stream(buffer: 100))
        await harness.server.waitForRequests(1)
        task.cancel()
        #expect(await task.value.code == .cancelled)
        await harness.server.waitForClosedConnections(1)
        await harness.waitUntilIdle()
    }

    @Test(arguments: [1, 1 << 20])
    func `ends with an error when its reader is cancelled`(buffer: Int) async throws {
        let harness = try Self.harness { _ in .stallInBody(after: 200_000, of: Self.body) }
        let stream = try await harness.stream(buffer: buffer)
        let (chunks, continuation) = AsyncStream.makeStream(of: Data.self)
        let task = Task {
            await streamingFailure { for try await chunk in stream { continuation.yield(chunk) } }
        }
        for await _ in chunks { break }
        task.cancel()
        #expect(await task.value?.code == .cancelled)
        await harness.server.waitForClosedConnections(1)
        await harness.waitUntilIdle()
    }

    @Test(arguments: [
        (LoopbackReply.shortBody(declared: 300_000, sent: Data(count: 200_000)), ErrandError.Code.connectionLost),
        (.resetInBody(after: 200_000, of: Self.body), .connectionLost),
        (
            LoopbackReply(
                .bytes(Data("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\n".utf8))),
            .invalidResponse
        ),
    ])
    func `ends with the error that comes after the head`(reply: LoopbackReply, code: ErrandError.Code) async throws {
        let harness = try Self.harness { _ in reply }
        let stream = try await harness.stream(buffer: 1000)
        #expect(await streamingFailure { _ = try await streamingAll(stream) }?.code == code)
        await harness.waitUntilIdle()
    }

    @Test func `ends with the transport`() async throws {
        let harness = try Self.harness { _ in .stallInBody(after: 100_000, of: Self.body) }
        let streams = [try await harness.stream(), try await harness.stream(buffer: 1)]
        harness.transport.shutdown()
        for stream in streams {
            #expect(await streamingFailure { _ = try await streamingAll(stream) }?.code == .clientShutDown)
        }
        await harness.server.waitForClosedConnections(2)
        await harness.waitUntilIdle()
    }

    @Test func `keeps nothing of hundreds that are let go of anywhere`() async throws {
        let harness = try Self.harness { request in
            request.path == "/stall" ? .stallInBody(after: 100_000, of: Self.body) : .data(Self.body)
        }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<300 {
                if number >= 30 { await group.next() }
                group.addTask { await Self.abandon(number, harness) }
            }
        }
        await harness.waitUntilIdle()
        #expect(try await streamingAll(harness.stream("all")) == Self.body)
    }

    /// Reads a few chunks and leaves, in one of the ways there are.
    private static func abandon(_ number: Int, _ harness: URLSessionTransportHarness) async {
        let task = Task {
            var reader = try await harness.stream(number % 2 == 0 ? "stall" : "all", buffer: 1000).makeAsyncIterator()
            for _ in 0..<(number % 7) { _ = try await reader.next() }
        }
        if number % 3 == 0 {
            for _ in 0..<(number % 100) { await Task.yield() }
            task.cancel()
        }
        _ = await task.result
    }
}
