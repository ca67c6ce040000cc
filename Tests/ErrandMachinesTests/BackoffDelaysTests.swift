internal import TestEffort
internal import Testing

@testable internal import ErrandMachines

@Suite("Delays before retries", .timeLimit(.minutes(60)), .paced)
struct BackoffDelaysTests {
    /// What the AWS standard retry mode gives where its chance is 1: the base is a second, the factor 2.
    @Test(arguments: [
        (cap: 20, expected: [1, 2, 4, 8, 16, 20, 20]),
        (cap: 3, expected: [1, 2, 3, 3]),
        (cap: 1, expected: [1, 1, 1]),
    ])
    func `double up to the cap`(cap: Int, expected: [Int]) {
        let rule = BackoffRule(base: .seconds(1), factor: 2, cap: .seconds(cap), jitter: .none)
        let delays = BackoffDelays(rule, using: SplitMix64(seed: 0)).prefix(expected.count)
        #expect(Array(delays) == expected.map { .seconds($0) })
    }

    @Test(arguments: [
        (base: Duration.seconds(-1), factor: 2.0, cap: Duration.seconds(20), expected: Duration.zero),
        (base: .seconds(1), factor: .nan, cap: .seconds(20), expected: .seconds(1)),
        (base: .seconds(1), factor: -3, cap: .seconds(20), expected: .seconds(1)),
        (base: .seconds(1), factor: .infinity, cap: .seconds(20), expected: .seconds(20)),
        (base: .seconds(60), factor: 2, cap: .seconds(20), expected: .seconds(20)),
        (base: .seconds(1), factor: 2, cap: .seconds(-5), expected: .zero),
        (base: .seconds(Int64.max), factor: 2, cap: .seconds(Int64.max), expected: .seconds(Int64.max)),
    ])
    func `what cannot be is clamped`(base: Duration, factor: Double, cap: Duration, expected: Duration) {
        let rule = BackoffRule(base: base, factor: factor, cap: cap, jitter: .none)
        #expect(rule.bound(of: 10_000) == expected)
        for jitter in [BackoffRule.Jitter.full, .decorrelated] {
            let rule = BackoffRule(base: base, factor: factor, cap: cap, jitter: jitter)
            for delay in BackoffDelays(rule, using: SplitMix64(seed: 1)).prefix(100) {
                #expect(delay >= .zero && delay <= rule.cap)
            }
        }
    }

    @Test func `the same chance gives the same delays`() {
        let rule = BackoffRule(base: .seconds(1), factor: 2, cap: .seconds(20), jitter: .full)
        let one = BackoffDelays(rule, using: SplitMix64(seed: 7)).prefix(20)
        #expect(Array(one) == Array(BackoffDelays(rule, using: SplitMix64(seed: 7)).prefix(20)))
        #expect(Array(one) != Array(BackoffDelays(rule, using: SplitMix64(seed: 8)).prefix(20)))
    }

    @Test(arguments: [BackoffRule.Jitter.full, .decorrelated])
    func `jitter uses the whole range and stays in it`(jitter: BackoffRule.Jitter) {
        let rule = BackoffRule(base: .seconds(1), factor: 2, cap: .seconds(20), jitter: jitter)
        var thirds = Set<Int>()
        for seed in 0..<200 {
            var last = Duration.seconds(1)
            for (index, delay) in BackoffDelays(rule, using: SplitMix64(seed: UInt64(seed))).prefix(8).enumerated() {
                let lowest: Duration = jitter == .full ? .zero : .seconds(1)
                let highest = jitter == .full ? rule.bound(of: index) : min(rule.cap, last * 3)
                #expect(delay >= lowest && delay <= highest)
                thirds.insert(Int((delay - lowest) / (highest - lowest) * 2.999))
                last = delay
            }
        }
        #expect(thirds == [0, 1, 2])
    }

    /// Gives the largest number each time.
    private struct Largest: RandomNumberGenerator {
        mutating func next() -> UInt64 { .max }
    }

    @Test func `decorrelated delays are up to three times the one before`() {
        let rule = BackoffRule(base: .seconds(1), factor: 2, cap: .seconds(1_000), jitter: .decorrelated)
        let delays = Array(BackoffDelays(rule, using: Largest()).prefix(4)).map { ($0 / .seconds(1)).rounded() }
        #expect(delays == [3, 9, 27, 81])
    }
}
