import Errand
import ErrandTesting
import Testing

/// A client over a stub transport in a simulation, and the laws that hold when all is over.
struct SimWorld: Sendable {
    let client: Client
    let stub: StubTransport
    let recorder: EventRecorder
    let simulation: Simulation.Context

    init(
        _ simulation: Simulation.Context, limits: RequestScheduler.Limits = RequestScheduler.Limits(),
        hooks: Bool = true,
        _ configure: (inout Client.Configuration) -> Void = { _ in }
    ) {
        let (stub, recorder) = (StubTransport(), EventRecorder())
        self.stub = stub
        self.recorder = recorder
        self.simulation = simulation
        self.client = Client(baseURL: "http://sim.invalid/") {
            // With a handle to stop an exchange by, and without, where it has a task for that.
            $0.transport = simulation.seed % 4 < 2 ? stub : HandleTransport(stub)
            $0.environment.clock = simulation.clock
            $0.limits.concurrency = limits
            $0.accessories = hooks ? [recorder] : []
            configure(&$0)
        }
    }

    /// What every scenario must leave behind, whatever happened in it.
    func checkNothingIsLeft() async throws {
        let inFlight = await self.client.record.snapshot()
        try #require(inFlight.isEmpty, "G3, G6: out of the record")
        let (active, waiting) = (await self.client.scheduler.activeCount, await self.client.scheduler.waitingCount)
        try #require(active == 0, "G3, G6: slots are free")
        try #require(waiting == 0, "G3, G6: nobody waits")
        try #require(self.stub.activeCount == 0, "G6: no exchange is left")
        try self.checkHooks()
    }

    /// Whether whatever began has had its last hook.
    var hasEndedAll: Bool {
        var openCount = 0
        for entry in self.recorder.entries {
            switch entry.call {
            case .willStart: openCount += 1
            case .didStop: openCount -= 1
            case .didStart, .willStop, .event: continue
            }
        }
        return openCount == 0
    }

    /// G2: the four hooks, once each, in order.
    func checkHooks() throws {
        var hooks: [RequestID: [String]] = [:]
        for entry in self.recorder.entries {
            if case .event = entry.call { continue }
            hooks[entry.activity.id, default: []].append(entry.call.name)
        }
        for (id, names) in hooks {
            try #require(names == ["willStart", "didStart", "willStop", "didStop"], "G2 for \(id)")
        }
    }
}

extension Simulation.Context {
    /// Lets others go first: fewer times than `yields`, and three times in ten a time shorter than `milliseconds` too.
    func pause(yields: Int, milliseconds: Int = 0) async {
        if milliseconds > 0, self.random.bool(probability: 0.3) {
            try? await self.clock.sleep(for: .milliseconds(self.random.int(in: 0..<milliseconds)))
        }
        for _ in 0..<self.random.int(in: 0..<yields) { await self.yield() }
    }
}

/// A call whose reply the stub chooses by its path.
struct SimCall: Endpoint {
    typealias Response = String
    var path: EndpointPath
    var options: RequestOptions

    init(path: String, priority: RequestPriority = .normal) {
        self.path = EndpointPath(uncheckedReference: path)
        self.options = .priority(priority)
    }
}
