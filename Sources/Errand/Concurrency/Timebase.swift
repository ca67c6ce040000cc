/// The client's clock, read as time since the client was made.
package final class Timebase: Sendable {
    /// Whether it is the clock that nearly everybody has: to read that needs nothing that is shared.
    private let isContinuous: Bool
    /// When the client was made, on that clock.
    private let continuousEpoch: ContinuousClock.Instant
    private let read: @Sendable () -> Duration
    private let wait: @Sendable (Duration) async throws -> Void

    package init<C: Clock>(_ clock: C) where C.Duration == Duration {
        let epoch = clock.now
        // Others may tell their time in the same instants.
        let continuousEpoch = clock is ContinuousClock ? epoch as? ContinuousClock.Instant : nil
        self.isContinuous = continuousEpoch != nil
        self.continuousEpoch = continuousEpoch ?? .now
        self.read = { epoch.duration(to: clock.now) }
        self.wait = { try await clock.sleep(until: epoch.advanced(by: $0), tolerance: nil) }
    }

    /// The time since the client was made.
    ///
    /// Never inlined: nobody knows how large an instant is, and tasks make room for what they do not know.
    @inline(never)
    package var now: Duration {
        self.isContinuous ? self.continuousEpoch.duration(to: .now) : self.read()
    }

    /// Sleeps until a moment on this clock.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    package func sleep(until moment: Duration) async throws {
        try await self.wait(moment.bounded)
    }
}

extension Duration {
    /// The duration, or one that is longer than anyone waits: clocks trap on the far ends of what a duration can be.
    package var bounded: Duration { min(max(self, .seconds(-(1 << 40))), .seconds(1 << 40)) }
}
