internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

@Suite("HTTP caching: what comes from where (RFC 9111, G2, G15)", .timeLimit(.minutes(60)), .paced)
struct HTTPCacheTests {
    private static let hour = "Cache-Control: max-age=3600"

    // MARK: - Storing and freshness

    static let freshness: [HTTPScript] = [
        HTTPScript("§3 nothing says how long", .asks("Content-Type: a/b"), .asks()),
        HTTPScript("§4.2.1 max-age", .asks(hour), .gets(after: 3599), .asks(after: 1)),
        HTTPScript("§4.2.1 Expires", .asks("Date: @0 | Expires: @60"), .gets(after: 59), .asks(after: 1)),
        HTTPScript("§4.2.2 a guess", .asks("Last-Modified: @-1000"), .gets(after: 99), .gets(.revalidated, after: 1)),
        HTTPScript("§4.2.3 Age", .asks(hour + " | Age: 3000"), .gets(after: 599, shown: "Age: 3599"), .asks(after: 1)),
        HTTPScript("§4.2.3 Date", .asks(hour + " | Date: @-3000"), .gets(after: 599), .asks(after: 1)),
        HTTPScript(
            "§5.1 Age is what it is by now", .asks(hour + " | Age: 5 | Date: @0"),
            .gets(after: 10, shown: "Age: 15 | Date: @0")),
        HTTPScript("§5.1 Age where there was none", .asks(hour), .gets(after: 10, shown: "Age: 10")),
        HTTPScript(
            "§5.3 Expires stays as it is", .asks("Date: @0 | Expires: @60"), .gets(after: 10, shown: "Expires: @60")),
        HTTPScript(
            "§4 the newest is used", .asks("Cache-Control: max-age=5"), .asks(hour, after: 5), .gets(after: 100)),
        HTTPScript("§4 another URL", .asks(hour), .asks(hour, path: "b"), .gets(), .gets(path: "b")),
        HTTPScript("§4 another query", .asks(hour, path: "a?b=1"), .asks(hour, path: "a?b=2"), .gets(path: "a?b=1")),
        HTTPScript("§3 a response that was stored stale", .asks("Cache-Control: max-age=0"), .asks()),
        HTTPScript("§5.2.2.5 no-store", .asks("Cache-Control: no-store, max-age=60"), .asks()),
        HTTPScript(
            "§5.2.2.5 a newer one says no-store", .asks("Cache-Control: max-age=5"),
            .asks("Cache-Control: no-store", after: 5), .asks(after: 0, unsent: ["If-None-Match"])),
        HTTPScript("§5.2.2.7 private", .asks("Cache-Control: private, max-age=60"), .gets()),
        HTTPScript("§5.2.2.3 must-understand", .asks("Cache-Control: max-age=60, no-store, must-understand"), .gets()),
        HTTPScript(
            "§5.2.2.4 no-cache", .asks("Cache-Control: no-cache, max-age=60 | ETag: \"a\""),
            .gets(.revalidated, sent: "If-None-Match: \"a\"")),
        HTTPScript(
            "§5.2.2.4 no-cache of a field", .asks("Cache-Control: no-cache=\"A\", max-age=60 | A: 1 | B: 2"),
            .gets(shown: "B: 2", hidden: ["A"])),
        HTTPScript("§5.2.1.5 the request says no-store", .asks(hour, "Cache-Control: no-store"), .asks()),
        HTTPScript(
            "§3.1 hop by hop", .asks(hour + " | Connection: a | A: 1 | Keep-Alive: 5 | B: 2"),
            .gets(shown: "B: 2", hidden: ["Connection", "A", "Keep-Alive"])),
        HTTPScript(
            "§3.1 cookies are for the one who asked, once",
            .asks(hour + " | Set-Cookie: a=b", shown: "Set-Cookie: a=b"), .gets(hidden: ["Set-Cookie"])),
        HTTPScript(
            "§3.1 all others", .asks(hour + " | Content-Type: a/b | X-A: 1 | Link: <b>"),
            .gets(shown: "Content-Type: a/b | X-A: 1 | Link: <b>")),
        HTTPScript(
            "§5.2 what cannot be read", .asks("Cache-Control: private; no-store | Last-Modified: @-86400"),
            .gets(.revalidated)),
        HTTPScript(
            "§5.2 two directives in one", .asks("Cache-Control: must-revalidate no-store, max-age=60 | ETag: \"a\""),
            .gets(.revalidated)),
        HTTPScript(
            "§5.2 a quoted directive, which may be any", .asks("Cache-Control: \"no-store\", max-age=60"), .asks()),
        HTTPScript("§5.2 empty members mean nothing", .asks("Cache-Control: , max-age=60, ,"), .gets()),
        HTTPScript("§5.2 an extension", .asks("Cache-Control: max-age=3600, foo=\"no-store\""), .gets()),
        HTTPScript("§5.4 Pragma of a response", .asks(hour + " | Pragma: no-cache"), .gets()),
        HTTPScript("§3 Content-Disposition", .asks(hour + " | Content-Disposition: attachment"), .gets()),
    ]

