internal import ErrandLocks
internal import ErrandMachines

/// Tells whether to show that the network is busy: not for what is over at once, and without flickering in between.
///
/// It shows after requests have been on the network for the activation delay, and hides when none has been there for
/// the completion delay. What the cache answers, and what waits for its slot, is not on the network.
///
/// ```swift
/// let activity = NetworkActivity()
/// let client = Client(baseURL: "https://api.example.com/") { $0.accessories = [activity] }
/// for await isVisible in activity.values { indicator.isHidden = !isVisible }
/// ```
///
/// One may watch any number of clients. Every member may be called from anywhere.
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

    /// Creates an indicator that is hidden.
    ///
    /// - Parameters:
    ///   - activationDelay: How long requests are on the network before it shows.
    ///   - completionDelay: How long none is before it hides.
    ///   - isEnabled: Whether it may show at all, see ``isEnabled``.
    ///   - clock: Measures the delays; give the clock of the client, where that has one of its own.
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

    /// Whether to show that the network is busy.
    public var isVisible: Bool { self.state.withLock { $0.machine.isVisible } }

    /// How many requests are on the network.
    public var count: Int { self.state.withLock { $0.machine.count } }

    /// What to show: now, and after each change.
    ///
    /// A slow reader gets the latest. The stream ends with this object.
    public var values: AsyncStream<Bool> {
        let (stream, continuation) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingNewest(1))
        // Under the lock, so that no change comes in between.
        let leave = self.state.withLock { state in
            continuation.yield(state.machine.isVisible)
            return self.readers.add(continuation)
        }
        continuation.onTermination = { _ in leave() }
        return stream
    }

    /// Whether it may show at all: switched off it is hidden at once, and counts on.
    public var isEnabled: Bool {
        get { self.state.withLock { $0.machine.isEnabled } }
        set { self.change { $0.machine.enabled(newValue) } }
    }

    // MARK: - Accessory

    /// Counts a request that goes to the network, and no longer one whose attempt has failed or that waits for a slot
    /// again.
    public func observe(_ event: RequestActivity.Event, of activity: RequestActivity) {
        switch event {
        case .attemptStarted:
            self.change { $0.onNetwork.insert(activity.id).inserted ? $0.machine.began() : nil }
        case .attemptFailed, .queued: self.leave(activity.id)
        default: break
        }
    }

    /// Counts a request that is over.
    public func didStop(_ activity: RequestActivity, _ end: RequestActivity.End) {
        self.leave(activity.id)
    }

    private func leave(_ id: RequestID) {
        self.change { $0.onNetwork.remove(id) == nil ? nil : $0.machine.ended() }
    }

    // MARK: - Time

    private func change(_ body: (inout State) -> IndicatorMachine.Action?) {
        let replaced = self.state.withLock { state in body(&state).flatMap { self.carryOut($0, &state) } }
        // Runs what the clock does about it: not under the lock.
        replaced?.cancel()
    }

    /// Returns the timer that is to be cancelled.
    private func carryOut(_ action: IndicatorMachine.Action, _ state: inout State) -> Task<Void, Never>? {
        let replaced = action.cancelsTimer ? state.timer.take() : nil
        if let timer = action.timer, let delay = action.delay { state.timer = self.start(timer, delay) }
        guard let isVisible = action.isVisible else { return replaced }
        // Under the lock, so that what comes last is what holds; a stream wakes its reader and calls nobody.
        for reader in self.readers.all { reader.yield(isVisible) }
        return replaced
    }

    private func start(_ timer: IndicatorMachine.Timer, _ delay: IndicatorMachine.Delay) -> Task<Void, Never> {
        let limit = delay == .activation ? self.activationDelay : self.completionDelay
        let moment = self.timebase.now + limit.bounded
        // Unstructured: hooks do not wait for it. Ends when it fires, is no longer needed, or with this object.
        return spawn { [weak self, timebase] in
            guard (try? await timebase.sleep(until: moment)) != nil else { return }
            self?.fire(timer)
        }
    }

    private func fire(_ timer: IndicatorMachine.Timer) {
        self.change { $0.machine.fired(timer) }
    }
}
