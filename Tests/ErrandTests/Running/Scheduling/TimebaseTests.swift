internal import Errand
internal import Testing

@Suite("The time of a client")
struct TimebaseTests {
    /// Stands still, and tells its time as the system's clock does.
    private struct StandingClock: Clock {
        let now = ContinuousClock.now
        let minimumResolution = Duration.zero

        func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {}
    }

    @Test func `it is that of the clock, whatever its instants are`() async throws {
        let timebase = Timebase(StandingClock())
        #expect(timebase.now == .zero)
        try await timebase.sleep(until: .seconds(60))
        #expect(timebase.now == .zero)
        #expect(Timebase(ContinuousClock()).now >= .zero)
    }
}