    static let statuses: [HTTPScript] =
        [200, 203, 204, 299, 301, 302, 303, 307, 308, 400, 404, 410, 499, 500, 502, 503, 504, 599].map {
            HTTPScript(
                "§3 \($0) with explicit freshness", .asks(hour, status: $0), .gets(after: 3599, as: $0),
                .asks(status: $0, after: 1))
        }
        + [200, 203, 204, 404, 405, 410, 414, 501].map {
            HTTPScript(
                "§4.2.2 \($0) is guessed", .asks("Last-Modified: @-86400", status: $0), .gets(after: 1000, as: $0))
        }
        + [201, 202, 403, 502, 503, 504, 599].map {
            HTTPScript("§4.2.2 \($0) is not", .asks("Last-Modified: @-86400", status: $0), .asks(status: $0))
        }
        + [
            HTTPScript(
                "§4.2.2 599 that is public", .asks("Cache-Control: public | Last-Modified: @-86400", status: 599),
                .gets(as: 599))
        ]

    // MARK: - Requests

    static let requests: [HTTPScript] = [
        HTTPScript(
            "§5.2.1.1 max-age=0", .asks(hour + " | ETag: \"a\""),
            .gets(.revalidated, "Cache-Control: max-age=0", sent: "If-None-Match: \"a\"")),
        HTTPScript(
            "§5.2.1.1 max-age", .asks(hour), .gets(.cached, "Cache-Control: max-age=10", after: 10),
            .asks(hour, "Cache-Control: max-age=10", after: 1)),
        HTTPScript(
            "§5.2.1.2 max-stale", .asks("Cache-Control: max-age=5"),
            .gets(.stale, "Cache-Control: max-stale=5", after: 10), .asks("", "Cache-Control: max-stale=5", after: 1)),
        HTTPScript(
            "§5.2.1.3 min-fresh", .asks(hour), .gets(.cached, "Cache-Control: min-fresh=3600"),
            .asks("", "Cache-Control: min-fresh=3600", after: 1)),
        HTTPScript(
            "§5.2.1.4 no-cache", .asks(hour + " | ETag: \"a\""), .gets(.revalidated, "Cache-Control: no-cache"), .gets()
        ),
        HTTPScript(
            "§5.2.1.7 only-if-cached", .gets(.failed, "Cache-Control: only-if-cached"), .asks(hour),
            .gets(.cached, "Cache-Control: only-if-cached")),
        HTTPScript("§5.4 Pragma", .asks(hour + " | ETag: \"a\""), .gets(.revalidated, "Pragma: no-cache")),
        HTTPScript(
            "RFC 8246 immutable", .asks("Cache-Control: max-age=60, immutable | ETag: \"a\""),
            .gets(.cached, "Cache-Control: max-age=0"), .gets(.revalidated, "Cache-Control: max-age=0", after: 61)),
        HTTPScript(
            "§4 HEAD from a GET", .asks(hour + " | A: 1"), .gets(.cached, method: "HEAD", shown: "A: 1"), .gets()),
        HTTPScript("§4 HEAD is not stored", .asks(hour, method: "HEAD"), .asks(hour)),
        HTTPScript(
            "only the cache", .gets(.failed, use: .only), .asks(hour), .gets(use: .only),
            .gets(.failed, after: 3600, use: .only)),
        HTTPScript("the cache is ignored, and filled", .asks(hour), .asks(hour, use: .ignore), .gets()),
        HTTPScript(
            "a refresh", .asks(hour + " | ETag: \"a\""),
            .asks(hour, use: .reload, sent: "Cache-Control: no-cache", unsent: ["If-None-Match"]), .gets()),
        HTTPScript(
            "shown, then asked", .asks(hour + " | ETag: \"a\""), .gets(.revalidated, use: .thenRefresh),
            .asks(hour, use: .thenRefresh), .gets()),
        HTTPScript(
            "§3.3 a range", .asks(hour),
            .gets(.cached, "Range: bytes=0-3", as: 206, shown: "Content-Range: bytes 0-3/9 | Content-Length: 4"),
            .gets()),
        HTTPScript(
            "§3.3 a range of what is stale", .asks("Cache-Control: max-age=5 | ETag: \"a\""),
            .gets(.revalidated, "Range: bytes=0-3", after: 6, as: 206)),
        HTTPScript("§3.3 a part is not stored", .asks(hour, status: 206, "Range: bytes=0-3"), .asks()),
        HTTPScript(
            "§3.3 If-Range of another", .asks(hour + " | ETag: \"a\""),
            .gets(.cached, "Range: bytes=0-3 | If-Range: \"b\"", as: 200)),
        HTTPScript(
            "§3.3 If-Range of the same", .asks(hour + " | ETag: \"a\""),
            .gets(.cached, "Range: bytes=0-3 | If-Range: \"a\"", as: 206)),
        HTTPScript(
            "§3.3 a range past its end", .asks(hour), .asks("", status: 416, "Range: bytes=90-"), .gets(of: 1)),
        HTTPScript(
            "§3.3 a range up to any number", .asks(hour),
            .gets(.cached, "Range: bytes=2-9223372036854775807", as: 206, shown: "Content-Range: bytes 2-8/9")),
        HTTPScript(
            "§3.3 a range past its end of what is stale", .asks("Cache-Control: max-age=5 | ETag: \"a\""),
            .gets(.revalidated, "Range: bytes=90-", after: 6, as: 200)),
        HTTPScript(
            "§5.2.1.7 a range past its end", .asks(hour),
            .gets(.failed, "Range: bytes=90- | Cache-Control: only-if-cached"),
            .gets(.failed, "Range: bytes=90-", use: .only)
        ),
        HTTPScript("only the cache, and no other method", .gets(.failed, method: "POST", use: .only)),
        HTTPScript(
            "only the cache, which is not refreshed",
            .asks("Cache-Control: max-age=5, stale-while-revalidate=60 | ETag: \"a\""),
            .gets(.stale, after: 6, answer: hour, use: .only, of: 1), .gets(.stale, answer: hour, use: .only, of: 1)),
        HTTPScript("§3.3 several ranges", .asks(hour), .asks("", status: 206, "Range: bytes=0-1,3-4"), .gets(of: 1)),
    ]

