import Errand
import ErrandTesting
import Synchronization
import Testing

/// One of several tasks that hammer a client, each with its own chance.
struct RaceLane: Sendable {
    private let client: Client
    private let random: SimulationRandom

    init(_ client: Client, seed: UInt64) {
        self.client = client
        self.random = SimulationRandom(seed: seed)
    }

    func run(requests: Int) async {
        var left = requests
        while left > 0 {
            switch self.random.int(in: 0..<5) {
            case 0: left -= await self.batch()
            case 1: left -= await self.chain()
            case 2: left -= await self.stream()
            case 3: left -= await self.shared()
            default: left -= await self.sends()
            }
        }
    }

    /// Sends, some of whose tasks are cancelled.
    private func sends() async -> Int {
        await withTaskGroup { group in
            for number in 0..<20 {
                group.addTask {
                    let task = Task { try await self.client.send(RaceCall(path: "send/\(number)")) }
                    if number % 3 == 0 { task.cancel() }
                    self.check(await task.result, "/send/\(number)")
                }
            }
        }
        return 20
    }

    /// One request with many waiters, some of which leave, and one who may cancel.
    private func shared() async -> Int {
        let request = self.client.request(RaceCall(path: "shared"), options: .tag("shared"))
        await withTaskGroup { group in
            for number in 0..<4 {
                let leaves = self.random.bool()
                group.addTask {
                    let task = Task { try await request.value }
                    if leaves, number > 0 { task.cancel() }
                    self.check(await task.result, "/shared")
                }
            }
            group.addTask {
                var states: [RequestState] = []
                for await state in await request.states { states.append(state) }
                let order: [RequestState] = [.idle, .running, states.last == .finished ? .finished : .failed]
                // From the one that showed when it asked.
                #expect(states == order.suffix(states.count) || states == [.idle, .failed], "\(states)")
            }
            if self.random.bool() {
                group.addTask { await self.client.record.cancel(request.id) }
            } else {
                group.addTask { request.cancel() }
            }
        }
        return 1
    }

    private func batch() async -> Int {
        let policy: FailurePolicy = self.random.bool() ? .failFast : .collectAll
        let batch = self.client.batch(of: (0..<10).map { RaceCall(path: "batch/\($0)") }, failure: policy)
        let cancels = self.random.bool()
        async let outcomes = batch.outcomes
        if cancels { batch.cancel() }
        for (number, outcome) in await outcomes.enumerated() { self.check(outcome, "/batch/\(number)") }
        return 10
    }

    private func chain() async -> Int {
        let chain = self.client.chain(RaceCall(path: "chain/1"))
            .then { RaceCall(path: $0.hasPrefix("/chain") ? "chain/2" : "wrong") }
            .then { RaceCall(path: $0.hasPrefix("/chain") ? "chain/3" : "wrong") }
        let cancels = self.random.bool(probability: 0.3)
        let task = Task { try await chain.value }
        if cancels { chain.cancel() }
        self.check(await task.result, "/chain/3")
        return 3
    }

    private func stream() async -> Int {
        let leaveAfter = self.random.int(in: 0..<40)
        var read = 0
        for await outcome in self.client.outcomes(
            of: (0..<30).map { RaceCall(path: "stream/\($0)") }, width: 6,
            order: self.random.bool() ? .input : .completion)
        {
            self.check(outcome.result, "/stream/\(outcome.index)")
            read += 1
            if read > leaveAfter { break }
        }
        return read
    }

    /// An answer is the right one, an error one of those that were planned.
    private func check(_ result: Result<String, some Error>, _ path: String) {
        switch result {
        case .success(let answer):
            if answer != path { Issue.record("\(answer) for \(path)") }
        case .failure(let error):
            let code = (error as? ErrandError)?.code
            if code != .cancelled, code != .unacceptableStatus { Issue.record("\(error) for \(path)") }
        }
    }
}

struct RaceCall: Endpoint {
    typealias Response = String
    let path: EndpointPath
}

/// Counts hooks without waiting for anyone.
final class HookCounter: Accessory {
    private let willStart = Atomic<Int>(0)
    private let didStart = Atomic<Int>(0)
    private let willStop = Atomic<Int>(0)
    private let didStop = Atomic<Int>(0)

    func willStart(_ activity: RequestActivity) { self.willStart.add(1, ordering: .relaxed) }
    func didStart(_ activity: RequestActivity) { self.didStart.add(1, ordering: .relaxed) }
    func willStop(_ activity: RequestActivity, _ end: RequestActivity.End) {
        self.willStop.add(1, ordering: .relaxed)
    }
    func didStop(_ activity: RequestActivity, _ end: RequestActivity.End) {
        self.didStop.add(1, ordering: .relaxed)
    }

    var counts: [Int] {
        [
            self.willStart.load(ordering: .relaxed), self.didStart.load(ordering: .relaxed),
            self.willStop.load(ordering: .relaxed), self.didStop.load(ordering: .relaxed),
        ]
    }

    var isBalanced: Bool { Set(self.counts).count == 1 }
}
