internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

#if canImport(ErrandURLSession)
    @testable internal import ErrandURLSession
#endif

/// Cancellation and shutdown.
@Suite(.timeLimit(.minutes(60)), .paced)
struct URLSessionTransportEndingTests {
    private static let body = Data(repeating: 65, count: 200_000)

    // MARK: - Cancellation

    @Test func `does not begin when it is cancelled already`() async throws {
        let harness = try URLSessionTransportHarness()
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return await harness.failure()
        }
        #expect(await task.value?.code == .cancelled)
        #expect(harness.server.connectionsAccepted == 0)
        #expect(harness.transport.inFlightCount == 0)
    }

    @Test func `leaves at once while it waits for a head`() async throws {
        let harness = try URLSessionTransportHarness { _ in .stall }
        let (task, _) = harness.start()
        await harness.server.waitForRequests(1)
        task.cancel()
        #expect(await task.value.code == .cancelled)
        await harness.server.waitForClosedConnections(1)
        await harness.waitUntilIdle()
    }

    @Test(arguments: [
        LoopbackReply.stallInBody(after: 100_000, of: Self.body),
        // Longer than any test may take.
        .dripped(Data(count: 16_000_000), chunk: 100, every: .milliseconds(1)),
    ])
    func `leaves at once in the body`(reply: LoopbackReply) async throws {
        let harness = try URLSessionTransportHarness { _ in reply }
        let (task, events) = harness.start()
        // The head, not the body: URLSession on Linux may keep bytes that came while it asked about the response until
        // more of them come, and of a body that stalls there are no more.
        for await case .responseHead in events { break }
        task.cancel()
        #expect(await task.value.code == .cancelled)
        await harness.server.waitForClosedConnections(1)
        await harness.waitUntilIdle()
    }

    @Test func `leaves others alone`() async throws {
        let gate = LoopbackGate()
        let harness = try URLSessionTransportHarness { _ in .text("hello").held(by: gate) }
        let tasks = (0..<20).map { _ in harness.start().task }
        await gate.waitUntilReached(times: 20)
        for task in tasks[..<10] { task.cancel() }
        for task in tasks[..<10] { #expect(await task.value.code == .cancelled) }
        gate.open()
        for task in tasks[10...] { #expect(try await task.value.get().data == Data("hello".utf8)) }
        await harness.waitUntilIdle()
    }

    @Test func `keeps nothing of a thousand that are cancelled anywhere`() async throws {
        let harness = try URLSessionTransportHarness { request in
            switch request.path {
            case "/stall": .stall
            case "/body": .stallInBody(after: 50_000, of: Self.body)
            case "/drip": .dripped(Data(repeating: 1, count: 50), chunk: 10, every: .milliseconds(1))
            case "/who": .text("who?", status: 401, headers: ["WWW-Authenticate": "Basic realm=\"x\""])
            case "/away": .text("away", status: 302, headers: ["Location": "/"])
            default: .data(Self.body)
            }
        }
        let file = FileManager.default.temporaryDirectory.appending(path: "errand-\(UUID().uuidString)")
        try Self.body.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let uploads: [HTTPRequest.Body] = [.none, .bytes(Self.body), .file(file)]
        let paths = ["stall", "body", "drip", "who", "away", "all"]
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<1000 {
                if number >= 40 { await group.next() }
                group.addTask {
                    let upload = uploads[number / paths.count % uploads.count]
                    let (task, events) = harness.start(.post, paths[number % paths.count], body: upload)
                    await Self.pass(number / paths.count / uploads.count % 12, events)
                    task.cancel()
                    let code = await task.value.code
                    #expect(code == nil || code == .cancelled)
                }
            }
        }
        await harness.waitUntilIdle()
        #expect(try await harness.send(.get, "all").data == Self.body)
    }

    /// Lets some time pass: none, a few turns, or until something was heard of the exchange.
    private static func pass(_ kind: Int, _ events: AsyncStream<ExchangeEvent>) async {
        switch kind {
        case 0: return
        case 1...5: for _ in 0..<(1 << (kind * 2)) { await Task.yield() }
        default:
            // What never tells anything is cancelled when the others have had their turn.
            let waiting = Task { for await _ in events { return } }
            for _ in 0..<(100 * kind) { await Task.yield() }
            waiting.cancel()
            await waiting.value
        }
    }

    // MARK: - Shutdown

    @Test func `ends what is under way, and begins nothing more`() async throws {
        let harness = try URLSessionTransportHarness { request in
            request.path == "/body" ? .stallInBody(after: 50_000, of: Self.body) : .stall
        }
        let tasks = (0..<20).map { harness.start(.get, $0 % 2 == 0 ? "body" : "stall").task }
        await harness.server.waitForRequests(20)
        harness.transport.shutdown()
        for task in tasks { #expect(await task.value.code == .clientShutDown) }
        #expect(await harness.failure()?.code == .clientShutDown)
        harness.transport.shutdown()
        await harness.server.waitForClosedConnections(20)
        await harness.waitUntilIdle()
        #expect(harness.server.receivedCount == 20)
    }

    @Test func `may be shut down while exchanges begin`() async throws {
        for delay in 0..<20 {
            let harness = try URLSessionTransportHarness()
            let tasks = (0..<20).map { _ in harness.start().task }
            for _ in 0..<(delay * 10) { await Task.yield() }
            harness.transport.shutdown()
            for task in tasks {
                let code = await task.value.code
                #expect(code == nil || code == .clientShutDown)
            }
            await harness.waitUntilIdle()
        }
    }

    @Test func `lets go of its connections when it is let go of`() async throws {
        let server = try LoopbackServer()
        server.fallback { $0.path == "/stall" ? .stall : .text("hello") }
        for number in 1...5 {
            let transport = URLSessionTransport()
            let context = ExchangeContext(requestID: .next(), attempt: 1, destination: .memory(limit: 100))
            let stalling = Task {
                try await transport.exchange(HTTPRequest(url: HTTPURL(server.baseURL + "stall")), context)
            }
            _ = try await transport.exchange(HTTPRequest(url: HTTPURL(server.baseURL)), context)
            await server.waitForRequests(2 * number)
            stalling.cancel()
            _ = await stalling.result
        }
        await server.waitForClosedConnections(server.connectionsAccepted)
        #expect(server.openConnections == 0)
    }
}