    // MARK: - Validation

    static let validation: [HTTPScript] = [
        HTTPScript(
            "§4.3.1 by a tag", .asks("ETag: \"a\" | Cache-Control: max-age=5"),
            .gets(.revalidated, after: 6, sent: "If-None-Match: \"a\"", shown: "Cache-Control: max-age=5")),
        HTTPScript(
            "§4.3.1 by a weak tag", .asks("ETag: W/\"a\" | Cache-Control: max-age=5"),
            .gets(.revalidated, after: 6, sent: "If-None-Match: W/\"a\"")),
        HTTPScript(
            "§4.3.1 by a date", .asks("Last-Modified: @-9 | Cache-Control: max-age=5"),
            .gets(.revalidated, after: 6, sent: "If-Modified-Since: @-9")),
        HTTPScript(
            "§4.3.1 by both", .asks("ETag: \"a\" | Last-Modified: @-9 | Cache-Control: max-age=5"),
            .gets(.revalidated, after: 6, sent: "If-None-Match: \"a\" | If-Modified-Since: @-9")),
        HTTPScript(
            "§4.3.3 another response", .asks("ETag: \"a\" | Cache-Control: max-age=5"),
            .asks(hour, after: 6, sent: "If-None-Match: \"a\""), .gets()),
        HTTPScript(
            "§4.3.3 404", .asks("ETag: \"a\" | Cache-Control: max-age=5"), .asks("", status: 404, after: 6),
            .asks(unsent: ["If-None-Match"])),
        HTTPScript(
            "§4.3.3 500 leaves it", .asks("ETag: \"a\" | Cache-Control: max-age=5"), .asks("", status: 500, after: 6),
            .gets(.revalidated, of: 1)),
        HTTPScript(
            "§4.3.3 429 leaves it", .asks("ETag: \"a\" | Cache-Control: max-age=5"), .asks("", status: 429, after: 6),
            .gets(.revalidated, of: 1)),
        HTTPScript(
            "§4.3.4 it is fresh again", .asks("ETag: \"a\" | Cache-Control: max-age=5"), .gets(.revalidated, after: 6),
            .gets(after: 4), .gets(.revalidated, after: 2)),
        HTTPScript(
            "§4.3.4 for as long as the 304 says", .asks("ETag: \"a\" | Cache-Control: max-age=5"),
            .gets(.revalidated, after: 6, answer: hour), .gets(after: 3599)),
        HTTPScript(
            "§4.3.4 its fields", .asks("ETag: \"a\" | Cache-Control: max-age=5 | A: 1 | B: 2"),
            .gets(.revalidated, after: 6, answer: "A: 3 | C: 4", shown: "A: 3 | B: 2 | C: 4"),
            .gets(shown: "A: 3 | B: 2 | C: 4")),
        HTTPScript(
            "§3.2 the length stays", .asks("ETag: \"a\" | Cache-Control: max-age=5 | Content-Length: 9"),
            .gets(.revalidated, after: 6, answer: "Content-Length: 0", shown: "Content-Length: 9"),
            .gets(shown: "Content-Length: 9")),
        HTTPScript(
            "§3.2 the coding stays", .asks("ETag: \"a\" | Cache-Control: max-age=5 | Content-Encoding: x"),
            .gets(.revalidated, after: 6, answer: "Content-Encoding: y", shown: "Content-Encoding: x")),
        HTTPScript(
            "§4.3.4 Age of the 304", .asks("ETag: \"a\" | Cache-Control: max-age=5 | Age: 4"),
            .gets(.revalidated, after: 6), .gets(after: 4)),
        HTTPScript(
            "§4.3.4 a 304 about another tag", .asks("ETag: \"a\" | Cache-Control: max-age=5"),
            .asks("ETag: \"b\"", status: 304, after: 6, unsent: ["If-None-Match"])),
        HTTPScript(
            "§4.3.4 a 304 that says no-store", .asks("ETag: \"a\" | Cache-Control: max-age=5"),
            .gets(.revalidated, after: 6, answer: "Cache-Control: no-store"), .asks(unsent: ["If-None-Match"])),
        HTTPScript(
            "§4.3.4 a 304 that says Vary: *", .asks("ETag: \"a\" | Cache-Control: max-age=5"),
            .gets(.revalidated, after: 6, answer: "Vary: *"), .asks(unsent: ["If-None-Match"])),
        HTTPScript(
            "§4.3.4 a 304 with another Vary", .asks("ETag: \"a\" | Cache-Control: max-age=5"),
            .gets(.revalidated, "Foo: 1", after: 6, answer: "Vary: Foo | Cache-Control: max-age=60"),
            .gets(.cached, "Foo: 1"), .asks("", "Foo: 2")),
        HTTPScript(
            "§4.3.4 a 404 that has not changed", .asks("ETag: \"a\" | Cache-Control: max-age=5", status: 404),
            .gets(.revalidated, after: 6, as: 404)),
        HTTPScript(
            "§4.3.2 the caller's own condition", .asks(hour + " | ETag: \"a\" | A: 1"),
            .gets(.cached, "If-None-Match: \"a\"", as: 304, shown: "ETag: \"a\"", hidden: ["A"]), .gets()),
        HTTPScript(
            "§4.3.2 another tag", .asks(hour + " | ETag: \"a\""), .gets(.cached, "If-None-Match: \"b\"", as: 200)),
        HTTPScript(
            "§4.3.2 its date", .asks(hour + " | Last-Modified: @-9"), .gets(.cached, "If-Modified-Since: @-9", as: 304)),
        HTTPScript(
            "§4.3.2 an older date", .asks(hour + " | Last-Modified: @-9"),
            .gets(.cached, "If-Modified-Since: @-10", as: 200)),
        HTTPScript(
            "§4.3.2 it reaches the server as it is", .asks("Cache-Control: max-age=5 | ETag: \"a\""),
            .asks(
                "", status: 304, "If-None-Match: \"b\", \"c\"", after: 6, sent: "If-None-Match: \"b\", \"c\"",
                unsent: ["If-Modified-Since"])),
        HTTPScript(
            "§4.3.2 and its 304 reaches the caller",
            .asks("", status: 304, "If-None-Match: \"a\"", sent: "If-None-Match: \"a\"")),
        HTTPScript(
            "§4.3.4 and freshens what is stored", .asks("Cache-Control: max-age=5 | ETag: \"a\""),
            .asks(hour + " | ETag: \"a\"", status: 304, "If-None-Match: \"a\"", after: 6), .gets(of: 1)),
        HTTPScript("§4.3.2 200 to it is stored", .asks(hour, "If-None-Match: \"a\""), .gets()),
        HTTPScript(
            "§4.3.4 a 304 about the caller's version says nothing of another",
            .asks("Cache-Control: max-age=5 | ETag: \"a\""),
            .asks(hour, status: 304, "If-None-Match: \"b\"", after: 6), .gets(.revalidated, of: 1)),
        HTTPScript(
            "§4.3.4 nor one about the caller's date", .asks("Cache-Control: max-age=5 | Last-Modified: @-9"),
            .asks(hour, status: 304, "If-Modified-Since: @0", after: 6), .gets(.revalidated, of: 1)),
        HTTPScript(
            "§4.3.1 * is no tag", .asks("Cache-Control: max-age=5 | ETag: *"),
            .asks(after: 6, unsent: ["If-None-Match"])),
        HTTPScript(
            "§4.3.1 nor are two", .asks("Cache-Control: max-age=5 | ETag: \"a\" | ETag: \"b\""),
            .asks(after: 6, unsent: ["If-None-Match"])),
        HTTPScript(
            "§4.3.5 HEAD says no-store", .asks("Cache-Control: max-age=5 | ETag: \"a\""),
            .asks("Cache-Control: no-store | ETag: \"a\"", method: "HEAD", after: 6), .asks(unsent: ["If-None-Match"])),
        HTTPScript(
            "§4.3.5 HEAD says Vary: *", .asks("Cache-Control: max-age=5 | ETag: \"a\""),
            .asks(hour + " | Vary: * | ETag: \"a\"", method: "HEAD", after: 6), .asks(unsent: ["If-None-Match"])),
        HTTPScript(
            "§4.3.5 HEAD updates", .asks("Cache-Control: max-age=5 | A: 1"),
            .asks(hour + " | A: 2", method: "HEAD", after: 6), .gets(of: 1, shown: "A: 2")),
        HTTPScript(
            "§4.3.5 HEAD keeps what it does not say", .asks("Cache-Control: max-age=5 | A: 1"),
            .asks(hour, method: "HEAD", after: 6), .gets(of: 1, shown: "A: 1")),
        HTTPScript(
            "§4.3.5 HEAD of another tag", .asks("Cache-Control: max-age=5 | ETag: \"a\""),
            .asks(hour + " | ETag: \"b\"", method: "HEAD", after: 6), .asks(unsent: ["If-None-Match"])),
        HTTPScript(
            "§4.3.5 HEAD of another length", .asks("Cache-Control: max-age=5 | Content-Length: 9"),
            .asks(hour + " | Content-Length: 8", method: "HEAD", after: 6), .asks()),
        HTTPScript(
            "§4.3.5 HEAD with 410 updates nothing", .asks("Cache-Control: max-age=5 | ETag: \"a\""),
            .asks(hour, status: 410, method: "HEAD", after: 6), .gets(.revalidated, of: 1)),
    ]

