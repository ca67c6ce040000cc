/// A source of chance that is the same in each run.
struct SeededNumbers: RandomNumberGenerator, Sendable {
    var state: UInt64

    init(_ seed: UInt64 = 1) {
        self.state = seed
    }

    mutating func next() -> UInt64 {
        self.state = self.state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return self.state ^ (self.state >> 33)
    }
}
