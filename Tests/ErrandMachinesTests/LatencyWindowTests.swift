internal import ErrandMachines
internal import TestEffort
internal import Testing

@Suite("How long the last requests took", .timeLimit(.minutes(60)), .paced)
struct LatencyWindowTests {
    private func window(_ samples: some Sequence<Int>) -> LatencyWindow {
        var window = LatencyWindow()
        for sample in samples { window.add(.milliseconds(sample)) }
        return window
    }

    @Test func `says nothing while it knows too few`() {
        #expect(self.window(1...19).percentile(95) == nil)
        #expect(self.window(1...20).percentile(95) == .milliseconds(19))
    }

    @Test(arguments: [
        (50.0, 50), (95, 95), (99, 99), (99.5, 100), (100, 100), (0, 1), (-3, 1), (1e9, 100), (.infinity, 100),
        (.nan, 100),
    ])
    func `answers the time that so many did not exceed`(percent: Double, milliseconds: Int) {
        #expect(self.window((1...100).reversed()).percentile(percent) == .milliseconds(milliseconds))
    }

    @Test func `forgets what is old`() {
        let window = self.window(Array(repeating: 1_000, count: 500) + Array(repeating: 1, count: 128))
        #expect(window.percentile(100) == .milliseconds(1))
        #expect(self.window(Array(repeating: 9, count: 128) + [5]).percentile(0) == .milliseconds(5))
    }
}
