import ErrandMachines
import TestEffort
import Testing

@Suite("How far transfers are, and how fast", .timeLimit(.minutes(60)), .paced)
struct TransferTallyTests {
    private typealias Tally = TransferTally<Int>

    private func bytes(_ count: Int64, of total: Int64? = nil) -> Tally.Bytes {
        Tally.Bytes(count: count, total: total)
    }

    private func rate(of tally: borrowing Tally) throws -> Double {
        let rate = tally.rate
        return try #require(rate)
    }

    @Test("Sums are of all that is under way, and of what ended beside it")
    func sums() {
        var tally = Tally()
        #expect(tally.isIdle == true)
        tally.began(1, sending: 10, at: .zero)
        tally.began(2, sending: 0, at: .zero)
        tally.moved(1, .sent, self.bytes(4), at: .seconds(1))
        #expect(tally.sum(.sent) == self.bytes(4, of: 10))
        #expect(tally.sum(.received) == self.bytes(0))
        tally.answered(1, receiving: 100)
        #expect(tally.sum(.received).total == nil)
        tally.answered(2, receiving: 50)
        tally.moved(2, .received, self.bytes(50, of: 50), at: .seconds(2))
        #expect(tally.sum(.received) == self.bytes(50, of: 150))
        tally.ended(2)
        #expect(tally.sum(.received) == self.bytes(50, of: 150))
        tally.ended(1)
        #expect(tally.isIdle == true)
        tally.began(3, sending: 0, at: .seconds(9))
        #expect(tally.sum(.received) == self.bytes(0))
        #expect(tally.rate == nil)
    }

    @Test("A rate follows what comes, and what was there before is none")
    func rates() throws {
        var tally = Tally()
        tally.began(1, sending: 0, at: .zero)
        tally.answered(1, receiving: 10_000)
        tally.moved(1, .received, self.bytes(5_000, of: 15_000), at: .zero)
        #expect(tally.rate == nil)
        for second in 1...4 {
            tally.moved(1, .received, self.bytes(5_000 + 1_000 * Int64(second), of: 15_000), at: .seconds(second))
            #expect(tally.rate == 1_000)
        }
        #expect(tally.secondsLeft == 6)
        tally.moved(1, .received, self.bytes(12_000, of: 15_000), at: .seconds(5))
        let faster = try self.rate(of: tally)
        #expect(faster > 1_000 && faster < 3_000)
        for second in 6..<60 {
            tally.moved(1, .received, self.bytes(12_000, of: 15_000), at: .seconds(second))
        }
        let last = try self.rate(of: tally)
        #expect(last < 1)
    }

    @Test("Many small pieces are measured together")
    func smallPieces() throws {
        var tally = Tally()
        tally.began(1, sending: 0, at: .zero)
        tally.moved(1, .received, self.bytes(0), at: .zero)
        for number in 1...1_000 {
            tally.moved(1, .received, self.bytes(Int64(number)), at: .milliseconds(number))
        }
        let rate = try self.rate(of: tally)
        #expect(abs(rate - 1_000) < 30)
        #expect(tally.secondsLeft == nil)
    }

    @Test("What is not under way counts nothing, and no number is too large")
    func strangers() {
        var tally = Tally()
        tally.moved(1, .sent, self.bytes(4), at: .zero)
        tally.answered(1, receiving: 5)
        tally.ended(1)
        #expect(tally.isIdle == true)
        #expect(tally.sum(.sent) == self.bytes(0, of: 0))
        for key in 0..<3 {
            tally.began(key, sending: .max, at: .zero)
            tally.moved(key, .sent, self.bytes(.max, of: .max), at: .seconds(key + 1))
            tally.moved(key, .received, self.bytes(.min, of: .max), at: .seconds(key + 1))
        }
        #expect(tally.sum(.sent) == self.bytes(.max, of: .max))
        _ = tally.secondsLeft
        for key in 0..<3 { tally.ended(key) }
    }
}
