internal import Errand
internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Interceptors: too late (G3)", .timeLimit(.minutes(60)), .paced)
struct LateInterceptorTests {
    @Test func `cannot send on when their request is over`() async throws {
        let kept = Locked<[InterceptorNext]>([])
        let keeper = FixtureInterceptor { request, _, next in
            kept.withLock { $0.append(next) }
            return try await next(request)
        }
        let world = FixtureWorld()
        world.transport.route("a", .text("x"))
        let response = try await world.client.response(for: FixtureText { $0.options = .interceptors([keeper]) })
        for next in kept.withLock({ $0 }) {
            await #expect(throws: ErrandError.self) { try await next(HTTPRequest(url: HTTPURL("https://api.test/a"))) }
        }
        #expect(response.attempts == 1)
        #expect(world.transport.receivedCount == 1)
        await world.expectAtRest()
    }

    @Test func `cannot send on in the last hooks of what they failed`() async throws {
        let kept = Locked<InterceptorNext?>(nil)
        let failing = FixtureInterceptor { _, _, next in
            kept.withLock { $0 = next }
            throw FixtureError()
        }
        let log = FixtureLog()
        let hooks = FixtureHooks(willStop: { _, _ in
            guard let next = kept.withLock({ $0 }), let url = try? HTTPURL("https://api.test/a") else { return }
            log.add((try? await next(HTTPRequest(url: url))) == nil ? "refused" : "sent")
        })
        let world = FixtureWorld()
        world.transport.route("a", .text("x"))
        let error = await #expect(throws: ErrandError.self) {
            try await world.client.send(
                FixtureText { $0.options = .interceptors([failing]) }, options: .accessories([hooks]))
        }
        #expect(error?.code == .interceptorFailed)
        #expect(log.lines == ["refused"])
        #expect(world.transport.receivedCount == 0)
        await world.expectAtRest()
    }

    @Test(arguments: [FixtureHook.willStart, .didStart])
    func `are not asked for what was cancelled in its first hooks`(hook: FixtureHook) async {
        let log = FixtureLog()
        let asked = FixtureInterceptor { request, _, next in
            log.add("asked")
            return try await next(request)
        }
        let hold = FixtureGate()
        let world = FixtureWorld { $0.accessories = [FixtureHooks.holding(hook, at: hold, isPatient: true)] }
        world.transport.route("a", .text("x"))
        let request = world.client.request(FixtureText { $0.options = .interceptors([asked]) })
        await request.start()
        await hold.waitUntilReached()
        request.cancel()
        hold.open()
        let error = await #expect(throws: ErrandError.self) { try await request.value }
        #expect(error?.code == .cancelled)
        #expect(log.lines.isEmpty)
        await world.expectAtRest()
    }

    /// A transport whose exchanges end only some time after they were told to.
    private struct LingeringTransport: Transport {
        let gate = FixtureGate()
        let log = FixtureLog()

        func exchange(
            _ request: HTTPRequest, _ context: ExchangeContext
        ) async throws(ErrandError) -> HTTPResponse {
            await self.gate.pass()
            for _ in 0..<1_000 { await Task.yield() }
            self.log.add("ended")
            throw .cancelled()
        }
    }

    @Test func `an exchange that an interceptor does not wait for ends before its request`() async throws {
        let transport = LingeringTransport()
        let stray = FixtureInterceptor { request, _, next in
            // Unstructured: nobody waits for what this one sends. Ends with that call.
            Task { _ = try? await next(request) }
            await transport.gate.waitUntilReached()
            return HTTPResponse(status: 200, body: Data("own".utf8))
        }
        let world = FixtureWorld { $0.transport = transport }
        let value = try await world.client.send(FixtureText { $0.options = .interceptors([stray]) })
        transport.log.add("returned")
        #expect(value == "own")
        #expect(transport.log.lines == ["ended", "returned"])
        await world.expectAtRest()
    }
}
