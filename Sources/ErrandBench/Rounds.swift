/// The times of one measurement, one per round.
struct Rounds {
    private var times: [Double] = []

    mutating func add(_ time: Double) {
        self.times.append(time)
    }

    /// The shortest time.
    var best: Double { self.times.min() ?? .infinity }

    /// The ratio to another measurement made in turn with it: the median over the rounds, since the best rounds of both
    /// may have been run under different conditions.
    func ratio(to other: Rounds) -> Double {
        let ratios = zip(self.times, other.times).map { $0 / $1 }.sorted()
        return ratios.isEmpty ? .nan : ratios[ratios.count / 2]
    }
}
