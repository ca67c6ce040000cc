internal import Errand
internal import ErrandTesting
internal import TestEffort
internal import Testing

@Suite("Requests: those who wait (G1, G3, G6)", .timeLimit(.minutes(60)), .paced)
struct RequestWaitingTests {
    private let world = FixtureWorld(isRecording: true)
    private let gate = StubGate()

    private func heldRequest() -> Request<FixtureText> {
        self.world.transport.route("a", StubReply.text("x").held(by: self.gate))
        return self.world.client.request(FixtureText())
    }

    /// A task that waits for the value and answers it, or the code of its error.
    private func waiter(_ request: Request<FixtureText>) -> Task<String, Never> {
        Task {
            do throws(ErrandError) {
                return try await request.value
            } catch {
                return error.code.description
            }
        }
    }

    @Test(arguments: [true, false])
    func `all get the same outcome`(isSuccess: Bool) async {
        let reply = isSuccess ? StubReply.text("x") : .failure(.connectionLost)
        self.world.transport.route("a", reply.held(by: self.gate))
        let request = self.world.client.request(FixtureText())
        let waiters = (1...50).map { _ in self.waiter(request) }
        await self.gate.waitUntilReached()
        self.gate.open()
        for waiter in waiters { #expect(await waiter.value == (isSuccess ? "x" : "connectionLost")) }
        #expect(await self.waiter(request).value == (isSuccess ? "x" : "connectionLost"))
        #expect(self.world.transport.receivedCount == 1)
    }

    @Test func `see all hooks done when they go on`() async throws {
        let request = self.heldRequest()
        self.gate.open()
        _ = try await request.value
        #expect(self.world.recorder.hooks(of: request.id) == FixtureHook.names)
        await self.world.expectAtRest()
    }

    @Test func `leave alone while another one waits`() async throws {
        let request = self.heldRequest()
        let first = self.waiter(request)
        await self.gate.waitUntilReached()
        let second = self.waiter(request)
        // Cancelled before it waits or while it does: it leaves alone in both cases.
        await Task.yield()
        second.cancel()
        #expect(await second.value == "cancelled")
        #expect(await request.state == .running)
        self.gate.open()
        #expect(await first.value == "x")
        #expect(await request.state == .finished)
    }

    @Test func `cancel an implicitly started request when the last one leaves, and see it out`() async {
        let request = self.heldRequest()
        let first = self.waiter(request)
        await self.gate.waitUntilReached()
        first.cancel()
        #expect(await first.value == "cancelled")
        #expect(await request.state == .failed)
        #expect(self.world.recorder.hooks(of: request.id) == FixtureHook.names)
        await self.world.expectAtRest()
    }

    @Test func `leave an explicitly started request running`() async throws {
        let request = self.heldRequest()
        await request.start()
        let waiter = self.waiter(request)
        await self.gate.waitUntilReached()
        waiter.cancel()
        #expect(await waiter.value == "cancelled")
        #expect(await request.state == .running)
        self.gate.open()
        #expect(try await request.value == "x")
    }

    @Test func `keep an implicitly started request when it is started meanwhile`() async throws {
        let request = self.heldRequest()
        let waiter = self.waiter(request)
        await self.gate.waitUntilReached()
        await request.start()
        waiter.cancel()
        #expect(await waiter.value == "cancelled")
        self.gate.open()
        #expect(try await request.value == "x")
    }

    @Test func `do not start a request from a task that is cancelled`() async throws {
        let request = self.heldRequest()
        self.gate.open()
        let gate = FixtureGate()
        let task = Task {
            await gate.pass()
            return await self.waiter(request).value
        }
        let cancelled = Task { () -> ErrandError.Code? in
            await gate.pass()
            do throws(ErrandError) {
                _ = try await request.value
                return nil
            } catch {
                return error.code
            }
        }
        await gate.waitUntilReached(2)
        cancelled.cancel()
        #expect(await cancelled.value == .cancelled)
        #expect(await request.state == .idle)
        gate.open()
        #expect(await task.value == "x")
    }

    @Test(arguments: [false, true])
    func `cancel what their task sends`(isRecording: Bool) async {
        let world = FixtureWorld(isRecording: isRecording)
        world.transport.route("a", StubReply.text("x").held(by: self.gate))
        let task = Task { () -> ErrandError? in
            do throws(ErrandError) {
                _ = try await world.client.send(FixtureText())
                return nil
            } catch {
                return error
            }
        }
        await self.gate.waitUntilReached()
        task.cancel()
        let error = await task.value
        #expect(error?.code == .cancelled)
        #expect(error?.context.url == "https://api.test/a")
        if isRecording, let id = error?.context.requestID {
            #expect(world.recorder.hooks(of: id) == FixtureHook.names)
        }
        await world.expectAtRest()
    }

    @Test func `send nothing from a task that is cancelled before`() async {
        self.world.transport.route("a", .text("x"))
        let gate = FixtureGate()
        let task = Task { () -> ErrandError.Code? in
            await gate.pass()
            do throws(ErrandError) {
                _ = try await self.world.client.response(for: FixtureText())
                return nil
            } catch {
                return error.code
            }
        }
        await gate.waitUntilReached()
        task.cancel()
        #expect(await task.value == .cancelled)
        #expect(self.world.transport.receivedCount == 0)
        #expect(self.world.recorder.entries.isEmpty)
    }

    @Test(arguments: [true, false])
    func `go on only when the last hook has returned`(isSuccess: Bool) async {
        let log = FixtureLog()
        let slow = FixtureHooks(didStop: { _, _ in
            // Whoever is woken too early comes first.
            for _ in 0..<200 { await Task.yield() }
            log.add("didStop")
        })
        self.world.transport.route("a", isSuccess ? .text("x") : .failure(.connectionLost))
        let request = self.world.client.request(FixtureText(), options: .accessories([slow]))
        let waiters = (1...5).map { _ in
            Task {
                _ = try? await request.value
                log.add("waiter")
            }
        }
        for waiter in waiters { await waiter.value }
        #expect(log.lines == ["didStop"] + waiters.map { _ in "waiter" })
    }
}
