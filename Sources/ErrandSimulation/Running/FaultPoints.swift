internal import ErrandLocks

/// The fault points of a run, each with its own random sequence.
final class FaultPoints: Sendable {
    private struct Point {
        var generator: SplitMix64
        var calls = 0
    }

    private struct State {
        var points: [UInt64: Point] = [:]
        var struck: [Simulation.Fault] = []
    }

    private let seed: UInt64
    private let state = Locked(unobserved: State())

    init(seed: UInt64) {
        // A sequence that differs from those of the policies and of the context's chance.
        self.seed = SplitMix64.mix(seed ^ 0xFA17_0F00)
    }

    /// The faults that occurred, in order.
    var struck: [Simulation.Fault] { self.state.withLock { $0.struck } }

    /// Determines whether a fault occurs, and records it if so.
    ///
    /// Each call uses up one number of the point's sequence, whatever the probability is.
    func ask(_ name: String, probability: Double, at time: Duration) -> Simulation.Fault? {
        StepRecorder.note(.fault(name))
        let key = SplitMix64.mix(self.seed ^ SplitMix64.hash(name))
        return self.state.withLock { state in
            var point = state.points[key] ?? Point(generator: SplitMix64(seed: key))
            point.calls += 1
            let strikes = Double(point.generator.next() >> 11) * 0x1p-53 < probability
            state.points[key] = point
            guard strikes else { return nil }
            let fault = Simulation.Fault(name: name, call: point.calls, time: time)
            state.struck.append(fault)
            return fault
        }
    }
}
