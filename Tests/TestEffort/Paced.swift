internal import ErrandLocks
public import Testing

/// Lets few tests run at once.
///
/// Swift Testing starts all of a target at once. With thousands on a slow core each then waits minutes for its next
/// turn, and deadlines of a client that no machine should come near pass by the real clock.
///
/// Stands before a trait that simulates its tests: whoever waits for a place is not part of a schedule.
public struct Paced: SuiteTrait, TestTrait, TestScoping {
    /// Enough to keep any number of cores busy while some tests wait for a program or a socket.
    private static let places = Places(16)

    @TaskLocal private static var isIn = false

    /// It goes for the tests of a suite.
    public var isRecursive: Bool { true }

    /// Waits for a place, and gives it back when the test is over.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        // A suite within a suite has the trait twice, and a test needs one place only.
        guard testCase != nil, !Self.isIn else { return try await function() }
        await Self.places.take()
        defer { Self.places.giveBack() }
        try await Self.$isIn.withValue(true) { try await function() }
    }
}

extension Trait where Self == Paced {
    /// Lets few tests run at once.
    public static var paced: Self { Paced() }
}

/// Places, given out in the order in which they are asked for.
private final class Places: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
        var first = 0
    }

    private let state: Locked<State>

    init(_ count: Int) {
        self.state = Locked(State(free: count))
    }

    func take() async {
        await withCheckedContinuation { continuation in
            let isFree = self.state.withLock { state in
                guard state.free == 0 else {
                    state.free -= 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    func giveBack() {
        let next = self.state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.first < state.waiting.count else {
                state.free += 1
                return nil
            }
            defer { state.first += 1 }
            return state.waiting[state.first]
        }
        next?.resume()
    }
}
