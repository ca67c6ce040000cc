internal import Testing

@testable internal import Errand

@Suite("What is kept for each origin")
struct OriginTableTests {
    private var table = OriginTable<Int>()

    /// Counts one more for an origin, and returns its count; even counts may be forgotten.
    private mutating func count(_ origin: String) throws -> Int {
        self.table.change(try HTTPURL(origin), making: 0, forgetting: { $0.isMultiple(of: 2) }) { count in
            count += 1
            return count
        }
    }

    @Test mutating func `each origin has its own, whichever was asked for last`() throws {
        for (origin, count) in [
            ("https://a.test/x", 1), ("https://a.test/y", 2), ("https://b.test", 1), ("https://a.test", 3),
            ("http://a.test", 1), ("https://a.test:444", 1), ("https://b.test", 2), ("https://b.test", 3),
        ] {
            #expect(try self.count(origin) == count)
        }
        #expect(self.table[try HTTPURL("https://a.test/z")] == 3)
        #expect(self.table[try HTTPURL("https://c.test")] == nil)
        #expect(self.table.all.count == 4)
    }

    @Test mutating func `of many those that are done are forgotten, and no others`() throws {
        // Every second one is left with an even count.
        for number in 0..<64 {
            for _ in 0...number % 2 { _ = try self.count("https://\(number).test") }
        }
        #expect(self.table.all.count == 64)
        _ = try self.count("https://new.test")
        #expect(self.table.all.count == 33)
        for number in 0..<64 where number % 2 == 0 { #expect(try self.count("https://\(number).test") == 2) }
        #expect(try self.count("https://1.test") == 1)
        #expect(try self.count("https://new.test") == 2)
    }

    @Test func `statuses are told apart`() {
        let set = StatusSet([503, 429])
        #expect([429, 503].allSatisfy { set.contains(HTTPStatus(rawValue: $0)) })
        #expect(![200, 428, 430, 500, 504].contains { set.contains(HTTPStatus(rawValue: $0)) })
        #expect(!StatusSet([]).contains(.ok))
    }

    @Test func `how long calls take is known on while there are many kinds of them`() {
        let latencies = Latencies()
        for _ in 0..<20 { latencies.add(.seconds(1), of: "known") }
        for number in 1..<1_000 { latencies.add(.seconds(2), of: "\(number)") }
        latencies.add(.seconds(1), of: "known")
        #expect(latencies.percentile(50, of: "known") == .seconds(1))
        latencies.add(.seconds(1), of: "one more")
        #expect(latencies.percentile(50, of: "known") == nil, "there is room for a thousand")
    }
}
