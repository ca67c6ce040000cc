import ErrandLocks
import ErrandTesting
import Foundation
import TestEffort
import Testing

@testable import Errand
@testable import ErrandOutbox

/// A small scenario of an outbox of which one schedule of each class is run.
@Suite("Kernel of the outbox that is proved", .timeLimit(.minutes(60)), .paced)
struct OutboxKernelTests {
    @Test(.enabled(if: Simulation.Reach.available.contains(.tasks)))
    func `what is added while a request is sent is sent after it, in every schedule`() async throws {
        let parent = try TestFolder()
        let verification = try await Simulation.verify(schedules: 10_000, sharing: .seen, reach: .tasks) { simulation in
            try await Self.adding(to: parent.url.appending(path: UUID().uuidString), simulation)
        }
        // Elsewhere each schedule is a class.
        if verification.isSharingUnavailable { return }
        #expect(verification.isComplete, "\(verification)")
        #expect(verification.classes == 1619, "\(verification)")
    }

    private static func adding(to folder: URL, _ simulation: Simulation.Context) async throws {
        let stub = StubTransport()
        stub.route(where: { _ in true }, .status(200))
        let client = Client(baseURL: "http://sim.invalid/") {
            $0.transport = stub
            $0.environment.clock = simulation.clock
            $0.environment.pathMonitor = TestPathMonitor()
            $0.options = $0.options.withoutTimeout()
            $0.environment.date = { Date(timeIntervalSince1970: 1_000_000) }
        }
        let (sent, all) = (Sent(), Waiter<Void>())
        let disk = SimulatedDisk(simulation)
        let core = OutboxCore(try OutboxFolder(folder), client, OutboxOptions(), disk: disk) { item, _ in
            guard sent.append(item.url) == 2 else { return }
            // Here and not in the scenario, whose closing would meet each step in which the request is removed.
            await sent.outbox.withLock { $0.take() }?.close()
            all.resume(())
        }
        let outbox = Outbox(core)
        sent.outbox.withLock { $0 = outbox }
        try await outbox.add(Note(name: "a"))
        try await outbox.add(Note(name: "b"))
        // Certain to be woken: the scenario deadlocks otherwise, which is a failure.
        _ = await all.wait()
        await outbox.close()
        try #require(sent.urls == ["http://sim.invalid/a", "http://sim.invalid/b"])
        try #require(stub.activeCount == 0)
        try #require(try await outbox.items().isEmpty)
        try FileManager.default.removeItem(at: folder)
    }
}

private struct Note: Endpoint {
    typealias Response = String
    let name: String
    var path: EndpointPath { "\(self.name)" }
}

private final class Sent: Sendable {
    private let state = Locked<[String]>([])
    /// The outbox, until the last request has been sent.
    let outbox = Locked<Outbox?>(nil)

    var urls: [String] { self.state.withLock { $0 } }

    func append(_ url: String) -> Int {
        self.state.withLock { urls in
            urls.append(url)
            return urls.count
        }
    }
}

/// Does the work of a disk in the calling task, each piece in a step of its own, as a queue does it.
private final class SimulatedDisk: BlockingWork {
    private let simulation: Simulation.Context
    /// Used by all pieces of work, so that they depend on each other: the simulation does not see files.
    private let count = Locked(0)

    init(_ simulation: Simulation.Context) { self.simulation = simulation }

    func perform<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        await self.simulation.yield()
        self.count.withLock { $0 += 1 }
        let result = Result { () throws(Failure) in try work() }
        await self.simulation.yield()
        return try result.get()
    }
}
