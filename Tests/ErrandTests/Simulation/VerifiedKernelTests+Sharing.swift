import ErrandLocks
import ErrandMachines
import ErrandTesting
import Foundation
import Testing

@testable import Errand

/// The parts that several requests share, without the rest of a request, whose steps would multiply the classes.
extension VerifiedKernelTests {
    /// Two equal requests share an exchange, and one of them leaves because it is cancelled.
    @Sendable
    static func coalesced(_ simulation: Simulation.Context) async throws {
        let world = SimWorld(simulation, hooks: false)
        world.stub.route(where: { _ in true }, .text("good"))
        let (client, flights) = (world.client, Flights())
        let request = HTTPRequest(method: .get, url: try HTTPURL("http://sim.invalid/a"))
        let key = try Self.key(of: request, in: flights)
        let responses = await withTaskGroup(of: Bool.self) { group in
            for index in 0..<2 {
                group.addTask {
                    if index == 0 { cancelCurrentTask() }
                    let call = SharedCall(base: SimCall(path: "a"), request: request)
                    let (flight, _) = flights.join(key, making: client.request(call))
                    defer { flights.leave(key, flight) }
                    return (try? await flight.wait().get()) != nil
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        try #require(responses >= 1, "the one that stays gets a response")
        try #require(flights.count == 0, "the last one to leave removes the exchange")
        try await world.checkNothingIsLeft()
    }

    /// Three equal requests share an exchange that has the lifeline of a request, and two steps in place of the rest.
    @Sendable
    static func coalescedThree(_ simulation: Simulation.Context) async throws {
        let (flights, exchanges) = (Flights(), ExchangeCount())
        let request = HTTPRequest(method: .get, url: try HTTPURL("http://sim.invalid/a"))
        let key = try Self.key(of: request, in: flights)
        let responses = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    let (flight, _) = flights.join(key, making: BriefFlight(request, exchanges, simulation))
                    defer { flights.leave(key, flight) }
                    // One that is over is not joined.
                    let isFresh = !flight.isOver
                    return (try? await flight.wait().get()) != nil && isFresh
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        try #require(responses == 3)
        try #require(exchanges.total >= 1)
        try #require(exchanges.atOnce == 1, "no two are in flight")
        try #require(flights.count == 0, "the last one to leave removes the exchange")
    }

    private static func key(of request: HTTPRequest, in flights: Flights) throws -> Flights.Key {
        let cacheKey = CacheKey(request, redirects: .follow(), secretHeaders: [], partition: "")
        return Flights.Key(
            request: try #require(cacheKey), plan: ObjectIdentifier(flights), generation: 0,
            rules: EffectiveOptions(RequestOptions()).sharedRules, limitedTag: nil)
    }

    /// Three requests meet a 401, and one of them is cancelled while the authenticator is asked.
    @Sendable
    static func refreshed(_ simulation: Simulation.Context) async throws {
        let authenticator = SlowAuthenticator(simulation)
        let client = Client(baseURL: "http://sim.invalid/") {
            $0.transport = StubTransport()
            $0.environment.clock = simulation.clock
            $0.credentials.authenticator = authenticator
        }
        let refresher = try #require(client.environment.refresher)
        let place = CredentialRefresher.CredentialKey(origin: "http://sim.invalid", original: nil, generation: 0)
        let context = AuthenticationContext(
            requestID: .next(), method: .get, url: try HTTPURL("http://sim.invalid/a"), challenges: [], attempt: 1,
            refused: nil, date: Date(timeIntervalSince1970: 0))
        let answers = await withTaskGroup(of: String?.self) { group in
            for index in 0..<3 {
                group.addTask {
                    if index == 0 { cancelCurrentTask() }
                    return (try? await refresher.answer(to: "Bearer old", at: place, context)) ?? nil
                }
            }
            return await group.reduce(into: []) { $0 += $1.map { [$0] } ?? [] }
        }
        try #require(answers.count >= 2, "who stays gets the credential")
        try #require(answers.allSatisfy { $0 == "Bearer new" })
        // The one that is cancelled may have been alone: its refresh ends with it.
        try #require(authenticator.finished == 1, "one is obtained for all")
        try #require(refresher.value(for: place) == "Bearer new")
    }

    /// The requests of a batch end in any order: one with a response, one with an error, and one cancels the batch.
    @Sendable
    static func batch(_ simulation: Simulation.Context) async throws {
        let world = SimWorld(simulation, hooks: false)
        let children = [ScriptedChild(.responds), ScriptedChild(.fails), ScriptedChild(.cancelsBatch)]
        let run = CoordinatorRun(.batch, options: RequestOptions(), environment: world.client.environment)
        let batch = BatchRequest<Int, Int>(children, failure: .failFast, run: run) {
            1
        } outcomes: {
            1
        }
        children[2].cancelsBatch { [weak batch] in batch?.cancel() }
        do {
            _ = try await batch.value
            try #require(Bool(false), "one of its requests fails")
        } catch let error as ErrandError {
            try #require([.connectionLost, .cancelled].contains(error.code), "\(error)")
        }
        try #require(!children.contains { $0.isRunning }, "no request outlives its batch")
        let state = await batch.state
        try #require(state == .failed)
        try await world.checkNothingIsLeft()
    }
}

/// The number of exchanges that have begun, and of those at once.
private final class ExchangeCount: Sendable {
    private let state = Locked<(total: Int, now: Int, atOnce: Int)>((0, 0, 0))

    var total: Int { self.state.withLock { $0.total } }
    var atOnce: Int { self.state.withLock { $0.atOnce } }

    func begin() { self.state.withLock { $0 = ($0.total + 1, $0.now + 1, max($0.atOnce, $0.now + 1)) } }
    func end() { self.state.withLock { $0.now -= 1 } }
}

/// An exchange with the lifeline of a request, and with two steps of its own.
private final class BriefFlight: Flight {
    private let lifeline = Lifeline(under: nil)
    private let request: HTTPRequest
    private let exchanges: ExchangeCount
    private let simulation: Simulation.Context

    init(_ request: HTTPRequest, _ exchanges: ExchangeCount, _ simulation: Simulation.Context) {
        (self.request, self.exchanges, self.simulation) = (request, exchanges, simulation)
    }

    var isOver: Bool { self.lifeline.outcome != nil }

    func wait() async -> Result<TypedResponse<HTTPResponse>, ErrandError> {
        guard self.lifeline.join() else { return .failure(.cancelled()) }
        if self.lifeline.start() { self.lifeline.attach(spawn { await self.run() }) }
        guard let outcome = await self.lifeline.wait() else { return .failure(.cancelled()) }
        return outcome.map {
            TypedResponse(value: HTTPResponse(status: 200), answer: $0, request: self.request, requestID: .next())
        }
    }

    func raiseLater(to priority: RequestPriority) {}

    private func run() async {
        self.exchanges.begin()
        await self.simulation.yield()
        self.exchanges.end()
        let isStopped = self.lifeline.conclude(.finished) != nil
        self.lifeline.resolve(isStopped ? .failure(.cancelled()) : .success(.none))
    }
}

/// An authenticator that lets others go first.
private final class SlowAuthenticator: Authenticator {
    private let simulation: Simulation.Context
    private let count = Locked(0)

    init(_ simulation: Simulation.Context) { self.simulation = simulation }

    /// The number of times that it was asked and not cancelled.
    var finished: Int { self.count.withLock { $0 } }

    func credential(for context: AuthenticationContext) async throws -> HTTPCredential? {
        await self.simulation.yield()
        try Task.checkCancellation()
        self.count.withLock { $0 += 1 }
        return .bearer("new")
    }
}

/// A request of a batch with a given end.
private final class ScriptedChild: BatchChild {
    enum End { case responds, fails, cancelsBatch }

    private struct State {
        var isRunning = false
        var isStopped = false
        var cancel: (@Sendable () -> Void)?
    }

    private let end: End
    private let state = Locked(State())

    init(_ end: End) { self.end = end }

    var isRunning: Bool { self.state.withLock { $0.isRunning } }
    var endpointName: String { "scripted" }

    func cancelsBatch(_ cancel: @escaping @Sendable () -> Void) {
        self.state.withLock { $0.cancel = cancel }
    }

    func startAsChild(of carrier: TaskCarrier, _ report: @escaping @Sendable (ChildEnd) async -> Void) async {
        self.state.withLock { $0.isRunning = true }
        // Ends with its only step.
        spawn {
            if self.end == .cancelsBatch { self.state.withLock { $0.cancel }?() }
            let isStopped = self.state.withLock { state in
                state.isRunning = false
                return state.isStopped
            }
            let error = isStopped ? .cancelled() : self.end == .fails ? ErrandError(.connectionLost, "lost") : nil
            await report(ChildEnd(error: error, isFromCache: false))
        }
    }

    func stop(_ reason: StopReason) { self.state.withLock { $0.isStopped = true } }

    func cancel() {}
    func watch(with accessory: any Accessory) async {}
    func raise(to priority: TaskPriority) {}
}
