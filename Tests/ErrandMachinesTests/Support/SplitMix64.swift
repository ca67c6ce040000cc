/// A small generator whose whole state is its seed: the same seed gives the same walk.
struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        self.state = seed
    }

    mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = self.state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to a bound, without it.
    mutating func below(_ bound: Int) -> Int {
        Int(self.next() % UInt64(bound))
    }

    mutating func chance(_ percent: Int) -> Bool {
        self.below(100) < percent
    }
}
