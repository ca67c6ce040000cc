internal import Errand
internal import ErrandLogging
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Logging: the promises about hooks (G2, G3)", .timeLimit(.minutes(60)), .paced, .tags(.threadSanitizer))
struct HookPromiseTests {
    private let recorder = EventRecorder()

    private func world(_ transport: StubTransport) -> (LoggingAccessory, MemorySink, Client) {
        let sink = MemorySink()
        let log = LoggingAccessory(to: sink, format: .textWithoutTime)
        let client = Client(baseURL: "https://api.test/") {
            $0.transport = transport
            $0.accessories = [log, self.recorder]
        }
        return (log, sink, client)
    }

    /// What the lines say of each id, in their order.
    private static func words(_ lines: [String]) -> [String: [String]] {
        var words: [String: [String]] = [:]
        for line in lines {
            guard let match = line.wholeMatch(of: #/(?: +#\d+\[\d+\] )?(#\d+) (\w+) .*/#) else { continue }
            words[String(match.1), default: []].append(String(match.2))
        }
        return words
    }

    /// All that started has stopped, each once, in order, and the lines say so.
    private func check(_ lines: [String], _ ending: Set<String>) {
        let words = Self.words(lines)
        let ids = Set(self.recorder.entries.map(\.activity.id))
        #expect(Set(words.keys) == Set(ids.map(\.description)))
        for id in ids {
            #expect(self.recorder.hooks(of: id) == ["willStart", "didStart", "willStop", "didStop"])
            let own = words[id.description] ?? []
            #expect(own.count == 2 && own.first == "start" && ending.contains(own.last ?? ""), "\(id): \(own)")
        }
        #expect(lines.count == 2 * ids.count)
    }

    @Test func `a batch inside a chain`() async throws {
        let transport = StubTransport()
        transport.route("*", .text("x"))
        let (log, sink, client) = self.world(transport)
        let value = try await client.chain(LogCall("first")).then { _ in
            let both = try await client.batch(LogCall("left"), LogCall("right")).value
            return LogCall("last-\(both.0)\(both.1)")
        }.value
        // At once: all hooks have run when the sending call returns.
        #expect(self.recorder.entries.count { $0.call.name == "didStop" } == 6)
        await log.flush()
        #expect(value == "x")
        self.check(sink.texts, ["done"])
        let names = sink.texts.map { $0.replacing(#/#\d+/#, with: "#").prefix { $0 != "G" } }
        #expect(names.first == "# start chain" && names.last?.hasPrefix("# done chain") == true)
        #expect(sink.texts.count { $0.contains(" start batch") } == 1)
        let start = try #require(sink.texts.firstIndex { $0.contains(" start batch") })
        let end = try #require(sink.texts.firstIndex { $0.contains(" done batch") })
        #expect(end - start == 5)
        #expect(
            sink.texts[start + 1..<end].allSatisfy {
                $0.hasPrefix("  #") && ($0.contains("/left") || $0.contains("/right"))
            })
    }

    @Test func `a batch inside a chain that is cancelled`() async throws {
        let transport = StubTransport()
        let gate = StubGate()
        transport.route("/first", .text("x"))
        transport.route("*", StubReply.text("x").held(by: gate))
        let (log, sink, client) = self.world(transport)
        let task = Task {
            try await client.chain(LogCall("first")).then { _ in
                _ = try await client.batch(LogCall("left"), LogCall("right")).value
                return LogCall("last")
            }.value
        }
        await gate.waitUntilReached(2)
        await client.cancelAll()
        _ = try? await task.value
        for await left in await client.record.counts where left == 0 { break }
        await log.flush()
        self.check(sink.texts, ["done", "cancelled"])
        #expect(Self.words(sink.texts).values.count { $0.last == "cancelled" } == 4)
    }

    @Test func `requests that are cancelled wherever they are`() async throws {
        let transport = StubTransport()
        transport.route("*", .text("x"))
        let (log, sink, client) = self.world(transport)
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<400 {
                group.addTask {
                    let task = Task { try await client.send(LogCall("\(index)")) }
                    for _ in 0..<index % 7 { await Task.yield() }
                    task.cancel()
                    _ = try? await task.value
                }
            }
        }
        await log.flush()
        self.check(sink.texts, ["done", "cancelled"])
    }

    @Test func `a sending call does not wait for the sink`() async throws {
        let transport = StubTransport()
        transport.route("*", .text("x"))
        let sink = HangingSink()
        let log = LoggingAccessory(to: sink)
        let client = Client(baseURL: "https://api.test/") {
            $0.transport = transport
            $0.accessories = [log, self.recorder]
        }
        _ = try await client.batch(LogCall("a"), LogCall("b")).value
        #expect(self.recorder.entries.count { $0.call.name == "didStop" } == 3)
        #expect(sink.texts.isEmpty)
        sink.letGo()
        await log.flush()
        #expect(sink.texts.count == 6)
    }
}
