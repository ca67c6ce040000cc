internal import ErrandLocks

/// A seeded random source that the tasks of a scenario share.
///
/// Within one simulation, the tasks draw in an order that the seed fixes, so each gets the same numbers in every run of
/// that seed. All members may be called from any isolation domain.
public final class SimulationRandom: Sendable {
    private struct State {
        var generator: SplitMix64
        var hasBeenUsed = false
    }

    private let state: Locked<State>

    /// Creates a source at the start of a seed's sequence.
    public init(seed: UInt64) {
        self.state = Locked(unobserved: State(generator: SplitMix64(seed: seed)))
    }

    /// Returns the next number of the sequence.
    public func next() -> UInt64 {
        self.draw { $0.next() }
    }

    /// Returns a uniformly distributed number in a range.
    ///
    /// - Parameter range: The range to draw from; it must not be empty, and must hold fewer than 2⁶³ numbers.
    /// - Returns: The number.
    public func int(in range: Range<Int>) -> Int {
        range.lowerBound + self.draw { $0.next(below: range.count) }
    }

    /// Returns `true` with a probability between zero (never) and one (always).
    public func bool(probability: Double = 0.5) -> Bool {
        Double(self.next() >> 11) * 0x1p-53 < probability
    }

    // MARK: - Use of the seed

    /// True once a number was drawn or the seed was read.
    var hasBeenUsed: Bool { self.state.withLock { $0.hasBeenUsed } }

    /// Records that the seed itself was read.
    func noteUse() {
        self.state.withLock { $0.hasBeenUsed = true }
    }

    private func draw<Number: Sendable>(_ number: (inout SplitMix64) -> Number) -> Number {
        StepRecorder.note(.random)
        return self.state.withLock { state in
            state.hasBeenUsed = true
            return number(&state.generator)
        }
    }
}
