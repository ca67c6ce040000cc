internal import ErrandLocks
internal import ErrandMachines

/// A network activity indicator that ignores short activity and does not flicker.
///
/// It becomes visible after requests have been on the network for the activation delay, and hidden when none has been
/// for the completion delay. Cached responses and requests that wait for their slot do not count.
///
/// ```swift
/// let activity = NetworkActivity()
/// let client = Client(baseURL: "https://api.example.com/") { $0.accessories = [activity] }
/// for await isVisible in activity.values { indicator.isHidden = !isVisible }
/// ```
///
/// One indicator can watch any number of clients. All members can be used from any thread.
public final class NetworkActivity: Accessory {
    private struct State: ~Copyable {
        var machine: IndicatorMachine
        var onNetwork = Set<RequestID>()
        var timer: Task<Void, Never>?
    }

    private let activationDelay: Duration
    private let completionDelay: Duration
    private let timebase: Timebase
    private let state: Locked<State>
    private let readers = StreamReaders<AsyncStream<Bool>.Continuation>()

    /// Creates a hidden indicator.
    ///
    /// - Parameters:
    ///   - activationDelay: The time that requests have to be on the network before the indicator becomes visible.
    ///   - completionDelay: The time without such requests before it becomes hidden.
    ///   - isEnabled: The initial value of ``isEnabled``.
    ///   - clock: Measures the delays; pass the client's clock if it has its own.
    public init(
        activationDelay: Duration = .seconds(1), completionDelay: Duration = .milliseconds(170),
        isEnabled: Bool = true, clock: some Clock<Duration> = ContinuousClock()
    ) {
        self.activationDelay = activationDelay
        self.completionDelay = completionDelay
        self.timebase = Timebase(clock)
        self.state = Locked(State(machine: IndicatorMachine(isEnabled: isEnabled)))
    }

    deinit {
        self.state.withLock { $0.timer.take() }?.cancel()
        for reader in self.readers.removeAll() { reader.finish() }
    }

    // MARK: - Looking

    /// A Boolean value that indicates whether the indicator is visible.
    public var isVisible: Bool { self.state.withLock { $0.machine.isVisible } }

    /// The number of requests on the network.
    public var count: Int { self.state.withLock { $0.machine.count } }

    /// The visibility: its current value, then each change.
    ///
    /// A slow reader gets the latest value. The stream ends when this object is deallocated.
    public var values: AsyncStream<Bool> {
        let (stream, continuation) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingNewest(1))
        // Under the lock, so that no change intervenes.
        let leave = self.state.withLock { state in
            continuation.yield(state.machine.isVisible)
            return self.readers.add(continuation)
        }
        continuation.onTermination = { _ in leave() }
        return stream
    }

    /// A Boolean value that indicates whether the indicator can be visible.
    ///
    /// While it is false, requests are still counted.
    public var isEnabled: Bool {
        get { self.state.withLock { $0.machine.isEnabled } }
        set { self.change { $0.machine.enabled(newValue) } }
    }

    // MARK: - Accessory

    /// Counts a request that goes to the network, and stops counting one whose attempt has failed or that waits for a
    /// slot again.
    public func observe(_ event: RequestActivity.Event, of activity: RequestActivity) {
        switch event {
        case .attemptStarted:
            self.change { $0.onNetwork.insert(activity.id).inserted ? $0.machine.began() : nil }
        case .attemptFailed, .queued: self.leave(activity.id)
        default: break
        }
    }

    /// Stops counting a request that is over.
    public func didStop(_ activity: RequestActivity, _ end: RequestActivity.End) {
        self.leave(activity.id)
    }

    private func leave(_ id: RequestID) {
        self.change { $0.onNetwork.remove(id) == nil ? nil : $0.machine.ended() }
    }

    // MARK: - Time

    private func change(_ body: (inout State) -> IndicatorMachine.Action?) {
        let replaced = self.state.withLock { state in body(&state).flatMap { self.carryOut($0, &state) } }
        // Run outside the lock, because it runs code of the clock.
        replaced?.cancel()
    }

    /// Returns the timer that is to be cancelled.
    private func carryOut(_ action: IndicatorMachine.Action, _ state: inout State) -> Task<Void, Never>? {
        let replaced = action.cancelsTimer ? state.timer.take() : nil
        if let timer = action.timer, let delay = action.delay { state.timer = self.start(timer, delay) }
        guard let isVisible = action.isVisible else { return replaced }
        // Under the lock, so that the last value is the current one; yielding wakes the reader without calling user
        // code.
        for reader in self.readers.all { reader.yield(isVisible) }
        return replaced
    }

    private func start(_ timer: IndicatorMachine.Timer, _ delay: IndicatorMachine.Delay) -> Task<Void, Never> {
        let limit = delay == .activation ? self.activationDelay : self.completionDelay
        let moment = self.timebase.now + limit.bounded
        // Unstructured, because hooks do not wait for it. Ends when it fires, is replaced, or with this object.
        return spawn { [weak self, timebase] in
            guard (try? await timebase.sleep(until: moment)) != nil else { return }
            self?.fire(timer)
        }
    }

    private func fire(_ timer: IndicatorMachine.Timer) {
        self.change { $0.machine.fired(timer) }
    }
}
