internal import Errand
internal import ErrandLocks
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import ErrandTesting

@Suite(.timeLimit(.minutes(60)), .paced)
struct ConformanceRunTests {
    private func failure(
        of id: String, on clock: any Clock<Duration> = TestClock(),
        _ makeTransport: @escaping @Sendable () throws -> any Transport
    ) async -> ConformanceFailure? {
        guard let one = TransportConformance.cases.first(where: { $0.id == id }) else { return nil }
        do throws(ConformanceFailure) {
            try await one.run(within: .seconds(60), on: clock, against: makeTransport)
            return nil
        } catch {
            return error
        }
    }

    @Test func `says what was expected and what came`() async {
        let failure = await self.failure(of: "length") { PlainTransport(.changesBodies) }
        let expected = "status 200 with the body \"hello\""
        let actual = "status 200 with the body \"hemlo\" and the fields [Content-Length: 5]"
        #expect(failure == ConformanceFailure(caseID: "length", expected: expected, actual: actual))
        #expect(failure?.description == "length: expected \(expected), but got \(actual)")
    }

    @Test func `a transport that never comes back fails when the time is over`() async {
        let (clock, transport) = (TestClock(), DeafTransport())
        async let failure = self.failure(of: "cancel-before", on: clock) { transport }
        await transport.waitUntilCancelled()
        await clock.waitForSleeper()
        clock.advance(by: .seconds(60))
        #expect(await failure?.expected == "an end within 60.0 seconds")
        #expect(await failure?.actual == "none, while performing an exchange in a task that is cancelled")
        transport.release()
    }

    @Test func `cancelling a test ends it at once, even if the transport does not`() async {
        let transport = DeafTransport()
        await withTaskGroup(of: ConformanceFailure?.self) { group in
            group.addTask { await self.failure(of: "length") { transport } }
            await transport.waitUntilBegun()
            group.cancelAll()
            let failure = await group.next() ?? nil
            #expect(failure?.actual == "the cancellation of the test, while performing GET /case")
        }
        transport.release()
    }

    @Test func `a transport that does not work afterwards fails`() async {
        let failure = await self.failure(of: "empty-reply") { BreakingTransport() }
        #expect(failure?.expected == "status 200 with the body \"works\"")
    }

    @Test func `a transport that cannot be made fails`() async {
        let failure = await self.failure(of: "length") { throw CocoaError(.featureUnsupported) }
        #expect(failure?.expected == "a server and a transport")
    }

    @Test func `each case has a transport of its own, which is shut down once`() async {
        let made = Locked<[CountingTransport]>([])
        let cases = TransportConformance.cases.filter { ["length", "empty-reply", "shutdown-idle"].contains($0.id) }
        let failures = await TransportConformance.failures(in: cases) {
            let transport = CountingTransport()
            made.withLock { $0.append(transport) }
            return transport
        }
        #expect(failures.isEmpty)
        #expect(made.withLock { $0 }.map(\.shutdownCount) == [1, 1, 1])
    }

    @Test func `failures are gathered without a framework`() async {
        let ids = ["length", "length-conflicting", "chunked"]
        let cases = TransportConformance.cases.filter { ids.contains($0.id) }
        let failures = await TransportConformance.failures(in: cases) { PlainTransport(.countsFirstLength) }
        #expect(failures.map(\.caseID) == ["length-conflicting"])
    }
}

/// A transport that never comes back by itself.
private final class DeafTransport: Transport {
    private let waiter = Waiter<Void>()
    private let beginnings = LoopbackMilestone()
    private let cancellations = LoopbackMilestone()

    func exchange(_ request: HTTPRequest, _ context: ExchangeContext) async throws(ErrandError) -> HTTPResponse {
        await withTaskCancellationHandler {
            self.beginnings.advance()
            _ = await self.waiter.waitThroughCancellation()
        } onCancel: {
            self.cancellations.advance()
        }
        throw .cancelled()
    }

    func waitUntilBegun() async { _ = await self.beginnings.wait(for: 1) }
    func waitUntilCancelled() async { _ = await self.cancellations.wait(for: 1) }
    func release() { self.waiter.resume(()) }
}

/// A transport for which one failure is enough.
private final class BreakingTransport: Transport {
    private let transport = PlainTransport()
    private let failure = Locked<ErrandError?>(nil)

    func exchange(_ request: HTTPRequest, _ context: ExchangeContext) async throws(ErrandError) -> HTTPResponse {
        if let failure = self.failure.withLock({ $0 }) { throw failure }
        do throws(ErrandError) {
            return try await self.transport.exchange(request, context)
        } catch {
            self.failure.withLock { $0 = error }
            throw error
        }
    }
}

/// A transport that counts how often it is shut down.
private final class CountingTransport: Transport {
    private let transport = PlainTransport()
    private let count = Locked(0)

    var shutdownCount: Int { self.count.withLock { $0 } }

    func exchange(_ request: HTTPRequest, _ context: ExchangeContext) async throws(ErrandError) -> HTTPResponse {
        try await self.transport.exchange(request, context)
    }

    func shutdown() {
        self.count.withLock { $0 += 1 }
        self.transport.shutdown()
    }
}
