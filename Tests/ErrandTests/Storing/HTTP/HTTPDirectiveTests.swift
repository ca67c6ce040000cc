internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

@Suite("HTTP caching: Cache-Control (RFC 9111 §5.2)", .timeLimit(.minutes(60)), .paced)
struct HTTPDirectiveTests {
    struct Seconds: Sendable, CustomTestStringConvertible {
        let title: String
        let value: String
        let seconds: Int?

        init(_ title: String, _ value: String, _ seconds: Int?) {
            (self.title, self.value, self.seconds) = (title, value, seconds)
        }

        var testDescription: String { self.title }
    }

    static let lifetimes = [
        Seconds("§5.2.2.1 max-age", "max-age=60", 60),
        Seconds("§5.2.2.1 none", "public", nil),
        Seconds("§5.2 case makes no difference", "MaX-AgE=60", 60),
        Seconds("§5.2 among others", "public, max-age=60, must-revalidate", 60),
        Seconds("§5.2 without spaces", "public,max-age=60,immutable", 60),
        Seconds("§5.2 with many spaces", "  public ,\t max-age=60  , immutable", 60),
        Seconds("§5.2 empty members", ",, max-age=60,,", 60),
        Seconds("§5.2 beside an extension", "max-age=60, foo=bar, baz", 60),
        Seconds("§5.2 beside an extension that is quoted", "foo=\"bar, baz\", max-age=60", 60),
        Seconds("§5.2 in a quoted string before", "foo=\"max-age=9\", max-age=60", 60),
        Seconds("§5.2 in a quoted string behind", "max-age=60, foo=\"max-age=9\"", 60),
        Seconds("§5.2 in a quoted string only", "foo=\"max-age=60\"", nil),
        Seconds("§5.2 behind an escaped quote", "foo=\"\\\", max-age=9\", max-age=60", 60),
        Seconds("§5.2 as a quoted string", "max-age=\"60\"", 60),
        Seconds("§5.2 with one quote each side", "max-age='60'", 0),
        Seconds("§5.2 a space before the sign", "max-age =60", 0),
        Seconds("§5.2 a space behind the sign", "max-age= 60", 0),
        Seconds("§5.2 no value", "max-age", 0),
        Seconds("§5.2 an empty value", "max-age=", 0),
        Seconds("§5.2 an empty string", "max-age=\"\"", 0),
        Seconds("§5.2 two words", "max-age=60 70", 0),
        Seconds("§5.2 something behind a string", "max-age=\"60\"x", 0),
        Seconds("§5.2 another name that begins alike", "max-ages=60", nil),
        Seconds("§5.2 another name that ends alike", "s-max-age=60", nil),
        Seconds("§5.2.2.10 s-maxage is for shared caches", "s-maxage=60", nil),
        Seconds("§1.2.2 leading zeros", "max-age=0060", 60),
        Seconds("§1.2.2 zero", "max-age=0", 0),
        Seconds("§1.2.2 a sign", "max-age=-60", 0),
        Seconds("§1.2.2 a plus", "max-age=+60", 0),
        Seconds("§1.2.2 a fraction", "max-age=60.5", 0),
        Seconds("§1.2.2 a fraction of nothing", "max-age=60.0", 0),
        Seconds("§1.2.2 a letter before", "max-age=a60", 0),
        Seconds("§1.2.2 a letter behind", "max-age=60s", 0),
        Seconds("§1.2.2 hexadecimal", "max-age=0x60", 0),
        Seconds("§1.2.2 the largest", "max-age=2147483647", 2_147_483_647),
        Seconds("§1.2.2 one more", "max-age=2147483648", 2_147_483_648),
        Seconds("§1.2.2 too large", "max-age=99999999999", 2_147_483_648),
        Seconds("§1.2.2 larger than any number", "max-age=" + String(repeating: "9", count: 60), 2_147_483_648),
        Seconds("§4.2.1 twice, the first is shorter", "max-age=60, max-age=90", 60),
        Seconds("§4.2.1 twice, the second is shorter", "max-age=90, max-age=60", 60),
        Seconds("§4.2.1 twice, one is invalid", "max-age=90, max-age=x", 0),
        Seconds("§5.2 semicolons are no commas", "public;max-age=60", nil),
        Seconds("§5.2 a semicolon behind", "max-age=60; public", 0),
    ]

    @Test func `with more directives than anybody reads nothing is stored`() {
        let few = CacheControl(["Cache-Control": "max-age=60, " + String(repeating: "a, ", count: 200)])
        #expect(few.seconds("max-age") == 60 && !few.isMalformed && !few.contains("no-store"))
        for many in ["max-age=60, " + String(repeating: "a, ", count: 10_000), String(repeating: "a,", count: 257)] {
            let control = CacheControl(["Cache-Control": many])
            #expect(control.isMalformed && control.contains("no-store"))
        }
    }

    @Test(arguments: Self.lifetimes)
    func `seconds of max-age`(example: Seconds) {
        #expect(CacheControl(["Cache-Control": example.value]).seconds("max-age") == example.seconds)
    }

    @Test func `§5.2 several lines are one list`() {
        let control = CacheControl(HTTPCaseText.fields("Cache-Control: max-age=60 | cache-control: no-store"))
        #expect(control.seconds("max-age") == 60)
        #expect(control.contains("no-store"))
    }

