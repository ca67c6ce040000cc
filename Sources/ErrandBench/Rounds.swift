/// How long one thing took in each round of a measurement.
struct Rounds {
    private var times: [Double] = []

    mutating func add(_ time: Double) {
        self.times.append(time)
    }

    /// The shortest of them.
    var best: Double { self.times.min() ?? .infinity }

    /// How many times as long it took as something else that was measured in turn with it: the median of the rounds, for
    /// the best rounds of both need not be those of a machine in the same state.
    func ratio(to other: Rounds) -> Double {
        let ratios = zip(self.times, other.times).map { $0 / $1 }.sorted()
        return ratios.isEmpty ? .nan : ratios[ratios.count / 2]
    }
}