    // MARK: - Vary

    private static let foo = hour + " | Vary: Foo"

    static let variants: [HTTPScript] = [
        HTTPScript("§4.1 the same fields", .asks(foo, "Foo: 1"), .gets(.cached, "Foo: 1")),
        HTTPScript("§4.1 other fields", .asks(foo, "Foo: 1"), .asks(foo, "Foo: 2")),
        HTTPScript(
            "§4.1 two responses", .asks(foo, "Foo: 1"), .asks(foo, "Foo: 2"), .gets(.cached, "Foo: 1", of: 1),
            .gets(.cached, "Foo: 2", of: 2)),
        HTTPScript(
            "§4.1 three responses", .asks(foo, "Foo: 1"), .asks(foo, "Foo: 2"), .asks(foo),
            .gets(.cached, "Foo: 1", of: 1), .gets(.cached, of: 3), .gets(.cached, "Foo: 2", of: 2)),
        HTTPScript(
            "§4.1 fields that are not named", .asks(foo, "Foo: 1 | Other: 2"), .gets(.cached, "Foo: 1 | Other: 3")),
        HTTPScript("§4.1 Vary: *", .asks(hour + " | Vary: *"), .asks()),
        HTTPScript("§4.1 two names in one", .asks(hour + " | Vary: Foo Bar"), .asks()),
        HTTPScript("§4.1 a quoted name", .asks(hour + " | Vary: \"Foo\""), .asks()),
        HTTPScript("§4.1 a semicolon", .asks(hour + " | Vary: Foo;Bar"), .asks()),
        HTTPScript(
            "§4.1 a longer Vary replaces the one that matched", .asks(foo, "Foo: 1"), .asks(foo, "Foo: 2"),
            .asks(foo + ", Bar", "Foo: 1 | Bar: 1", use: .ignore), .gets(.cached, "Foo: 1 | Bar: 1"),
            .asks(foo + ", Bar", "Foo: 1 | Bar: 2"), .gets(.cached, "Foo: 2", of: 2)),
        HTTPScript(
            "§4.1 so does that of a 304", .asks(foo + " | ETag: \"a\"", "Foo: 1"), .asks(foo, "Foo: 2"),
            .gets(
                .revalidated, "Foo: 1 | Bar: 1 | Cache-Control: no-cache", answer: "Vary: Foo, Bar | ETag: \"a\"", of: 1
            ),
            .asks(hour, "Foo: 1 | Bar: 2")),
        HTTPScript("§4.1 the stored request had none", .asks(foo), .asks(foo, "Foo: 1")),
        HTTPScript("§4.1 the new request has none", .asks(foo, "Foo: 1"), .asks(foo)),
        HTTPScript("§4.1 lines are joined", .asks(foo, "Foo: 1, 2"), .gets(.cached, "Foo: 1 | Foo: 2")),
        HTTPScript("§4.1 spaces", .asks(foo, "Foo: 1,2"), .gets(.cached, "Foo: 1 ,  2")),
        HTTPScript(
            "§4.1 languages", .asks(hour + " | Vary: accept-language", "Accept-Language: en, de"),
            .gets(.cached, "Accept-Language: EN,DE")),
        HTTPScript(
            "§4.1 one of them is newer", .asks(foo, "Foo: 1"), .asks(foo, "Foo: 2"), .asks(foo, "Foo: 1", use: .ignore),
            .gets(.cached, "Foo: 1", of: 3), .gets(.cached, "Foo: 2", of: 2)),
        HTTPScript(
            "§4.1 one without Vary is for all", .asks(foo, "Foo: 1"), .asks(foo, "Foo: 2"), .asks(hour, "Foo: 3"),
            .gets(.cached, "Foo: 1", of: 3)),
        HTTPScript(
            "§4.1 one with Vary is no more for all", .asks(hour), .asks(foo, "Foo: 1", use: .ignore),
            .gets(.cached, "Foo: 1"), .asks(foo, "Foo: 2")),
        HTTPScript(
            "§4.1 another Vary", .asks(foo, "Foo: 1"), .asks(hour + " | Vary: Bar", "Foo: 2 | Bar: 1"),
            .gets(.cached, "Foo: 9 | Bar: 1", of: 2), .gets(.cached, "Foo: 1 | Bar: 2", of: 1)),
        HTTPScript(
            "§4.3.1 by the tags of all", .asks(foo + " | ETag: \"a\"", "Foo: 1"),
            .asks(foo + " | ETag: \"b\"", "Foo: 2", sent: "If-None-Match: \"a\""),
            .asks(foo + " | ETag: \"c\"", "Foo: 3", sent: "If-None-Match: \"b\", \"a\"")),
        HTTPScript(
            "§4.3.4 a 304 chooses one for other fields", .asks(foo + " | ETag: \"a\"", "Foo: 1"),
            .asks(foo + " | ETag: \"b\"", "Foo: 2"), .gets(.revalidated, "Foo: 3", answer: "ETag: \"a\"", of: 1),
            .gets(.cached, "Foo: 3", of: 1), .gets(.cached, "Foo: 2", of: 2)),
        HTTPScript(
            "§4.3.4 a 304 that chooses none of several", .asks(foo + " | ETag: \"a\"", "Foo: 1"),
            .asks(foo + " | ETag: \"b\"", "Foo: 2"), .asks("", status: 304, "Foo: 3", unsent: ["If-None-Match"])),
        HTTPScript(
            "§4.3.4 one of several is validated", .asks("Cache-Control: max-age=5 | Vary: Foo | ETag: \"a\"", "Foo: 1"),
            .asks(foo + " | ETag: \"b\"", "Foo: 2"),
            .gets(
                .revalidated, "Foo: 1", after: 6, answer: "ETag: \"a\" | Cache-Control: max-age=60", of: 1,
                sent: "If-None-Match: \"a\", \"b\""), .gets(.cached, "Foo: 1", of: 1), .gets(.cached, "Foo: 2", of: 2)),
        HTTPScript(
            "§4.1 Cookie", .asks(hour + " | Vary: Cookie", "Cookie: a=b"), .gets(.cached, "Cookie: a=b"),
            .asks(hour, "Cookie: a=c")),
    ]

