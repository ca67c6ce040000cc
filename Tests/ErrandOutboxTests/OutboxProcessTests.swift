#if os(Linux) || os(macOS)
    internal import ErrandLocks
    internal import ErrandTesting
    internal import Foundation
    internal import TestEffort
    internal import Testing

    @testable internal import Errand

    @Suite(
        "The outbox: processes that end, and several at once (G19)", .serialized, .timeLimit(.minutes(60)), .paced,
        .enabled(if: TestProgram.areWanted, "ERRAND_PROGRAMS is not 1"))
    struct OutboxProcessTests {
        /// What a server that honours keys has processed, in order.
        private struct Processed: Sendable {
            var keys: Set<String> = []
            var texts: [String: [String]] = [:]
            var repeats = 0
        }

        private let folder: TestFolder
        private let writer: TestProgram
        private let server: LoopbackServer
        private let ledger: Ledger

        private final class Ledger: Sendable {
            let processed = Locked(Processed())
        }

        init() throws {
            self.folder = try TestFolder()
            self.writer = try #require(TestProgram(besideTests: "OutboxWriter"))
            self.server = try LoopbackServer()
            self.ledger = Ledger()
            for queue in ["queue-0", "queue-1"] {
                self.server.add(
                    LoopbackRoute("POST", "/\(queue)") { [ledger] request in
                        let key = request.headers["Idempotency-Key"] ?? ""
                        let text = String(decoding: request.body, as: UTF8.self)
                        ledger.processed.withLock { processed in
                            guard processed.keys.insert(key).inserted else { return processed.repeats += 1 }
                            processed.texts[queue, default: []].append(text)
                        }
                        return .status(200)
                    })
            }
        }

        private func start(_ name: String, count: Int) async throws -> ChildProcess {
            try await ChildProcess.start(
                self.writer, [self.folder.url.appending(path: "outbox").path, self.server.baseURL, name, "\(count)"])
        }

        /// What processes said.
        private struct Said {
            /// What was kept, in order, by queue.
            var added: [String: [String]] = [:]
            /// The keys of that, and those whose end was reported.
            var keys: Set<String> = []
            var ended: Set<String> = []

            mutating func take(_ text: String) {
                for line in text.split(separator: "\n") {
                    let words = line.split(separator: " ").map(String.init)
                    switch (words.first, words.count) {
                    case ("added", 4):
                        self.added[words[1], default: []].append(words[2])
                        self.keys.insert(words[3])
                    case ("ended", 2): self.ended.insert(words[1])
                    default: break
                    }
                }
            }
        }

        private func drain() async throws -> String {
            let result = try #require(await self.start("last", count: 0).result())
            #expect(result.status == 0 && result.text.contains("done"), "\(result.text)")
            return result.text
        }

        @Test func `whenever processes are killed, what they kept is processed once, and in order`() async throws {
            var random = SplitMix64(seed: 7)
            var said = Said()
            for round in 0..<TestEffort.rounds(of: TestEffort.isDeep ? 1_000 : 200) {
                let child = try await self.start("\(round)", count: 1_000)
                _ = try #require(await child.line { $0 == "open" })
                // Any moment will do; that it is another one each time is what matters.
                try await Task.sleep(for: .microseconds(random.next(below: 30_000)))
                child.kill()
                let result = try #require(await child.result())
                #expect(!result.text.contains("wrong"), "\(result.text)")
                said.take(result.text)
            }
            said.take(try await self.drain())
            let processed = self.ledger.processed.withLock { $0 }
            #expect(!said.keys.isEmpty)
            #expect(said.keys.isSubset(of: said.ended))
            for (queue, texts) in said.added {
                let known = processed.texts[queue] ?? []
                // One that was kept in the moment of the kill was perhaps not told of.
                let told = Set(texts)
                #expect(known.filter(told.contains) == texts, "\(queue)")
                #expect(Set(known).count == known.count)
            }
        }

        @Test func `several processes on one folder send nothing twice`() async throws {
            var children: [ChildProcess] = []
            for name in 0..<3 { children.append(try await self.start("\(name)", count: 60)) }
            for child in children { _ = await child.line { $0.hasPrefix("added queue-1") && $0.contains("-59 ") } }
            _ = try await self.drain()
            for child in children { child.kill() }
            let processed = self.ledger.processed.withLock { $0 }
            #expect(processed.keys.count == 180)
            #expect(processed.repeats == 0)
            for texts in processed.texts.values {
                for name in 0..<3 {
                    let own = texts.filter { $0.hasPrefix("\(name)-") }.compactMap { Int($0.split(separator: "-")[1]) }
                    #expect(own == own.sorted() && own.count == 30)
                }
            }
        }
    }
#endif
