internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

@Suite("HTTP caching: freshness (RFC 9111 §4.2)", .timeLimit(.minutes(60)), .paced)
struct HTTPFreshnessTests {
    /// A response that was asked for at 0, came at 2, and is looked at some time later.
    struct Example: Sendable, CustomTestStringConvertible {
        let title: String
        let head: String
        let status: Int
        let later: Double
        let age: Double
        let lifetime: Double

        init(
            _ title: String, _ head: String, status: Int = 200, later: Double = 0, age: Double = 2, lifetime: Double
        ) {
            (self.title, self.head, self.status) = (title, head, status)
            (self.later, self.age, self.lifetime) = (later, age, lifetime)
        }

        var testDescription: String { self.title }
    }

    static let examples = [
        Example("§4.2.1 max-age", "Cache-Control: max-age=60", lifetime: 60),
        Example("§4.2.1 max-age before Expires", "Cache-Control: max-age=60 | Date: @0 | Expires: @9", lifetime: 60),
        Example("§4.2.1 max-age=0 before Expires", "Cache-Control: max-age=0 | Date: @0 | Expires: @9", lifetime: 0),
        Example("§4.2.1 max-age before an invalid Expires", "Cache-Control: max-age=60 | Expires: 0", lifetime: 60),
        Example(
            "§4.2.1 an invalid max-age before Expires", "Cache-Control: max-age=x | Date: @0 | Expires: @9", lifetime: 0
        ),
        Example("§4.2.1 s-maxage is not for a private cache", "Cache-Control: s-maxage=60, max-age=9", lifetime: 9),
        Example("§4.2.1 s-maxage alone", "Cache-Control: s-maxage=60", lifetime: 0),
        Example("§4.2.1 Expires less Date", "Date: @100 | Expires: @160", lifetime: 60),
        Example("§4.2.1 Expires without Date", "Expires: @62", lifetime: 60),
        Example("§4.2.1 Expires with an invalid Date", "Date: yesterday | Expires: @62", lifetime: 60),
        Example("§4.2.1 Expires in the past", "Date: @0 | Expires: @-60", lifetime: 0),
        Example("§4.2.1 Expires now", "Date: @0 | Expires: @0", lifetime: 0),
        Example("§5.3 Expires: 0", "Date: @0 | Expires: 0", lifetime: 0),
        Example("§5.3 Expires: -1", "Date: @0 | Expires: -1", lifetime: 0),
        Example(
            "§5.3 an invalid Expires forbids to guess", "Date: @0 | Expires: x | Last-Modified: @-1000", lifetime: 0),
        Example("§5.3 Expires twice, the shorter", "Date: @0 | Expires: @90 | Expires: @60", lifetime: 60),
        Example("§5.3 Expires twice, one is invalid", "Date: @0 | Expires: @90 | Expires: 0", lifetime: 0),
        Example("§5.3 Expires of RFC 850", "Date: @0 | Expires: Monday, 01-Jan-01 00:01:00 GMT", lifetime: 60),
        Example("§5.3 Expires of asctime", "Date: @0 | Expires: Mon Jan  1 00:01:00 2001", lifetime: 60),
        Example("§4.2.2 a tenth of its age", "Date: @0 | Last-Modified: @-1000", lifetime: 100),
        Example("§4.2.2 without Date", "Last-Modified: @-998", lifetime: 100),
        Example("§4.2.2 a day at most", "Date: @0 | Last-Modified: @-100000000", lifetime: 86_400),
        Example("§4.2.2 modified later than it was sent", "Date: @0 | Last-Modified: @50", lifetime: 0),
        Example("§4.2.2 an invalid date", "Date: @0 | Last-Modified: once", lifetime: 0),
        Example("§4.2.2 nothing to guess by", "Date: @0", lifetime: 0),
        Example(
            "§4.2.2 not beside max-age", "Cache-Control: max-age=5 | Date: @0 | Last-Modified: @-1000", lifetime: 5),
        Example("§4.2.2 not for 201", "Date: @0 | Last-Modified: @-1000", status: 201, lifetime: 0),
        Example("§4.2.2 not for 403", "Date: @0 | Last-Modified: @-1000", status: 403, lifetime: 0),
        Example("§4.2.2 not for 502", "Date: @0 | Last-Modified: @-1000", status: 502, lifetime: 0),
        Example("§4.2.2 for 404", "Date: @0 | Last-Modified: @-1000", status: 404, lifetime: 100),
        Example("§4.2.2 for 308", "Date: @0 | Last-Modified: @-1000", status: 308, lifetime: 100),
        Example("§4.2.2 for 501", "Date: @0 | Last-Modified: @-1000", status: 501, lifetime: 100),
        Example(
            "§4.2.2 for what is public", "Cache-Control: public | Date: @0 | Last-Modified: @-1000", status: 599,
            lifetime: 100),
        Example("§4.2.3 the time it took counts", "Cache-Control: max-age=60", later: 5, age: 7, lifetime: 60),
        Example(
            "§4.2.3 Age and the time it took", "Cache-Control: max-age=60 | Age: 30", later: 5, age: 37, lifetime: 60),
        Example(
            "§4.2.3 Date says more than Age", "Cache-Control: max-age=60 | Age: 3 | Date: @-50", age: 52, lifetime: 60),
        Example(
            "§4.2.3 Age says more than Date", "Cache-Control: max-age=60 | Age: 80 | Date: @-50", age: 82, lifetime: 60),
        Example("§4.2.3 a Date in the future", "Cache-Control: max-age=60 | Date: @500", age: 2, lifetime: 60),
        Example("§4.2.3 an invalid Date", "Cache-Control: max-age=60 | Date: 0", age: 2, lifetime: 60),
        Example(
            "§4.2.3 a clock that was moved back", "Cache-Control: max-age=60", later: -9, age: 2_147_483_648,
            lifetime: 60),
        Example("§5.1 Age: 0", "Cache-Control: max-age=60 | Age: 0", lifetime: 60),
        Example("§5.1 a word is ignored", "Cache-Control: max-age=60 | Age: abc", lifetime: 60),
        Example("§5.1 a negative one is ignored", "Cache-Control: max-age=60 | Age: -7200", lifetime: 60),
        Example("§5.1 a fraction is ignored", "Cache-Control: max-age=60 | Age: 7200.0", lifetime: 60),
        Example("§5.1 the first of a list", "Cache-Control: max-age=60 | Age: 7200, 0", age: 7202, lifetime: 60),
        Example("§5.1 the first of a list is none", "Cache-Control: max-age=60 | Age: 0, 7200", lifetime: 60),
        Example("§5.1 the first line", "Cache-Control: max-age=60 | Age: 7200 | Age: 0", age: 7202, lifetime: 60),
        Example("§5.1 the first line is none", "Cache-Control: max-age=60 | Age: 0 | Age: 7200", lifetime: 60),
        Example("§5.1 a parameter is ignored", "Cache-Control: max-age=60 | Age: 7200;a=b", lifetime: 60),
        Example(
            "§1.2.2 the largest Age", "Cache-Control: max-age=60 | Age: 2147483648", age: 2_147_483_650, lifetime: 60),
        Example(
            "§1.2.2 an Age that is too large", "Cache-Control: max-age=60 | Age: 99999999999", age: 2_147_483_650,
            lifetime: 60),
        Example("§4.2.1 a Cache-Control without an end", "Cache-Control: max-age=60, foo=\"", lifetime: 0),
    ]

