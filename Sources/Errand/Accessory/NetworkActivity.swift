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
        var streams: [UInt64: AsyncStream<Bool>.Continuation] = [:]
        var lastStream: UInt64 = 0
    }

    private let activationDelay: Duration
    private let completionDelay: Duration
    private let timebase: Timebase
    private let state: Locked<State>

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
        self.state.withLock { state in
            state.timer?.cancel()
            for stream in state.streams.values { stream.finish() }
        }
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
        let key = self.state.withLock { state in
            state.lastStream += 1
            state.streams[state.lastStream] = continuation
            continuation.yield(state.machine.isVisible)
            return state.lastStream
        }
        continuation.onTermination = { [weak self] _ in
            // Nobody is called under the lock: the continuation goes away after it.
            _ = self?.state.withLock { $0.streams.removeValue(forKey: key) }
        }
        return stream
    }

    /// Whether it may show at all: switched off it is hidden at once, and counts on.
    public var isEnabled: Bool {
        get { self.state.withLock { $0.machine.isEnabled } }
        set { self.state.withLock { self.carryOut($0.machine.enabled(newValue), &$0) } }
    }

    // MARK: - Accessory

    /// Counts a request that goes to the network, and no longer one whose attempt has failed or that waits for a slot
    /// again.
    public func observe(_ event: ActivityEvent, of activity: Activity) {
        switch event {
        case .attemptStarted:
            self.state.withLock { state in
                guard state.onNetwork.insert(activity.id).inserted else { return }
                self.carryOut(state.machine.began(), &state)
            }
        case .attemptFailed, .queued: self.leave(activity.id)
        default: break
        }
    }

    /// Counts a request that is over.
    public func didStop(_ activity: Activity, _ end: ActivityEnd) async {
        self.leave(activity.id)
    }

    private func leave(_ id: RequestID) {
        self.state.withLock { state in
            guard state.onNetwork.remove(id) != nil else { return }
            self.carryOut(state.machine.ended(), &state)
        }
    }

    // MARK: - Time

    private func carryOut(_ action: IndicatorMachine.Action, _ state: inout State) {
        if action.cancelsTimer { state.timer?.cancel() }
        if let timer = action.timer, let delay = action.delay { state.timer = self.start(timer, delay) }
        guard let isVisible = action.isVisible else { return }
        // Under the lock, so that what comes last is what holds; a stream wakes its reader and calls nobody.
        for stream in state.streams.values { stream.yield(isVisible) }
    }

    private func start(_ timer: IndicatorMachine.Timer, _ delay: IndicatorMachine.Delay) -> Task<Void, Never> {
        let limit = delay == .activation ? self.activationDelay : self.completionDelay
        let moment = self.timebase.now + limit
        // Unstructured: hooks do not wait for it. Ends when it fires, is no longer needed, or with this object.
        return spawn { [weak self, timebase] in
            guard (try? await timebase.sleep(until: moment)) != nil else { return }
            self?.fire(timer)
        }
    }

    private func fire(_ timer: IndicatorMachine.Timer) {
        self.state.withLock { self.carryOut($0.machine.fired(timer), &$0) }
    }
}
