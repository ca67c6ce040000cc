internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

@Suite("Zones of dates (RFC 9110 §5.6.7)", .timeLimit(.minutes(60)), .paced)
struct HTTPDateZoneTests {
    @Test(
        arguments: [
            ("Wed, 21 Oct 2015 07:28:10 GMT", 10), ("Wed, 21 Oct 2015 07:28:10 gmt", 10),
            ("Wednesday, 21-Oct-15 07:28:10 GMT", 10), ("Wed Oct 21 07:28:10 2015", 10),
            ("Wed, 21 Oct 2015 07:28:10 EST", nil), ("Wed, 21 Oct 2015 07:28:10 +0100", nil),
            ("Wed, 21 Oct 2015 07:28:10", nil), ("Wed, 21 Oct 2015 07:28:10 UTC", nil),
            ("21 Oct 2015 07:28:10 GMT", nil),
        ] as [(String, Int?)])
    func `a date of another zone than GMT is no date to come back at`(text: String, seconds: Int?) {
        let head = HTTPResponse.Head(
            status: 503, headers: ["Retry-After": text, "Date": "Wed, 21 Oct 2015 07:28:00 GMT"])
        #expect(head.retryAfter(at: .distantPast) == seconds.map { .seconds($0) })
    }

    @Test func `nor does it say when a representation was changed`() {
        func validator(_ zone: String) -> BodyValidator? {
            let day = "Wed, 21 Oct 2015"
            return BodyValidator(
                HTTPResponse.Head(
                    status: 200,
                    headers: ["Last-Modified": "\(day) 07:28:00 \(zone)", "Date": "\(day) 07:30:00 GMT"]))
        }
        #expect(validator("GMT") != nil)
        #expect(validator("PST") == nil)
        #expect(validator("+0200") == nil)
    }
}