    // MARK: - Invalidation

    static let invalidation: [HTTPScript] =
        ["POST", "PUT", "DELETE", "PATCH", "M-SEARCH"].flatMap {
            [
                HTTPScript("§4.4 \($0)", .asks(hour), .asks("", method: $0), .asks()),
                HTTPScript("§4.4 \($0) that failed", .asks(hour), .asks("", status: 500, method: $0), .gets(of: 1)),
            ]
        } + [
            HTTPScript("§4.4 302", .asks(hour), .asks("Location: /c", status: 302, method: "POST"), .asks()),
            HTTPScript(
                "§4.4 Location", .asks(hour, path: "b"), .asks("Location: /b", status: 201, method: "POST"),
                .asks(path: "b")),
            HTTPScript(
                "§4.4 Content-Location", .asks(hour, path: "b"), .asks("Content-Location: b", method: "PUT"),
                .asks(path: "b")),
            HTTPScript(
                "§4.4 Location of another origin", .asks(hour, path: "b"),
                .asks("Location: https://other.test/b", status: 201, method: "POST"), .gets(path: "b")),
            HTTPScript(
                "§4.4 each Content-Location", .asks(hour, path: "b"),
                .asks("Content-Location: http://[ | Content-Location: b", method: "PUT"), .asks(path: "b")),
            HTTPScript("§4.4 OPTIONS is safe", .asks(hour), .asks("", method: "OPTIONS"), .gets(of: 1)),
            HTTPScript(
                "§4.4 all of several", .asks(hour + " | Vary: Foo", "Foo: 1"), .asks(hour + " | Vary: Foo", "Foo: 2"),
                .asks("", method: "POST"), .asks("", "Foo: 1"), .asks("", "Foo: 2")),
            HTTPScript(
                "§4 POST is not answered", .asks(hour), .asks(hour, method: "POST"), .asks(hour, method: "POST")),
        ]

