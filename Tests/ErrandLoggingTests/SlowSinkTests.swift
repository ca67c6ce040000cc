internal import Errand
internal import ErrandLogging
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Logging: sinks that hang or fail", .timeLimit(.minutes(60)), .paced, .tags(.threadSanitizer))
struct SlowSinkTests {
    private func client(_ log: LoggingAccessory) -> Client {
        let transport = StubTransport(recordLimit: 0)
        transport.route("*", .text("x"))
        return Client(baseURL: "https://api.test/") {
            $0.transport = transport
            $0.accessories = [log]
        }
    }

    @Test func `a sink that hangs holds up no request, and what was left out is told`() async throws {
        let sink = HangingSink()
        let log = LoggingAccessory(to: sink, format: .textWithoutTime, bufferedLines: 100)
        let client = self.client(log)
        _ = try await client.send(LogCall("first"))
        await sink.waitUntilEntered()
        let count = 8 * TestEffort.rounds(of: 2_500)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<count / 8 { _ = try await client.send(LogCall()) } }
            }
            try await group.waitForAll()
        }
        #expect(sink.texts.isEmpty)
        sink.letGo()
        await log.flush()
        // The first request's two lines may have gone apart, one in the sink and one in the buffer.
        let told = sink.texts.compactMap { $0.wholeMatch(of: #/(\d+) lines were dropped/#)?.1 }
        #expect(told.count == 1)
        let dropped = try #require(told.first.flatMap { Int($0) })
        #expect(sink.texts.count - 1 + dropped == 2 * (count + 1))
        #expect(sink.texts.count >= 101 && sink.texts.count <= 103)
        _ = try await client.send(LogCall("last"))
        await log.flush()
        #expect(sink.texts.last?.contains("done LogCall GET https://api.test/last") == true)
    }

    @Test func `bodies that wait are bounded as a whole`() async throws {
        let sink = HangingSink()
        let log = LoggingAccessory(to: sink, level: .bodies(limit: 1 << 20), format: .textWithoutTime)
        let transport = StubTransport(recordLimit: 0)
        transport.route("*", .text(String(repeating: "x", count: 1 << 20)))
        let client = Client(baseURL: "https://api.test/") {
            $0.transport = transport
            $0.accessories = [log]
        }
        _ = try await client.send(LogCall())
        await sink.waitUntilEntered()
        for _ in 0..<20 { _ = try await client.send(LogCall()) }
        sink.letGo()
        await log.flush()
        let bodies = sink.texts.count { $0.contains("response-body") }
        #expect((7...9).contains(bodies))
        #expect(sink.texts.count { $0.contains(" dropped") } == 1)
    }

    @Test func `a wait for a sink that hangs ends when it is cancelled`() async throws {
        let sink = HangingSink()
        let log = LoggingAccessory(to: sink)
        _ = try await self.client(log).send(LogCall())
        await sink.waitUntilEntered()
        let wait = Task { await log.flush() }
        wait.cancel()
        await wait.value
        sink.letGo()
        await log.flush()
        #expect(sink.texts.count == 2)
    }

    @Test func `a sink that throws is told of once, and tried again`() async throws {
        let (sink, told) = (RefusingSink(), Told())
        let log = LoggingAccessory(to: sink, format: .textWithoutTime) { told.add($0) }
        let client = self.client(log)
        for _ in 0..<3 {
            #expect(try await client.send(LogCall()) == "x")
            await log.flush()
        }
        #expect(told.words == ["no more room"])
        sink.refuse("another reason")
        _ = try await client.send(LogCall())
        await log.flush()
        #expect(told.words == ["no more room", "another reason"])
        sink.refuse(nil)
        _ = try await client.send(LogCall("later"))
        await log.flush()
        #expect(sink.texts.count == 3)
        #expect(sink.texts.first == "8 lines were dropped")
        #expect(sink.texts.last?.contains("done LogCall GET https://api.test/later") == true)
    }

    @Test func `a sink that complains in ever new words is not heard for ever`() async throws {
        let (sink, told) = (RefusingSink(), Told())
        let log = LoggingAccessory(to: sink) { told.add($0) }
        let client = self.client(log)
        for number in 0..<50 {
            sink.refuse("problem \(number)")
            _ = try await client.send(LogCall())
            await log.flush()
        }
        #expect(told.words.count == 8)
    }

    @Test func `a closure that refuses a line loses that and those behind it`() async throws {
        let (taken, told) = (Told(), Told())
        let sink = ClosureSink { line in
            if line.text.contains("done") { throw CancellationError() }
            taken.add(line.text)
        }
        let log = LoggingAccessory(to: sink, format: .textWithoutTime) { told.add($0) }
        let client = self.client(log)
        _ = try await client.send(LogCall())
        await log.flush()
        _ = try? await client.send(LogCall("a b"))
        _ = try await client.send(LogCall())
        await log.flush()
        #expect(taken.words.map(LogWorld.withoutNumbers).contains("1 line was dropped"))
        #expect(told.words.count == 1)
    }

    @Test func `what is left is written, and nothing is kept, when the accessory goes away`() async throws {
        let lines = Told()
        weak var kept: Token?
        let done = Waiter<Void>()
        try await {
            let token = Token(done)
            kept = token
            let log = LoggingAccessory(
                to: ClosureSink { line in
                    _ = token
                    lines.add(line.text)
                })
            _ = try await self.client(log).send(LogCall())
        }()
        // Certain to be woken: the token goes when the writer has let go of its sink.
        _ = await done.wait()
        #expect(kept == nil)
        #expect(lines.words.count == 2)
    }

    private final class Token: Sendable {
        private let gone: Waiter<Void>

        init(_ gone: Waiter<Void>) {
            self.gone = gone
        }

        deinit {
            self.gone.resume(())
        }
    }

    @Test func `lines of many tasks and clients never mix`() async throws {
        let sink = TextStreamSink("")
        let log = LoggingAccessory(to: sink, level: .heads, format: .json, bufferedLines: 1 << 20)
        let clients = [self.client(log), self.client(log)]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in clients {
                for lane in 0..<4 {
                    group.addTask {
                        for index in 0..<100 {
                            _ = try await client.send(LogCall("\(lane)/\(index)"))
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        await log.flush()
        let lines = sink.withStream { $0.split(separator: "\n") }
        #expect(lines.count == 800 * 4)
        var events: [JSONValue: [String]] = [:]
        for line in lines {
            guard case .object(let members) = try JSONValue(parsing: Data(line.utf8)) else { continue }
            events[members["id"] ?? .null, default: []].append("\(members["event"] ?? .null)")
        }
        #expect(events.count == 800)
        #expect(
            events.values.allSatisfy { $0 == [#""start""#, #""request-head""#, #""response-head""#, #""done""#] })
    }
}
