internal import Dispatch
internal import Errand
internal import ErrandTesting
internal import TestEffort
internal import Testing

@Suite("What accessories hear of suspending", .timeLimit(.minutes(60)), .paced, .tags(.threadSanitizer))
struct SuspensionEventTests {
    private let stub = StubTransport()
    private let recorder = EventRecorder()

    private func client(_ reply: StubReply = .text("x")) -> Client {
        self.stub.route("GET", "/a", reply)
        return Client(baseURL: "http://a.test/") {
            $0.transport = self.stub
            $0.accessories = [self.recorder]
        }
    }

    /// Whether something was suspended, or went on, in order.
    private func told(_ kind: RequestActivity.Kind) -> [Bool] {
        self.recorder.entries.compactMap { entry in
            guard entry.activity.kind == kind, case .event(let event) = entry.call else { return nil }
            switch event {
            case .suspended: return true
            case .resumed: return false
            default: return nil
            }
        }
    }

    @Test func `each change of a request is told once`() async throws {
        let request = self.client().request(FixtureText())
        request.suspend()
        request.suspend()
        await request.start()
        await fixtureUntil { self.told(.request) == [true] }
        request.suspend()
        #expect(self.told(.request) == [true])
        request.resume()
        request.resume()
        #expect(try await request.value == "x")
        #expect(self.told(.request) == [true, false])
        request.suspend()
        request.resume()
        #expect(self.told(.request) == [true, false], "what is over is not told of")
    }

    @Test func `one that goes on is told of before anything of it is sent`() async throws {
        let (log, stub) = (FixtureLog(), self.stub)
        let client = self.client()
        let hooks = FixtureHooks(observe: { event, _ in
            guard case .resumed = event else { return }
            // Whoever was to go on before this returns has the time for it.
            let end = DispatchSemaphore(value: 0)
            Task {
                for _ in 0..<500 { await Task.yield() }
                end.signal()
            }
            end.wait()
            log.add("\(stub.receivedCount) sent")
        })
        let request = client.request(FixtureText(), options: .accessories([hooks]))
        request.suspend()
        await request.start()
        await fixtureUntil { self.told(.request) == [true] }
        await fixtureUntil { await client.scheduler.activeCount == 0 }
        for _ in 0..<500 { await Task.yield() }
        // In a thread that nobody else needs.
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "resuming").async {
                request.resume()
                continuation.resume()
            }
        }
        #expect(try await request.value == "x")
        #expect(log.lines == ["0 sent"])
    }

    @Test func `of a batch it is told of the batch`() async throws {
        let batch = self.client().batch(of: [FixtureText(), FixtureText()])
        batch.suspend()
        try await batch.start()
        await fixtureUntil { self.told(.batch) == [true] }
        batch.resume()
        #expect(try await batch.value == ["x", "x"])
        #expect(self.told(.batch) == [true, false])
        #expect(self.told(.request) == [])
    }

    @Test func `changes that come at once are told in order`() async throws {
        // It ends when all has been told: of what has ended nobody is told any more.
        let gate = StubGate()
        let request = self.client(.text("x").held(by: gate)).request(FixtureText())
        request.suspend()
        await request.start()
        await fixtureUntil { self.told(.request) == [true] }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<50 {
                        request.resume()
                        request.suspend()
                    }
                }
            }
        }
        request.resume()
        gate.open()
        #expect(try await request.value == "x")
        let told = self.told(.request)
        #expect(told == told.indices.map { $0 % 2 == 0 })
        #expect(told.last == false || told.count == 1)
    }
}
