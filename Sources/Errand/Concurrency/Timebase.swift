/// The client's clock, read as the time since the client was created.
package final class Timebase: Sendable {
    /// True for `ContinuousClock`, the usual one, which is read without access to shared state.
    private let isContinuous: Bool
    /// The instant at which the client was created, on that clock.
    private let continuousEpoch: ContinuousClock.Instant
    private let read: @Sendable () -> Duration
    private let wait: @Sendable (Duration) async throws -> Void

    package init<C: Clock>(_ clock: C) where C.Duration == Duration {
        let epoch = clock.now
        // Another clock may have the same type of instants.
        let continuousEpoch = clock is ContinuousClock ? epoch as? ContinuousClock.Instant : nil
        self.isContinuous = continuousEpoch != nil
        self.continuousEpoch = continuousEpoch ?? .now
        self.read = { epoch.duration(to: clock.now) }
        self.wait = { try await clock.sleep(until: epoch.advanced(by: $0), tolerance: nil) }
    }

    /// The time since the client was created.
    ///
    /// Never inlined: the size of an instant is unknown, and would enlarge the frames of tasks.
    @inline(never)
    package var now: Duration {
        self.isContinuous ? self.continuousEpoch.duration(to: .now) : self.read()
    }

    /// Sleeps until a moment on this clock.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    package func sleep(until moment: Duration) async throws {
        try await self.wait(moment.bounded)
    }
}

extension Duration {
    /// The duration, clamped to a range in which clocks do not trap.
    package var bounded: Duration { min(max(self, .seconds(-(1 << 40))), .seconds(1 << 40)) }
}
