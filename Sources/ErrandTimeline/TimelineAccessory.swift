public import Errand
internal import ErrandLocks

/// Records the timeline of requests, batches and chains.
///
/// An accessory that is given to a client sees everything that the client does; one that is given to a request, batch
/// or chain sees only that. It can be given to several clients whose clocks agree. Activities that were already in
/// flight are not recorded.
///
/// It keeps a bounded amount: up to `limit` activities, the first ones, until ``clear()`` is called. Of each it keeps
/// at most some KiB, without header fields and bodies.
public final class TimelineAccessory: Accessory {
    private let timebase: Timebase
    private let recorder: Locked<TimelineRecorder>

    /// Creates an accessory with an empty timeline.
    ///
    /// - Parameters:
    ///   - clock: The clock of the client, `ClientConfiguration.Environment.clock`; the defaults of both are the same.
    ///   - limit: The number of activities to keep; further ones are only counted.
    public init(clock: any Clock<Duration> = ContinuousClock(), limit: Int = 10_000) {
        self.timebase = Timebase(clock)
        self.recorder = Locked(TimelineRecorder(limit: max(0, limit)))
    }

    /// The timeline so far, in which unfinished activities last until now.
    ///
    /// - Complexity: O(*n*) in the number of activities.
    public var timeline: Timeline {
        let now = self.timebase.now
        return self.recorder.withLock { $0.timeline(asOf: now) }
    }

    /// Removes all activities, including those in flight, whose remaining events are ignored.
    public func clear() {
        self.recorder.withLock { $0.clear() }
    }

    // MARK: - Hooks

    /// Records the start.
    public func willStart(_ activity: RequestActivity) {
        let now = self.timebase.now
        // Outside the lock: redacting a URL takes a while.
        let draft = SpanDraft(activity, at: now)
        self.recorder.withLock { $0.start(draft, activity.id) }
    }

    /// Records that the activity is running.
    public func didStart(_ activity: RequestActivity) {
        self.change(activity) { $0.didStart(at: $1) }
    }

    /// Records the outcome.
    public func willStop(_ activity: RequestActivity, _ end: RequestActivity.End) {
        self.change(activity) { $0.willStop(end, at: $1) }
    }

    /// Records the end.
    public func didStop(_ activity: RequestActivity, _ end: RequestActivity.End) {
        let now = self.timebase.now
        self.recorder.withLock { $0.end(activity.id, at: now) }
    }

    /// Records an intermediate event.
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
