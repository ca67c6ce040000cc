/// The time axis: the positions of moments, and the tick marks.
struct TimeAxis {
    private static let steps: [Double] = {
        var steps: [Double] = []
        var power = 1.0
        while power < 1e9 {
            steps += [power, 2 * power, 5 * power]
            power *= 10
        }
        let seconds: [Double] = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200]
        return steps + seconds.map { $0 * 1e9 }
    }()

    private let start: Duration
    /// The length of the axis in nanoseconds.
    let length: Double
    let left: Double
    let width: Double

    init(_ interval: Timeline.Interval?, left: Double, width: Double) {
        self.start = interval?.start ?? .zero
        self.length = max(1, (interval?.duration ?? .milliseconds(1)) / .nanoseconds(1))
        self.left = left
        self.width = width
    }

    /// Returns the coordinate of a moment, clamped to the ends.
    func x(_ moment: Duration) -> Double {
        let nanoseconds = (moment - self.start) / .nanoseconds(1)
        return self.left + min(max(0, nanoseconds / self.length), 1) * self.width
    }

    /// Returns the time of a moment since the beginning.
    func offset(_ moment: Duration) -> Duration { moment - self.start }

    /// The tick marks with their labels; about one per 70 pixels.
    var ticks: [(x: Double, label: String)] {
        let most = max(2, self.width / 70)
        var step = Self.steps.first { self.length / $0 <= most } ?? 86_400e9
        // Beyond days, the step is doubled as often as needed.
        while self.length / step > most { step *= 2 }
        let count = Int(self.length / step)
        return (0...count).map { (self.left + Double($0) * step / self.length * self.width, Self.label($0, step)) }
    }

    private static func label(_ number: Int, _ step: Double) -> String {
        guard number > 0 else { return "0" }
        let units: [(String, Double)] = [("h", 3600e9), ("min", 60e9), ("s", 1e9), ("ms", 1e6), ("µs", 1e3), ("ns", 1)]
        // All ticks have the unit in which the step is a whole number.
        let unit = units.first { step >= $0.1 && step.truncatingRemainder(dividingBy: $0.1) == 0 } ?? ("ns", 1)
        return "\(Words.decimal(Double(number) * step / unit.1, 0)) \(unit.0)"
    }
}
