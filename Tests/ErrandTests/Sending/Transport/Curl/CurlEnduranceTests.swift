internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

#if os(Linux)
    /// What is left after very many exchanges; each test in a process of its own.
    @Suite("CurlTransport in the long run", .serialized, .timeLimit(.minutes(60)), .paced)
    struct CurlEnduranceTests {
        @Test func `exchanges, three in ten of which are cancelled at any moment, leave nothing behind`() async {
            await #expect(processExitsWith: .success) {
                try await CurlScene.leavingNothing { scene in
                    let transport = CurlTransport()
                    let runner = try CurlEnduranceRunner(scene.server, transport, cancelling: 3)
                    let tens = TestEffort.rounds(of: 10_000)
                    let counts = await runner.run(tens)
                    #expect(counts.values == 7 * tens)
                    #expect(counts.cancelled + counts.late == 3 * tens)
                    // Most come in time: those of requests that are never answered always do.
                    #expect(counts.cancelled >= 3 * tens / 2, "\(counts)")
                    let ledger = await transport.ledger()
                    #expect(ledger?.active == 0)
                    #expect((ledger?.idle ?? .max) <= 128)
                    transport.shutdown()
                    let end = await transport.ledger()
                    #expect(end == nil)
                }
            }
        }

        @Test func `more exchanges do not take more memory than the first ones`() async {
            await #expect(processExitsWith: .success) {
                try await CurlScene.leavingNothing { scene in
                    let transport = CurlTransport()
                    let runner = try CurlEnduranceRunner(scene.server, transport, cancelling: 1)
                    _ = await runner.run(TestEffort.rounds(of: 500))
                    let before = ProcessFootprint.residentKiB
                    _ = await runner.run(TestEffort.rounds(of: 1_000))
                    let growth = ProcessFootprint.residentKiB - before
                    #expect(growth < 32 << 10, "\(growth) KiB more than \(before) KiB")
                    transport.shutdown()
                }
            }
        }
    }

    /// Performs exchanges, many at once, a part of which is cancelled at any moment.
    struct CurlEnduranceRunner: Sendable {
        struct Counts: Sendable {
            /// Exchanges that nobody cancelled, and that had the right answer.
            var values = 0
            /// Exchanges that were cancelled in time, and those for which it was too late.
            var cancelled = 0
            var late = 0
        }

        private let transport: CurlTransport
        /// How many of ten exchanges are cancelled.
        private let cancelling: Int
        private let answered: CurlExchangeCall
        private let stalled: CurlExchangeCall

        private static let width = 100

        init(_ server: LoopbackServer, _ transport: CurlTransport, cancelling: Int) throws(ErrandError) {
            self.transport = transport
            self.cancelling = cancelling
            self.answered = try CurlExchangeCall(server, "/text/1234")
            self.stalled = try CurlExchangeCall(server, "/stall/head/x")
        }

        /// Performs so many times ten exchanges.
        func run(_ tens: Int) async -> Counts {
            await withTaskGroup(of: Counts.self) { group in
                for lane in 0..<Self.width {
                    group.addTask { await self.lane(lane, 10 * ((tens + lane) / Self.width)) }
                }
                return await group.reduce(into: Counts()) { sum, counts in
                    sum.values += counts.values
                    sum.cancelled += counts.cancelled
                    sum.late += counts.late
                }
            }
        }

        private func lane(_ lane: Int, _ count: Int) async -> Counts {
            var random = SplitMix64(seed: UInt64(lane))
            var counts = Counts()
            for number in 0..<count {
                guard number % 10 < self.cancelling else {
                    let outcome = await self.answered.outcome(over: self.transport)
                    if (try? outcome.get())?.count == 10 { counts.values += 1 }
                    continue
                }
                let patience = random.next(below: 30)
                let outcome = await self.outcome(number.isMultiple(of: 2) ? self.stalled : self.answered, patience)
                switch outcome {
                case .success: counts.late += 1
                case .failure(let error): if error.code == .cancelled { counts.cancelled += 1 }
                }
            }
            return counts
        }

        private func outcome(_ call: CurlExchangeCall, _ patience: Int) async -> Result<Data, ErrandError> {
            await withTaskGroup(of: Result<Data, ErrandError>.self) { group in
                group.addTask { await call.outcome(over: self.transport) }
                for _ in 0..<patience { await Task.yield() }
                group.cancelAll()
                return await group.next() ?? .failure(.cancelled())
            }
        }
    }
#endif
