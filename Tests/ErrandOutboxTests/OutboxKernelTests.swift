import Errand
import ErrandLocks
import ErrandTesting
import TestEffort
import Testing

@testable import ErrandOutbox

/// The wake-up of an outbox, of whose schedules one of each class is run.
@Suite("Kernels of the outbox that are proved", .timeLimit(.minutes(60)), .paced)
struct OutboxKernelTests {
    private final class Queue: Sendable {
        let waiting = Locked<[Int]>([])
        let sent = Locked<[Int]>([])
    }

    @Test func `what is added while a sender sends is sent, in no schedule too late`() async throws {
        let verification = try await Simulation.verify(schedules: 20_000, sharing: .seen) { simulation in
            let client = Client(baseURL: "http://sim.invalid/") {
                $0.transport = StubTransport()
                $0.environment.clock = simulation.clock
            }
            let (queue, wakeup) = (Queue(), Wakeup())
            await withTaskGroup { group in
                // As `QueueSender.run` does: sends what there is, and waits for more.
                group.addTask {
                    while true {
                        while let next = queue.waiting.withLock({ $0.first }) {
                            await simulation.yield()
                            queue.sent.withLock { $0.append(next) }
                            queue.waiting.withLock { _ = $0.removeFirst() }
                        }
                        if queue.sent.withLock({ $0.count }) == 2 { break }
                        await wakeup.wait(for: .added, atMost: nil, client)
                    }
                }
                for number in 1...2 {
                    group.addTask {
                        queue.waiting.withLock { $0.append(number) }
                        wakeup.signal(.added)
                    }
                }
            }
            try #require(queue.sent.withLock { $0.sorted() } == [1, 2])
        }
        // Elsewhere each schedule is a class.
        if verification.isSharingUnavailable { return }
        #expect(verification.isComplete, "\(verification)")
    }
}