    // MARK: - Stale

    private static let refreshing = "Cache-Control: max-age=5, stale-while-revalidate=60 | ETag: \"a\""
    private static let surviving = "Cache-Control: max-age=5, stale-if-error=60"

    static let stale: [HTTPScript] = [
        HTTPScript(
            "§4.2.4 a connection that is lost", .asks("Cache-Control: max-age=5"), .gets(.failed, after: 6, answer: nil)
        ),
        HTTPScript("§4.2.4 503", .asks("Cache-Control: max-age=5"), .asks("", status: 503, after: 6)),
        HTTPScript(
            "RFC 5861 §3 it is refreshed", .asks(refreshing),
            .gets(.stale, after: 6, answer: hour, status: 304, of: 1, sent: "If-None-Match: \"a\""),
            .gets(after: 3000, of: 1)),
        HTTPScript(
            "RFC 5861 §3 by another one", .asks(refreshing), .gets(.stale, after: 6, answer: hour, status: 200, of: 1),
            .gets(of: 2)),
        HTTPScript(
            "RFC 5861 §3 in vain", .asks(refreshing), .gets(.stale, after: 6, answer: nil, of: 1),
            .gets(.stale, after: 6, answer: nil, of: 1)),
        HTTPScript("RFC 5861 §3 too late", .asks(refreshing), .gets(.revalidated, after: 66)),
        HTTPScript(
            "RFC 5861 §3 the response that it chose is refreshed", .asks(refreshing + " | Vary: Foo", "Foo: 1"),
            .asks(hour + " | Vary: Foo", "Foo: 2"),
            .gets(.stale, "Foo: 1", after: 6, answer: hour + " | Vary: Foo", status: 200, of: 1),
            .gets(.cached, "Foo: 1", of: 3), .gets(.cached, "Foo: 2", of: 2)),
        HTTPScript(
            "RFC 5861 §4 a connection that is lost", .asks(surviving),
            .gets(.stale, after: 6, answer: nil, of: 1, shown: "Age: 6"), .asks(after: 0)),
        HTTPScript("RFC 5861 §4 500", .asks(surviving), .gets(.stale, after: 6, status: 500, of: 1, as: 200)),
        HTTPScript("RFC 5861 §4 502", .asks(surviving), .gets(.stale, after: 6, status: 502, of: 1, as: 200)),
        HTTPScript("RFC 5861 §4 503", .asks(surviving), .gets(.stale, after: 6, status: 503, of: 1, as: 200)),
        HTTPScript("RFC 5861 §4 504", .asks(surviving), .gets(.stale, after: 6, status: 504, of: 1, as: 200)),
        HTTPScript("RFC 5861 §4 not 501", .asks(surviving), .asks("", status: 501, after: 6)),
        HTTPScript("RFC 5861 §4 too late", .asks(surviving), .gets(.failed, after: 66, answer: nil)),
        HTTPScript(
            "RFC 5861 §4 must-revalidate", .asks("Cache-Control: max-age=5, stale-if-error=60, must-revalidate"),
            .gets(.failed, after: 6, answer: nil)),
        HTTPScript(
            "RFC 5861 §4 no-cache", .asks("Cache-Control: no-cache, stale-if-error=60 | ETag: \"a\""),
            .gets(.failed, after: 6, answer: nil)),
        HTTPScript(
            "RFC 5861 §4 of the request", .asks("Cache-Control: max-age=5"),
            .gets(.stale, "Cache-Control: stale-if-error=60", after: 6, answer: nil)),
    ]

