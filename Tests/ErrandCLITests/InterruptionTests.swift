internal import Errand
internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import Synchronization
internal import TestEffort
internal import Testing

@testable internal import ErrandCLI

@Suite(.timeLimit(.minutes(60)), .paced)
struct InterruptionTests {
    @Test func `ends what is in flight, prints what is known, and begins nothing new`() async throws {
        let server = try LoopbackServer()
        server.route("GET", "/stall", .stall)
        server.route("GET", "/ok", .text("hello"))
        let harness = ProgramHarness()
        let (stall, ok) = (server.baseURL + "stall", server.baseURL + "ok")
        async let code = harness.run("get", "--width", "2", stall, ok, stall, stall, stall)
        await server.waitForRequests(3)
        harness.interruption.raise(.signal(2))
        #expect(await code == 130)
        #expect(harness.output.lines.map { $0.prefix(3) } == ["---", "200", "---"])
        #expect(harness.output.lines.count { $0.contains("cancelled: ") } == 2)
        #expect(harness.errors.text == "errand: interrupted\n")
        #expect(server.receivedCount == 3)
    }

    @Test func `sends nothing after an interruption`() async throws {
        let server = try LoopbackServer()
        let harness = ProgramHarness()
        harness.interruption.raise(.signal(15))
        #expect(await harness.run("get", server.baseURL) == 143)
        #expect(server.receivedCount == 0)
    }

    @Test func `says nothing when whoever reads has had enough`() async throws {
        let server = try LoopbackServer()
        server.route("GET", "/ok", .text("hello"))
        let harness = ProgramHarness(output: MemorySink(error: FileProblem(EPIPE)))
        #expect(await harness.run("get", server.baseURL + "ok") == 141)
        #expect(harness.errors.text.isEmpty)
    }

    @Test func `says why results cannot be written`() async {
        let harness = ProgramHarness(output: MemorySink(error: FileProblem(ENOSPC)))
        #expect(await harness.run("--version") == 1)
        #expect(harness.errors.text == "errand: cannot write results: No space left on device\n")
    }

    @Test func `keeps its first reason and calls everyone once`() {
        let interruption = Interruption()
        let calls = Mutex(0)
        interruption.onRaise { calls.withLock { $0 += 1 } }
        interruption.raise(.signal(2))
        interruption.raise(.outputLost(FileProblem(EPIPE)))
        #expect(interruption.reason == .signal(2))
        #expect(calls.withLock { $0 } == 1)
        interruption.onRaise { calls.withLock { $0 += 1 } }
        #expect(calls.withLock { $0 } == 2)
    }
}