    @Test(arguments: [
        "no-store", "NO-STORE", "max-age=60, no-store", "no-store=1", "no-store=\"\"", "no-store foo", "no-store;",
        "foo bar, no-store", "no-store=\"x", "\"x\", no-store",
    ])
    func `§5.2.2.5 what restricts holds with whatever stands behind it`(value: String) {
        #expect(CacheControl(["Cache-Control": value]).contains("no-store"))
    }

    @Test(arguments: ["foo=\"no-store\"", "foo=no-store", "nostore", "no-stored", "x-no-store"])
    func `§5.2.2.5 what only looks like it does not`(value: String) {
        #expect(!CacheControl(["Cache-Control": value]).contains("no-store"))
    }

    @Test(arguments: [
        ("no-cache", true, []), ("no-cache=\"a\"", false, ["a"]), ("no-cache=\"A, b\"", false, ["a", "b"]),
        ("no-cache=a", false, ["a"]), ("no-cache=\"\"", true, []), ("no-cache=\"a b\"", true, []),
        ("no-cache=\"a\", no-cache", true, ["a"]), ("no-cache=\"a", true, []), ("no-cache = \"a\"", true, []),
    ])
    func `§5.2.2.4 no-cache with and without fields`(value: String, isNoCache: Bool, fields: [String]) {
        let control = CacheControl(["Cache-Control": value])
        #expect(control.isNoCache == isNoCache || control.isMalformed)
        #expect(control.noCacheFields == fields || control.isMalformed)
    }

    @Test(arguments: [
        ("max-stale", 1 << 31), ("max-stale=5", 5), ("max-stale=x", 0), ("max-stale=5, max-stale=9", 5),
        ("max-stale=", 0),
    ])
    func `§5.2.1.2 max-stale`(value: String, seconds: Int) {
        #expect(CacheControl(["Cache-Control": value]).maxStale == seconds)
    }

    @Test(arguments: [
        ("min-fresh=5", 5), ("min-fresh=x", 1 << 31), ("min-fresh", 1 << 31), ("min-fresh=5, min-fresh=9", 9),
    ])
    func `§5.2.1.3 min-fresh`(value: String, seconds: Int) {
        #expect(CacheControl(["Cache-Control": value]).minFresh == seconds)
    }
}

@Suite("HTTP caching: dates (RFC 9110 §5.6.7, RFC 9111 §4.2)", .timeLimit(.minutes(60)), .paced)
struct HTTPDateTests {
    private static let now = Date(timeIntervalSince1970: 1_700_000_000)

    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777.0), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
        ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Wed Nov 16 08:49:37 1994", 784_975_777),
        ("sun, 06 nov 1994 08:49:37 gmt", 784_111_777), ("SUN, 06 NOV 1994 08:49:37 GMT", 784_111_777),
        ("Tue, 19 Jan 2038 14:14:08 GMT", 2_147_523_248), ("Sun, 21 Nov 2286 04:46:39 GMT", 10_000_039_599),
        ("Thursday, 18-Aug-50 02:01:18 GMT", 2_544_400_878), ("Friday, 18-Aug-78 02:01:18 GMT", 272_253_678),
        ("Thu Aug  8 02:01:18 2050", 2_543_536_878), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Thu, 29 Feb 2024 12:00:00 GMT", 1_709_208_000), ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_799),
    ])
    func `what is a date`(text: String, seconds: Double) {
        #expect(HTTPDate.parse(text, now: Self.now)?.timeIntervalSince1970 == seconds)
    }

    @Test(arguments: [
        "", "0", "-1", "now", "Thu, 18 Aug 2050 02:01:18 UTC", "Thu, 18 Aug 2050 02:01:18 AEST",
        "Thu, 18 Aug 2050 02:01:18", "Thu, 18 Aug 50 02:01:18 GMT", "Thu 18 Aug 2050 02:01:18 GMT",
        "Thu, 18  Aug  2050 02:01:18 GMT", "Thu, 18-Aug-2050 02:01:18 GMT", "Thu, 18 Aug 2050 02.01.18 GMT",
        "Thu, 18 Aug 2050 2:01:18 GMT", "Thu, 18 Aug 2050 02:01:18 GMT ", "Thu, 8 Aug 2050 02:01:18 GMT",
        "Thx, 18 Aug 2050 02:01:18 GMT", "Thu, 18 Agu 2050 02:01:18 GMT", "Thu, 32 Aug 2050 02:01:18 GMT",
        "Thu, 29 Feb 2023 02:01:18 GMT", "Thu, 18 Aug 2050 24:01:18 GMT", "Thu, 18 Aug 2050 02:60:18 GMT",
        "Thu, 18 Aug 2050 02:01 GMT", "Thu, 18 Aug 2050 02:01:18 +0000", "Thu, 18 Aug -050 02:01:18 GMT",
        "2050-08-18T02:01:18Z", "Thu, 18 Aug 2050 02:01:18 GMT, Thu, 18 Aug 2050 02:01:18 GMT",
        "Thursday, 18 Aug 2050 02:01:18 GMT", "Thu, 18-Aug-50 02:01:18 GMT", "Thu Aug 8 02:01:18 2050",
    ])
    func `what is none`(text: String) {
        #expect(HTTPDate.parse(text, now: Self.now) == nil)
    }
}
