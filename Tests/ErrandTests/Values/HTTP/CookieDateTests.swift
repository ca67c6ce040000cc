internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Dates of cookies (RFC 6265 §5.1.1)", .timeLimit(.minutes(60)), .paced)
struct CookieDateTests {
    @Test(
        "reads the parts in any order and spelling",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z"),
            ("Sunday, 06-Nov-94 08:49:37 GMT", "1994-11-06T08:49:37Z"),
            ("Sun Nov  6 08:49:37 1994", "1994-11-06T08:49:37Z"),
            ("Sun, 06-Nov-1994 08:49:37 GMT", "1994-11-06T08:49:37Z"),
            ("06 NOVEMBER 1994 8:49:37", "1994-11-06T08:49:37Z"),
            ("8:49:37 1994 nov 6", "1994-11-06T08:49:37Z"),
            ("6;nov;1994;8:49:37", "1994-11-06T08:49:37Z"),
            ("\t6/nov_1994@08:49:37\t", "1994-11-06T08:49:37Z"),
            ("6 nov 1994 08:49:37GMT", "1994-11-06T08:49:37Z"),
            ("6 nov 1994 08:49:37.25", "1994-11-06T08:49:37Z"),
            ("6th Novemberfest 1994AD 08:49:37:11", "1994-11-06T08:49:37Z"),
            ("6é nové 1994é 8:49:37é", "1994-11-06T08:49:37Z"),
            ("6 nov 1994 8:4:3", "1994-11-06T08:04:03Z"),
            ("6 nov 94 08:49:37", "1994-11-06T08:49:37Z"), ("6 nov 094 08:49:37", "1994-11-06T08:49:37Z"),
            ("6 nov 0094 08:49:37", "1994-11-06T08:49:37Z"), ("6 nov 70 00:00:00", "1970-11-06T00:00:00Z"),
            ("6 nov 69 00:00:00", "2069-11-06T00:00:00Z"), ("6 nov 00 00:00:00", "2000-11-06T00:00:00Z"),
            ("6 nov 99 00:00:00", "1999-11-06T00:00:00Z"),
            // The second number of two digits is the year, and only the first of each part counts.
            ("10 11 nov 00:00:00", "2011-11-10T00:00:00Z"), ("10 nov 11 12 00:00:00 01:01:01", "2011-11-10T00:00:00Z"),
            ("10 nov dec 2011 00:00:00", "2011-11-10T00:00:00Z"),
            ("29 feb 2000 00:00:00", "2000-02-29T00:00:00Z"), ("29 feb 2024 23:59:59", "2024-02-29T23:59:59Z"),
            ("1 jan 1601 00:00:00", "1601-01-01T00:00:00Z"), ("31 dec 9999 23:59:59", "9999-12-31T23:59:59Z"),
            ("1 jan 1970 00:00:00", "1970-01-01T00:00:00Z"),
            // Zones are not read.
            ("6 nov 1994 08:49:37 PST", "1994-11-06T08:49:37Z"), ("6 nov 1994 08:49:37 +0100", "1994-11-06T08:49:37Z"),
        ])
    func reads(text: String, expected: String) throws {
        #expect(CookieDate.parse(text) == (try Date(expected, strategy: .iso8601)))
    }

    @Test(
        "does not make up what is missing or cannot be",
        arguments: [
            "", " ", "nonsense", "0", "Sun, 06 Nov 1994", "06 Nov 08:49:37", "Nov 1994 08:49:37", "06 1994 08:49:37",
            "0 nov 1994 08:49:37", "32 nov 1994 08:49:37", "31 nov 1994 08:49:37", "30 feb 2000 08:49:37",
            "29 feb 1900 08:49:37", "29 feb 2023 08:49:37", "06 nov 1600 08:49:37", "06 nov 0100 08:49:37",
            "06 nov 1994 24:00:00", "06 nov 1994 08:60:00", "06 nov 1994 08:49:60", "25:00:00 nov 1994 08:49:37",
            "06 nov 1994 08:49", "06 nov 1994 8:49:037", "06 nov 1994 008:49:37", "06 nov 19945 08:49:37",
            "006 nov 1994 08:49:37", "06 no 1994 08:49:37", "06 11 1994 08:49:37", "06 nov 1994 08 49 37",
            "1994-11-06T08:49:37Z", "784111777", "99999999999999999999999999 nov 1994 08:49:37",
        ])
    func refuses(text: String) {
        #expect(CookieDate.parse(text) == nil)
    }

    @Test("agrees with the calendar of the system")
    func calendar() throws {
        var random = SplitMix64(seed: 6265)
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        for _ in 0..<5_000 {
            // From the year 1601 on, for 8399 years.
            let date = Date(timeIntervalSince1970: Double(random.next(below: 265_000_000_000) - 11_644_473_600))
            let text = date.formatted(.iso8601)
            let parts = text.split { "-T:Z".contains($0) }
            let month = months[try #require(Int(parts[1])) - 1]
            let written = "\(parts[2]) \(month) \(parts[0]) \(parts[3]):\(parts[4]):\(parts[5]) GMT"
            #expect(CookieDate.parse(written) == date, "\(written)")
        }
    }
}
