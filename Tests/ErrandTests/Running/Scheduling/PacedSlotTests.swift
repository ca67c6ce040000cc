internal import ErrandMachines
internal import ErrandTesting
internal import Testing

@testable internal import Errand

/// What becomes of slots that are given back long after somebody asked for one.
@Suite("Slots where there are rates (G6, G8)")
struct PacedSlotTests {
    private let clock = TestClock()
    private let order = FixtureLog()

    private func admission(_ rates: RateLimits) -> Admission {
        let timebase = Timebase(self.clock)
        return Admission(RequestScheduler.Limits(total: 1), rates, nil, timebase, DeadlineTimer(timebase: timebase))
    }

    private final class Turn: Wakeable {
        private let name: String
        private let order: FixtureLog

        init(_ name: String, _ order: FixtureLog) {
            (self.name, self.order) = (name, order)
        }

        func wake() {
            self.order.add(self.name)
        }
    }

    private func enter(
        _ name: String, _ admission: Admission, host: String, _ priority: RequestPriority = .normal
    ) -> AdmissionMachine.Ticket {
        let turn = Turn(name, self.order)
        switch admission.enter(host: host, priority: priority, waking: { turn }) {
        case .slot(let ticket):
            turn.wake()
            return ticket
        case .queue(let ticket): return ticket
        }
    }

    private var names: [String] { self.order.lines }

    @Test func `one whose rate allows it by then is not overtaken`() {
        let admission = self.admission(RateLimits(perHost: RateLimit(1, per: .seconds(1))))
        let first = self.enter("first", admission, host: "a.test:443")
        _ = self.enter("urgent", admission, host: "a.test:443", .high)
        _ = self.enter("other", admission, host: "b.test:443", .low)
        #expect(self.names == ["first"])
        self.clock.advance(by: .seconds(10))
        admission.leave(first)
        #expect(self.names == ["first", "urgent"])
    }

    @Test func `the rate counts from when one goes, not from when it came`() {
        let admission = self.admission(RateLimits(total: RateLimit(1, per: .seconds(1))))
        let first = self.enter("first", admission, host: "a.test:443")
        self.clock.advance(by: .seconds(5))
        let second = self.enter("second", admission, host: "a.test:443")
        self.clock.advance(by: .seconds(95))
        admission.leave(first)
        #expect(self.names == ["first", "second"])
        self.clock.advance(by: .milliseconds(10))
        _ = self.enter("third", admission, host: "a.test:443")
        self.clock.advance(by: .milliseconds(40))
        admission.leave(second)
        #expect(self.names == ["first", "second"])
    }
}
