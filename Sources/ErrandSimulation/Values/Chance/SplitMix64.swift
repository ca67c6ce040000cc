/// A small, fast random number generator whose whole sequence follows from its seed.
///
/// It is the SplitMix64 of Steele, Lea and Flood (2014): a counter that steps by the golden ratio, and a mixing
/// function over it. Each of the 2⁶⁴ seeds gives a sequence that visits every value once in 2⁶⁴ steps, and neighboring
/// seeds give unrelated sequences. The values never change between versions, platforms or runs. It is not
/// cryptographically secure.
public struct SplitMix64: RandomNumberGenerator, Sendable {
    private static let goldenRatio: UInt64 = 0x9E37_79B9_7F4A_7C15

    private var state: UInt64

    /// Creates a generator at the start of a seed's sequence.
    public init(seed: UInt64) {
        self.state = seed
    }

    /// Returns the next number of the sequence.
    public mutating func next() -> UInt64 {
        self.state &+= Self.goldenRatio
        return Self.mix(self.state)
    }

    /// Returns a uniformly distributed number in `0..<bound`.
    ///
    /// Unlike the random methods of the standard library, the result is fixed by the sequence alone.
    ///
    /// - Parameter bound: The exclusive upper bound; it must be positive.
    /// - Returns: The number.
    /// - Complexity: O(1) expected: a draw that would favor small numbers is repeated.
    public mutating func next(below bound: Int) -> Int {
        precondition(bound > 0, "The range 0..<\(bound) is empty.")
        let width = UInt64(bound)
        var product = self.next().multipliedFullWidth(by: width)
        if product.low < width {
            let threshold = (0 &- width) % width
            while product.low < threshold { product = self.next().multipliedFullWidth(by: width) }
        }
        return Int(product.high)
    }

    /// Returns a number whose bits all depend on all bits of the input: the mixing function of the generator.
    static func mix(_ value: UInt64) -> UInt64 {
        var mixed = value
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A hash that is the same in every process: FNV-1a.
    static func hash(_ name: String) -> UInt64 {
        name.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }
}
