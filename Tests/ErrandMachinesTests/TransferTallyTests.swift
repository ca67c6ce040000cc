import ErrandMachines
import TestEffort
import Testing

@Suite("How far transfers are, and how fast", .timeLimit(.minutes(60)), .paced)
struct TransferTallyTests {
    private typealias Tally = TransferTally<Int>

    private func bytes(_ count: Int64, of total: Int64? = nil) -> Tally.Bytes {
        Tally.Bytes(count: count, total: total)
    }

    private func rate(of tally: borrowing Tally, at now: Duration) throws -> Double {
        let rate = tally.rate(at: now)
        return try #require(rate)
    }

    @Test("Sums are of all that is under way, and of what ended beside it")
    func sums() {
        var tally = Tally()
        #expect(tally.isIdle == true)
        tally.began(1, sending: 10, at: .zero)
        tally.began(2, sending: 0, at: .zero)
        tally.moved(1, .sent, self.bytes(4, of: 10), at: .seconds(1))
        #expect(tally.sum(.sent) == self.bytes(4, of: 10))
        #expect(tally.sum(.received) == self.bytes(0))
        tally.answered(1, receiving: 100, after: 0)
        #expect(tally.sum(.received).total == nil)
        tally.answered(2, receiving: 50, after: 0)
        tally.moved(2, .received, self.bytes(50, of: 50), at: .seconds(2))
        #expect(tally.sum(.received) == self.bytes(50, of: 150))
        tally.ended(2)
        #expect(tally.sum(.received) == self.bytes(50, of: 150))
        tally.ended(1)
        #expect(tally.isIdle == true)
        // What has ended early brings no more.
        #expect(tally.sum(.received) == self.bytes(50, of: 50))
        tally.began(3, sending: nil, at: .seconds(9))
        #expect(tally.sum(.received) == self.bytes(0))
        #expect(tally.sum(.sent) == self.bytes(0))
        tally.moved(3, .sent, self.bytes(5, of: 7), at: .seconds(9))
        #expect(tally.sum(.sent) == self.bytes(5, of: 7))
        tally.moved(3, .sent, self.bytes(6), at: .seconds(9))
        #expect(tally.sum(.sent) == self.bytes(6))
    }

    @Test("A transfer that begins anew counts from nothing")
    func anew() {
        var tally = Tally()
        for _ in 0..<3 {
            tally.began(1, sending: 5, at: .zero)
            tally.moved(1, .sent, self.bytes(5, of: 5), at: .zero)
            #expect(tally.sum(.sent) == self.bytes(5, of: 5))
        }
    }

    @Test("A rate follows what comes, and what was there before is none")
    func rates() throws {
        var tally = Tally()
        tally.began(1, sending: 0, at: .zero)
        tally.answered(1, receiving: 15_000, after: 5_000)
        tally.moved(1, .received, self.bytes(5_010, of: 15_000), at: .milliseconds(10))
        #expect(tally.rate(at: .milliseconds(10)) == nil)
        for second in 1...4 {
            tally.moved(1, .received, self.bytes(5_000 + 1_000 * Int64(second), of: 15_000), at: .seconds(second))
            #expect(tally.rate(at: .seconds(second)) == 1_000)
        }
        #expect(tally.secondsLeft(at: 1_000) == 6)
        tally.moved(1, .received, self.bytes(12_000, of: 15_000), at: .seconds(5))
        let faster = try self.rate(of: tally, at: .seconds(5))
        #expect(faster > 1_000 && faster < 3_000)
        // Nothing comes any more, and whoever looks sees that.
        let later = try self.rate(of: tally, at: .seconds(10))
        #expect(later < faster / 2)
        let much = try self.rate(of: tally, at: .seconds(1_000))
        #expect(much < 10)
        tally.ended(1)
        #expect(tally.rate(at: .seconds(1_000)) == nil)
    }

    @Test("A body that comes in one piece has a rate")
    func onePiece() {
        var tally = Tally()
        tally.began(1, sending: 0, at: .zero)
        tally.answered(1, receiving: 500, after: 0)
        tally.moved(1, .received, self.bytes(500, of: 500), at: .milliseconds(500))
        #expect(tally.rate(at: .milliseconds(500)) == 1_000)
        // A range that was asked for by hand: its bytes are counted from nothing.
        tally.began(2, sending: 0, at: .seconds(1))
        tally.answered(2, receiving: 600, after: 500)
        tally.moved(2, .received, self.bytes(100, of: 100), at: .seconds(1))
        #expect(tally.sum(.received).count == 600)
    }

    @Test("What comes in the first moment does not count for more than its time")
    func firstMoment() throws {
        var tally = Tally()
        tally.began(1, sending: 0, at: .zero)
        tally.moved(1, .received, self.bytes(1_000), at: .milliseconds(50))
        for tenth in 1...20 {
            let count = 1_000 + 100 * Int64(tenth)
            tally.moved(1, .received, self.bytes(count), at: .milliseconds(50 + 100 * tenth))
        }
        let rate = try self.rate(of: tally, at: .milliseconds(2_050))
        #expect(abs(rate - 3_000 / 2.05) < 10, "the mean, as long as there is not much of it")
    }

    @Test("One that ends before it began is waited for no more", arguments: [true, false])
    func neverBegan(isLast: Bool) {
        var tally = Tally(expecting: 2)
        if !isLast { tally.ended(2) }
        tally.began(1, sending: 0, at: .zero)
        tally.answered(1, receiving: 50, after: 0)
        tally.moved(1, .received, self.bytes(50, of: 50), at: .seconds(1))
        #expect(tally.sum(.received) == self.bytes(50, of: isLast ? nil : 50))
        tally.ended(1)
        if isLast { tally.ended(2) }
        #expect(tally.sum(.received) == self.bytes(50, of: 50))
    }

    @Test("Many small pieces are measured together")
    func smallPieces() throws {
        var tally = Tally()
        tally.began(1, sending: 0, at: .zero)
        for number in 1...1_000 {
            tally.moved(1, .received, self.bytes(Int64(number)), at: .milliseconds(number))
        }
        let rate = try self.rate(of: tally, at: .seconds(1))
        #expect(abs(rate - 1_000) < 30)
        #expect(tally.secondsLeft(at: rate) == nil)
    }

    @Test("What is not under way counts nothing, and no number is too large")
    func strangers() {
        var tally = Tally()
        tally.moved(1, .sent, self.bytes(4), at: .zero)
        tally.answered(1, receiving: 5, after: 0)
        tally.ended(1)
        #expect(tally.isIdle == true)
        #expect(tally.sum(.sent) == self.bytes(0, of: 0))
        for key in 0..<3 {
            tally.began(key, sending: .max, at: .zero)
            tally.moved(key, .sent, self.bytes(.max, of: .max), at: .seconds(key + 1))
            tally.answered(key, receiving: .max, after: .max)
            tally.moved(key, .received, self.bytes(.min, of: .max), at: .seconds(key + 1))
        }
        #expect(tally.sum(.sent).count > 0)
        _ = tally.secondsLeft(at: tally.rate(at: .seconds(9)))
        for key in 0..<3 { tally.ended(key) }
    }
}
