import Errand
import ErrandTesting
import Foundation
import TestEffort
import Testing

@Suite("Edges of time, chains and interceptors (G3, G5, G6, G12)", .timeLimit(.minutes(60)), .paced)
struct EdgeTests {
    private let stub = StubTransport()

    private func client(_ configure: (inout Client.Configuration) -> Void = { _ in }) -> Client {
        self.stub.route("bad", .status(500))
        self.stub.route("*", .text("good"))
        return Client(baseURL: "http://edge.invalid/") {
            $0.transport = self.stub
            configure(&$0)
        }
    }

    @Test(
        "A timeout may be as long as a duration can say, and one below nothing is an error",
        arguments: [Duration.seconds(Int64.max), .seconds(1 << 60), .seconds(Int64.min)])
    func extremeTimeouts(limit: Duration) async {
        let client = self.client { $0.options = $0.options.timeouts(Timeouts(attempt: limit, total: limit)) }
        let gate = StubGate()
        self.stub.removeRoutes()
        self.stub.route("*", StubReply.text("good").held(by: gate))
        let sending = Task { try await client.send(EdgeCall(path: "a")) }
        if limit > .zero {
            await gate.waitUntilReached()
            gate.open()
            #expect(await (try? sending.value) == "good")
        } else {
            let error = await #expect(throws: ErrandError.self) { try await sending.value }
            #expect(error?.code == .invalidConfiguration)
            #expect(self.stub.receivedCount == 0)
        }
        await client.shutdown()
    }

    @Test("What an interceptor sends on and does not wait for ends with the request")
    func strayAttempts() async throws {
        let gate = StubGate()
        self.stub.route("stray", StubReply.text("late").held(by: gate))
        let log = FixtureLog()
        let client = self.client { $0.interceptors = [StrayInterceptor(gate: gate, log: log)] }
        #expect(try await client.send(EdgeCall(path: "stray")) == "in its place")
        #expect(await client.scheduler.activeCount == 0, "G3: the slot is free")
        #expect(self.stub.activeCount == 0)
        #expect(await client.record.count == 0)
        // By the end of the request, and not by a deadline of its own.
        await log.wait(for: 1)
        #expect(log.lines == ["cancelled"])
    }

    @Test("A step that was cancelled is not recovered from")
    func cancelledStep() async throws {
        let gate = StubGate()
        self.stub.route("held", StubReply.text("late").held(by: gate))
        let client = self.client()
        let chain = client.chain(EdgeCall(path: "held")).recover { _ in "recovered" }
        let waiting = Task { try await chain.value }
        await gate.waitUntilReached()
        let child = try #require(await client.record.snapshot().first { $0.kind == .request })
        await client.record.cancel(child.id)
        let error = await #expect(throws: ErrandError.self) { try await waiting.value }
        #expect(error?.code == .cancelled)
    }

    @Test("A second recovery is asked when the first one throws")
    func twoRecoveries() async throws {
        let chain = self.client().chain(EdgeCall(path: "bad"))
            .recover { error in throw error }
            .recover { error in "second: \(error.code)" }
        #expect(try await chain.value == "second: unacceptableStatus")
    }

    @Test("A cancelled task that asks for the value of an unstarted batch or chain leaves it as it is")
    func cancelledReader() async throws {
        let client = self.client()
        let (batch, chain) = (client.batch(of: [EdgeCall(path: "a")]), client.chain(EdgeCall(path: "a")))
        let reading = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return ((try? await batch.value) == nil, (try? await chain.value) == nil)
        }
        #expect(await reading.value == (true, true))
        #expect(try await batch.value == ["good"])
        #expect(try await chain.value == "good")
    }

    @Test("Outcomes of a batch tell the position of their request")
    func positions() async {
        let outcomes = await self.client().batch(
            of: ["a", "bad"].map { EdgeCall(path: $0) }, failure: .collectAll
        ).outcomes
        guard case .failure(let error) = outcomes[1] else {
            Issue.record("a bad status passed")
            return
        }
        #expect(error.context.index == 1)
    }

    @Test("Answers for one scope are not given to another")
    func scopes() async throws {
        let client = self.client()
        _ = try await client.send(ScopedCall(scope: "Ann"))
        _ = try await client.send(ScopedCall(scope: "Ben"))
        #expect(try await client.response(for: ScopedCall(scope: "Ben")).source.isCache)
        // The last one who asked is the one whose answer is kept.
        #expect(try await client.response(for: ScopedCall(scope: "Ann")).source == .network)
        #expect(self.stub.receivedCount == 3)
    }

    @Test("Streams of states end with a request that was never started")
    func droppedRequest() async {
        var request: Request<EdgeCall>? = self.client().request(EdgeCall(path: "a"))
        let states = await request?.states
        request = nil
        var seen: [RequestState] = []
        if let states { for await state in states { seen.append(state) } }
        #expect(seen == [.idle])
    }
}

private struct EdgeCall: Endpoint {
    typealias Response = String
    var path: EndpointPath
}

private struct ScopedCall: Endpoint {
    typealias Response = String
    let scope: String
    var path: EndpointPath { "scoped" }
    var options: RequestOptions { .caching(.fresh(for: .seconds(3600), scope: self.scope)) }
}

/// Sends on in a task of its own, and answers before that has.
private struct StrayInterceptor: Interceptor {
    let gate: StubGate
    let log: FixtureLog

    func intercept(
        _ request: HTTPRequest, context: InterceptorContext, next: InterceptorNext
    ) async throws -> HTTPResponse {
        Task {
            do throws(ErrandError) {
                _ = try await next(request)
                self.log.add("answered")
            } catch {
                self.log.add(error.code.description)
            }
        }
        await self.gate.waitUntilReached()
        return HTTPResponse(status: 200, body: Data("in its place".utf8))
    }
}