    // MARK: - Playing

    @Test(arguments: Self.freshness)
    func `what is stored, and how long it is fresh`(script: HTTPScript) async throws {
        try await HTTPScriptPlayer().play(script)
    }

    @Test(arguments: Self.statuses)
    func `which statuses are stored`(script: HTTPScript) async throws { try await HTTPScriptPlayer().play(script) }

    @Test(arguments: Self.requests)
    func `what requests ask for`(script: HTTPScript) async throws { try await HTTPScriptPlayer().play(script) }

    @Test(arguments: Self.validation)
    func `how stored responses are validated`(script: HTTPScript) async throws {
        try await HTTPScriptPlayer().play(script)
    }

    @Test(arguments: Self.variants)
    func `which of several responses is chosen`(script: HTTPScript) async throws {
        try await HTTPScriptPlayer().play(script)
    }

    @Test(arguments: Self.invalidation)
    func `what unsafe requests invalidate`(script: HTTPScript) async throws {
        try await HTTPScriptPlayer().play(script)
    }

    @Test(arguments: Self.stale)
    func `when stale responses are used`(script: HTTPScript) async throws { try await HTTPScriptPlayer().play(script) }

    @Test(arguments: Self.variants + Self.validation)
    func `the same on disk`(script: HTTPScript) async throws {
        let folder = try TestFolder()
        try await HTTPScriptPlayer(cache: DiskCache(folder: folder.file("cache"), maximumAge: .seconds(1e12))).play(
            script)
    }
}