    @Test(arguments: Self.examples)
    func `age and lifetime`(example: Example) {
        let came = HTTPCaseText.epoch.addingTimeInterval(2)
        let freshness = HTTPFreshness(
            of: StoredHead(
                head: HTTPCaseText.head(example.head, example.status), requestedAt: HTTPCaseText.epoch,
                respondedAt: came), now: came.addingTimeInterval(example.later))
        #expect(freshness.age == example.age)
        #expect(freshness.lifetime == example.lifetime)
        #expect(freshness.isFresh == (example.lifetime > example.age))
    }

    /// As they may stand in a file that somebody made.
    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e300, -1e18])
    func `times that are none end nothing, and nothing is fresh`(seconds: Double) throws {
        let (none, now) = (Date(timeIntervalSinceReferenceDate: seconds), HTTPCaseText.epoch)
        let heads = [
            "Cache-Control: max-age=60", "Expires: @60", "Date: Monday, 01-Jan-24 00:00:00 GMT", "Last-Modified: @-9",
            "Expires: Monday, 01-Jan-24 00:00:00 GMT",
        ]
        for text in heads {
            for (asked, came) in [(none, none), (now, none), (none, now)] {
                let head = HTTPCaseText.head(text)
                let stored = StoredHead(head: head, requestedAt: asked, respondedAt: came)
                let decision = HTTPCacheRules.decide(try HTTPCaseText.request(), stored, tags: { [] }, now: now)
                // Where just one of them is none the other may do.
                if text == heads[0], came != now { #expect(decision.action == .ask) }
            }
        }
    }
}
