internal import ErrandLocks

/// Records the operations that clients perform on a shared object, and their results, to check them against a model.
///
/// ```swift
/// let history = History<QueueModel<Int>.Operation, Int?>()
/// await withTaskGroup { group in
///     for number in 0..<3 {
///         group.addTask {
///             await history.record(.enqueue(number)) { await queue.enqueue(number); return nil }
///             await history.record(.dequeue) { await queue.dequeue() }
///         }
///     }
/// }
/// try history.checkLinearizable(model: QueueModel())
/// ```
///
/// Calls and returns are counted, not timed: only the order of calls and returns matters. A recorded operation runs on
/// its caller's executor, without a switch. An operation that throws, is cancelled or never returns stays open forever:
/// it may have taken effect at any time after its call, or not at all.
///
/// All members may be called from any isolation domain, also outside of a simulation.
public final class History<Operation: Sendable, Result: Sendable>: Sendable {
    private struct State {
        var entries: [Entry] = []
        /// The number of calls and returns.
        var count = 0
        /// For each unnamed client, by its number minus one: true while it has an operation open.
        var isLaneTaken: [Bool] = []
    }

    private let state: Locked<State>

    /// Creates an empty history.
    public init() {
        self.state = Locked(unobserved: State())
    }

    /// Creates a history of entries, in the order of their calls, with a number of calls and returns.
    init(entries: [Entry], count: Int) {
        self.state = Locked(unobserved: State(entries: entries, count: count))
    }

    /// The operations in the order of their calls.
    public var entries: [Entry] {
        StepRecorder.note(.history)
        return self.state.withLock { $0.entries }
    }

    // MARK: - Recording

    /// Performs and records an operation.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - client: The name of the client, for error messages. Without a name, it is the first free one of the numbered
    ///     clients, of which there are as many as operations open at once.
    ///   - body: Performs the operation on the object; called once.
    /// - Returns: The result of the body.
    /// - Throws: The error of the body; the operation then may or may not have taken effect.
    @discardableResult
    public func record<Failure: Error>(
        _ operation: Operation, by client: String? = nil, _ body: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let call = self.begin(operation, by: client)
        do {
            let result = try await body()
            self.end(call, returning: result)
            return result
        } catch {
            self.fail(call, with: error)
            throw error
        }
    }

    /// Records the call of an operation, for code that cannot use a closure.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - client: The name of the client, as for `record(_:by:_:)`.
    /// - Returns: The call, to be ended. If it never is, the operation may or may not have taken effect.
    public func begin(_ operation: Operation, by client: String? = nil) -> Call {
        StepRecorder.note(.history)
        return self.state.withLock { state in
            let lane = client == nil ? Self.takeLane(&state.isLaneTaken) : nil
            let name = client ?? "\(lane ?? 0)"
            state.entries.append(Entry(operation: operation, client: name, called: state.count, lane: lane))
            state.count += 1
            return Call(index: state.entries.count - 1)
        }
    }

    /// Records that an operation has returned; a call that has already ended is not changed.
    public func end(_ call: Call, returning result: Result) {
        self.end(call, .returned(result))
    }

    /// Records that an operation has thrown; a call that has already ended is not changed.
    public func fail(_ call: Call, with error: any Error) {
        self.end(call, .failed("\(error)"))
    }

    // MARK: - Private helpers

    private func end(_ call: Call, _ outcome: Entry.Outcome) {
        StepRecorder.note(.history)
        return self.state.withLock { state in
            guard state.entries.indices.contains(call.index), state.entries[call.index].ended == nil else { return }
            state.entries[call.index].ended = state.count
            state.entries[call.index].outcome = outcome
            state.count += 1
            // A client whose operation may still be open makes no further calls.
            guard case .returned = outcome, let lane = state.entries[call.index].lane else { return }
            state.isLaneTaken[lane - 1] = false
        }
    }

    private static func takeLane(_ isTaken: inout [Bool]) -> Int {
        let lane = isTaken.firstIndex(of: false) ?? isTaken.count
        if lane == isTaken.count { isTaken.append(true) } else { isTaken[lane] = true }
        return lane + 1
    }
}
