internal import Errand
internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

/// Says that it gives handles, and ends with its task: as a transport does with bodies that are not in memory.
private struct TaskTransport: Transport {
    let base: StubTransport
    var handlesStops: Bool { true }

    func exchange(_ request: HTTPRequest, _ context: ExchangeContext) async throws(ErrandError) -> HTTPResponse {
        try await self.base.exchange(request, context)
    }
}

/// A request in the task of its sender is stopped from elsewhere after its first response has led on.
@Suite("Cancelling: what a response has led to (G6)", .timeLimit(.minutes(60)), .paced)
struct StoppedFollowUpTests {
    /// What the request goes through besides the wire; none of it needs a task.
    enum Way: String, CaseIterable, Sendable {
        case nothing, retries, circuit, cache

        func configure(_ configuration: inout Client.Configuration) {
            switch self {
            case .nothing: break
            case .retries: configuration.options = .retries(.standard)
            case .circuit: configuration.options = .circuitBreaker(.standard)
            case .cache:
                configuration.cache = MemoryCache()
                configuration.options = .caching(.http)
            }
        }
    }

    /// Sends a request to `a`, which leads to `b`, which does not answer.
    ///
    /// - Returns: The error that it ends with once it has been stopped there.
    private func errorAfter(
        _ way: Way, policy: RedirectPolicy = .follow(), total: Duration? = nil, endsWithTask: Bool = false,
        _ stop: (Client, TestClock) async -> Void
    ) async -> ErrandError? {
        let (gate, transport, clock) = (StubGate(), StubTransport(), TestClock())
        transport.route("a", .data(Data(), status: 302, headers: ["Location": "b"]))
        transport.route("b", .text("late").held(by: gate))
        let client = Client(baseURL: "https://api.test/") { configuration in
            way.configure(&configuration)
            configuration.options = configuration.options.redirects(policy).timeout(total: total)
            configuration.transport =
                endsWithTask ? TaskTransport(base: transport) : HandleTransport(transport)
            configuration.environment.clock = clock
        }
        let ended = Locked<Result<String, ErrandError>?>(nil)
        let task = Task {
            let result: Result<String, ErrandError>
            do throws(ErrandError) {
                result = .success(try await client.send(FixtureText()))
            } catch {
                result = .failure(error)
            }
            ended.withLock { $0 = result }
        }
        #expect(await fixtureHolds { gate.reachedCount == 1 })
        await stop(client, clock)
        #expect(await fixtureHolds { ended.withLock { $0 != nil } }, "the stop has to reach the second exchange")
        // Ends a request that the stop has not reached.
        gate.open()
        await task.value
        return ended.withLock { $0 }?.fixtureFailure
    }

    @Test(arguments: Way.allCases)
    func `a cancellation of all reaches it`(way: Way) async {
        let error = await self.errorAfter(way) { client, _ in await client.cancelAll() }
        #expect(error?.code == .cancelled)
    }

    @Test(arguments: Way.allCases)
    func `the deadline of the whole request reaches it`(way: Way) async {
        let error = await self.errorAfter(way, total: .seconds(30)) { _, clock in clock.advance(by: .seconds(30)) }
        #expect(error?.code == .timedOut)
    }

    @Test func `it is reached with a body that a policy has given it`() async throws {
        let folder = try TestFolder()
        let file = folder.file("content")
        try Data("content".utf8).write(to: file)
        let policy = RedirectPolicy.decide { redirection in
            var request = redirection.request
            request.method = .put
            request.body = .file(file)
            return .send(request)
        }
        let error = await self.errorAfter(.nothing, policy: policy, endsWithTask: true) { client, _ in
            await client.cancelAll()
        }
        #expect(error?.code == .cancelled)
    }
}
