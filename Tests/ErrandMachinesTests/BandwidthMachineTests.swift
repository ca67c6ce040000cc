internal import TestEffort
internal import Testing

@testable internal import ErrandMachines

@Suite("Sharing of bandwidth", .timeLimit(.minutes(60)), .paced)
struct BandwidthMachineTests {
    @Test func `nobody waits while there is something left`() {
        var machine = BandwidthMachine(bytesPerSecond: 1_000)
        let isFirstOpen = machine.ask(BandwidthMachine.Piece(key: 1, count: 100), at: .zero)
        #expect(isFirstOpen)
        let isSecondOpen = machine.ask(BandwidthMachine.Piece(key: 1, count: 100), at: .zero)
        #expect(!isSecondOpen)
        #expect(machine.due == .milliseconds(1))
    }

    @Test func `what was too much is made up for`() {
        var machine = BandwidthMachine(bytesPerSecond: 1_000)
        let isOpen = machine.ask(BandwidthMachine.Piece(key: 1, count: 5_100), at: .zero)
        #expect(isOpen)
        _ = machine.ask(BandwidthMachine.Piece(key: 2, count: 1), at: .zero)
        #expect(machine.due == .milliseconds(5_001))
        let early = machine.next(at: .seconds(5))
        #expect(early == nil)
        let next = machine.next(at: .milliseconds(5_001))
        #expect(next == BandwidthMachine.Piece(key: 2, count: 1))
        #expect(machine.due == nil)
    }

    @Test func `what nobody took is not saved up beyond a tenth of a second`() {
        var machine = BandwidthMachine(bytesPerSecond: 1_000)
        _ = machine.ask(BandwidthMachine.Piece(key: 1, count: 100), at: .zero)
        let isOpen = machine.ask(BandwidthMachine.Piece(key: 1, count: 150), at: .seconds(100))
        #expect(isOpen)
        let isNextOpen = machine.ask(BandwidthMachine.Piece(key: 1, count: 1), at: .seconds(100))
        #expect(!isNextOpen)
        #expect(machine.due == .seconds(100) + .milliseconds(51))
    }

    @Test func `who leaves has no turn`() {
        var machine = BandwidthMachine(bytesPerSecond: 1)
        for key in 1...3 { _ = machine.ask(BandwidthMachine.Piece(key: UInt64(key), count: 1), at: .zero) }
        machine.leave(2)
        let next = machine.next(at: .seconds(100))
        #expect(next?.key == 3)
        #expect(machine.waitingCount == 0)
    }

    @Test func `bandwidth that was taken and not used is there for others`() {
        var machine = BandwidthMachine(bytesPerSecond: 1_000)
        let isFirstOpen = machine.ask(BandwidthMachine.Piece(key: 1, count: 5_000), at: .zero)
        #expect(isFirstOpen)
        machine.leave(1, unused: 5_000)
        let isSecondOpen = machine.ask(BandwidthMachine.Piece(key: 2, count: 1), at: .zero)
        #expect(isSecondOpen)
    }
}

extension LongTests {
    @Suite("Sharing of bandwidth, at any rate", .timeLimit(.minutes(60)), .paced)
    struct BandwidthMachineWalkTests {
        /// What moves never exceeds the rate, the burst and one piece; and all who always want more get equally much.
        @Test func `keeps the rate, uses it, and shares it`() async {
            await overSeeds(reaching: ["alone", "shared", "slow", "fast"]) { random in
                let rate = 1 << random.below(24)
                let size = 1 + random.below(16_384)
                let keys = (0...random.below(6)).map { UInt64($0) }
                var machine = BandwidthMachine(bytesPerSecond: rate)
                var now = Duration.zero
                var moved: [UInt64: Int] = [:]
                for key in keys { Self.ask(&machine, key, size, now, &moved) }
                // Who comes first has what was left; from then on all take turns.
                let atOnce = moved
                for _ in 0..<300 {
                    let due = machine.due ?? now
                    now = max(now, due) + .milliseconds(random.below(5))
                    while let piece = machine.next(at: now) {
                        moved[piece.key, default: 0] += piece.count
                        Self.ask(&machine, piece.key, size, now, &moved)
                    }
                }
                let total = Double(moved.values.reduce(0, +))
                let atRate = Double(rate) * (now / .seconds(1))
                try hold(total <= atRate + Double(rate) * 0.1 + Double(size) + 1, "no more than the rate")
                // Timers that ring a little late cost nothing while the burst is larger than that.
                try hold(total >= atRate - Double(size) - 1, "no less than the rate")
                let shares = keys.map { (moved[$0] ?? 0) - (atOnce[$0] ?? 0) }
                try hold((shares.max() ?? 0) - (shares.min() ?? 0) <= size, "in turn")
                return [keys.count == 1 ? "alone" : "shared", rate < size ? "slow" : "fast"]
            }
        }

        /// Asks for as much as there is, and for one piece more.
        private static func ask(
            _ machine: inout BandwidthMachine, _ key: UInt64, _ size: Int, _ now: Duration, _ moved: inout [UInt64: Int]
        ) {
            while machine.ask(BandwidthMachine.Piece(key: key, count: size), at: now) { moved[key, default: 0] += size }
        }
    }
}
