public import Errand
internal import ErrandLocks

/// Collects what ran when.
///
/// Given to a client it sees everything that the client does; given to one request, batch or chain, only that. It may
/// be given to several clients whose clocks agree. What was under way before it was given to anything is not in it.
///
/// It keeps a bounded amount: so many pieces of work, the first ones, until it is told to forget them with ``clear()``.
/// Of each it keeps at most some KiB, and no header fields and no bodies.
public final class TimelineAccessory: Accessory {
    private let timebase: Timebase
    private let recorder: Locked<TimelineRecorder>

    /// Creates an accessory that has seen nothing.
    ///
    /// - Parameters:
    ///   - clock: The clock of the client, `ClientConfiguration.Environment.clock`; the standard one is the same for
    ///     both.
    ///   - limit: How many pieces of work are kept; the others are counted.
    public init(clock: any Clock<Duration> = ContinuousClock(), limit: Int = 10_000) {
        self.timebase = Timebase(clock)
        self.recorder = Locked(TimelineRecorder(limit: max(0, limit)))
    }

    /// What was seen so far; what has not ended counts as running until now.
    ///
    /// - Complexity: O(*n*) in the pieces of work that are kept.
    public var timeline: Timeline {
        let now = self.timebase.now
        return self.recorder.withLock { $0.timeline(asOf: now) }
    }

    /// Forgets everything, also what is under way: the rest of that will not be seen.
    public func clear() {
        self.recorder.withLock { $0.clear() }
    }

    // MARK: - Hooks

    /// Notes the start.
    public func willStart(_ activity: RequestActivity) {
        let now = self.timebase.now
        // Before the lock: taking the secrets out of a URL takes a while.
        let draft = SpanDraft(activity, at: now)
        self.recorder.withLock { $0.start(draft, activity.id) }
    }

    /// Notes that it shows as running.
    public func didStart(_ activity: RequestActivity) {
        self.change(activity) { $0.didStart(at: $1) }
    }

    /// Notes the outcome.
    public func willStop(_ activity: RequestActivity, _ end: RequestActivity.End) {
        self.change(activity) { $0.willStop(end, at: $1) }
    }

    /// Notes the end.
    public func didStop(_ activity: RequestActivity, _ end: RequestActivity.End) {
        let now = self.timebase.now
        self.recorder.withLock { $0.end(activity.id, at: now) }
    }

    /// Notes what happened in between.
    public func observe(_ event: RequestActivity.Event, of activity: RequestActivity) {
        self.change(activity) { $0.observe(event, at: $1) }
    }

    private func change(_ activity: RequestActivity, _ change: (inout SpanDraft, Duration) -> Void) {
        let now = self.timebase.now
        self.recorder.withLock { recorder in
            recorder.change(activity.id) { change(&$0, now) }
        }
    }
}
