internal import ErrandTesting
internal import TestEffort
internal import Testing

@testable internal import Errand

@Suite("The plan of a download", .timeLimit(.minutes(60)), .paced)
struct DownloadPlanTests {
    private static let representation: BodyRepresentation? = {
        guard let url = try? HTTPURL("http://a/b") else { return nil }
        return BodyRepresentation(HTTPResponse.Head(status: .ok, headers: ["ETag": "\"1\""]), from: url)
    }()

    private func missing(_ pieces: [Range<Int64>], of total: Int64?) throws -> MissingBytes {
        MissingBytes(between: pieces, of: total, try #require(Self.representation))
    }

    @Test func `finds gaps, and what is held`() throws {
        let missing = try self.missing([0..<10, 5..<20, 30..<40], of: 50)
        #expect(missing.gaps == [.init(first: 20, end: 30), .init(first: 40, end: 50)])
        #expect(missing.held == 30)
        #expect(missing.there == 30)
        #expect(try self.missing([0..<10], of: nil).held == 10)
        let whole = try self.missing([0..<50], of: 50)
        #expect(whole.gaps.isEmpty)
        #expect(whole.there == 50)
        #expect(whole.held == 49)
        #expect(whole.request().value == "bytes=49-")
    }

    @Test func `asks for the first gap to its end, and for the last one without one`() throws {
        #expect(try self.missing([0..<10, 20..<30], of: 50).request().value == "bytes=10-19")
        #expect(try self.missing([0..<10], of: 50).request().value == "bytes=10-")
        #expect(try self.missing([0..<10], of: nil).request().value == "bytes=10-")
        #expect(try self.missing([0..<10], of: 50).request(upTo: 5).value == "bytes=10-14")
    }

    @Test(arguments: [(1, false), (4_095, false), (4_096, true)] as [(Int64, Bool)])
    func `gives up when connection after connection brings next to nothing`(step: Int64, goesOn: Bool) throws {
        var plan = DownloadPlan(segments: 1)
        _ = plan.begin(nil)
        var rounds = 0
        while rounds < 100 {
            let missing = try self.missing([0..<Int64(rounds + 1) * step], of: 1 << 40)
            guard plan.next(missing, after: .bytes(isPart: true, refused: 0)) != nil else { break }
            rounds += 1
        }
        #expect(rounds == (goesOn ? 100 : 16))
    }

    @Test func `a round that brings much starts the count anew`() throws {
        var plan = DownloadPlan(segments: 1)
        _ = plan.begin(nil)
        var held: Int64 = 0
        for round in 1...100 {
            held += round.isMultiple(of: 16) ? 1 << 20 : 1
            let missing = try self.missing([0..<held], of: 1 << 40)
            #expect(plan.next(missing, after: .bytes(isPart: true, refused: 0)) != nil)
        }
    }

    @Test(arguments: [.max, 1 << 62, (1 << 20) + 1, 2] as [Int64])
    func `never traps`(total: Int64) throws {
        let missing = try self.missing([0..<1], of: total)
        for limit in 1...16 { #expect(!missing.requests(upTo: limit, ofAtLeast: 1 << 20).isEmpty) }
    }

    /// A server that serves, refuses, cuts and contradicts by chance, and what has come of it.
    @Test(arguments: TestEffort.schedules)
    func `asks for each missing byte once a round, and ends`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let mebibyte = DownloadPlan.smallestSegment
        let total = Int64.random(in: 1...20 * mebibyte, using: &random)
        let width = Int.random(in: 1...16, using: &random)
        var plan = DownloadPlan(segments: width)
        var pieces: [Range<Int64>] = []
        var asked: [RangeRequest]? = plan.begin(nil)
        var rounds = 0
        while let requests = asked, pieces.reduce(0, { $0 + $1.count }) < Int(total) {
            rounds += 1
            try #require(rounds < 10_000)
            #expect(requests.count <= width)
            var outcome = DownloadPlan.Outcome.bytes(isPart: false, refused: 0)
            var (refused, isPart) = (0, false)
            if Int.random(in: 0..<40, using: &random) == 0 {
                (outcome, pieces) = (.contradiction, [])
            } else {
                for range in requests.isEmpty ? [0..<total] : requests.map({ $0.first..<min($0.end ?? total, total) }) {
                    #expect(!pieces.contains { $0.overlaps(range) }, "what is there is not asked for again")
                    switch Int.random(in: 0..<10, using: &random) {
                    case 0 where requests.count > 1: refused += 1
                    case 1 where requests.count > 1: break
                    case 2, 3:
                        isPart = true
                        pieces.append(
                            range.lowerBound..<Int64.random(in: range.lowerBound + 1...range.upperBound, using: &random)
                        )
                    default:
                        isPart = true
                        pieces.append(range)
                    }
                }
                outcome = .bytes(isPart: isPart, refused: refused)
            }
            pieces.sort { $0.lowerBound < $1.lowerBound }
            let isFromZero = pieces.first?.lowerBound == 0
            asked = plan.next(isFromZero ? try self.missing(pieces, of: total) : nil, after: outcome)
            if !isFromZero { pieces = [] }
        }
        #expect(pieces.reduce(0) { $0 + $1.count } == Int(total) || asked == nil)
    }

    @Test func `a download begins anew twice, and not for ever`() {
        var plan = DownloadPlan(segments: 4)
        _ = plan.begin(nil)
        for _ in 1...2 {
            let again = plan.next(nil, after: .contradiction)
            #expect(again == [], "all is asked for at once")
        }
        let third = plan.next(nil, after: .contradiction)
        #expect(third == nil)
    }
}
