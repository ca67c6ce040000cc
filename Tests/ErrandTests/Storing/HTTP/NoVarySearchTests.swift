internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

@Suite("HTTP caching: No-Vary-Search", .timeLimit(.minutes(60)), .paced)
struct NoVarySearchTests {
    @Test(arguments: [
        ("params", "a=1&b=2", "", true), ("params=?1", "a=1", "c=2", true), ("params=?0", "a=1", "a=2", false),
        ("params=(\"a\")", "a=1&b=2", "b=2", true), ("params=(\"a\")", "a=1&b=2", "b=3", false),
        ("params=(\"a\" \"b\")", "a=1&b=2&c=3", "c=3", true), ("params=()", "a=1", "", false),
        ("params, except=(\"a\")", "a=1&b=2", "a=1", true), ("params, except=(\"a\")", "a=1", "a=2", false),
        ("key-order", "a=1&b=2", "b=2&a=1", true), ("key-order", "a=1&a=2", "a=2&a=1", false),
        ("key-order=?0", "a=1&b=2", "b=2&a=1", false), ("params=(\"a\"), key-order", "b=1&c=2&a=3", "c=2&b=1", true),
        ("params=(\"a b\")", "a+b=1", "", true), ("params=(\"a+b\")", "a%20b=1", "", true),
        ("params=(\"%C3%A9\")", "%c3%a9=1", "", true), ("key-order", "a=%41", "a=A", true),
        ("params=(\"a\")", "A=1", "", false), ("key-order", "a", "a=", true),
        ("key-order", "a=1&&b=2", "a=1&b=2", true), ("params, new", "a=1", "", true),
        ("params=(\"a\"), later=1;x, *=(x \"y\")", "a=1", "", true),
        ("params=(\"b\"), params=(\"a\")", "a=1", "", true),
        ("params=(\"a\"), params=(\"b\")", "a=1", "", false), ("params=?1;x=1", "a=1", "", true),
        ("params=(\"a)b\")", "a)b=1", "", true), ("params=(\"a\\\"\")", "a%22=1", "", true),
        // Names that only look alike, and a delimiter with a combining mark behind it, which decides nothing here.
        ("params=(\"%C3%A9\")", "e%CC%81=1", "e%CC%81=2", false), ("params=(\"K\")", "%E2%84%AA=1", "", false),
        ("params=(\"a\")", "a=1&\u{301}b=2", "a=3&\u{301}b=2", true),
    ])
    func `which queries are the same`(rule: String, first: String, second: String, isSame: Bool) {
        let search = NoVarySearch(rule)
        #expect((search.map { $0.normalized(first) == $0.normalized(second) } ?? false) == isSame)
    }

    @Test(arguments: [
        "", "params=a", "params=\"a\"", "params=(a)", "params=(\"a\"", "except=(\"a\")",
        "params=(\"a\"), except=(\"b\")",
        "params=?0, except=(\"b\")", "key-order=(\"a\")", "params, ", "Params", "params;", "params=?2", "other", ",",
        "params, new=", "params=1", "params=(a \"b\")", "params, except", "params=%\"a\"", "key-order=1, params",
    ])
    func `what says nothing`(value: String) {
        #expect(NoVarySearch(value) == nil)
    }

    @Test func `no field says nothing, and neither does one that is too long`() {
        #expect(NoVarySearch(nil) == nil)
        func rule(_ count: Int) -> String { "params=(\(String(repeating: "\"a\" ", count: count)))" }
        #expect(NoVarySearch(rule(1_000)) != nil)
        #expect(NoVarySearch(rule(1_100)) == nil)
    }

    private static let rule = "Cache-Control: max-age=60 | ETag: \"a\" | No-Vary-Search: params=(\"t\")"

    static let scripts: [HTTPScript] = [
        HTTPScript("another value", .asks(rule, path: "a?t=1"), .gets(path: "a?t=2", of: 1)),
        HTTPScript("no query", .asks(rule, path: "a?t=1"), .gets(path: "a", of: 1)),
        HTTPScript("another parameter", .asks(rule, path: "a?t=1"), .asks(rule, path: "a?b=2")),
        HTTPScript("another path", .asks(rule, path: "a?t=1"), .asks(path: "b?t=1")),
        HTTPScript(
            "validated by another URL", .asks(rule, path: "a?t=1"),
            .gets(.revalidated, path: "a?t=2", after: 61, of: 1), .gets(path: "a?t=3", of: 1)),
        HTTPScript(
            "invalidated by another URL", .asks(rule, path: "a?t=1"), .asks("", method: "POST", path: "a?t=2"),
            .asks(path: "a?t=1")),
        HTTPScript(
            "a newer one says nothing of it", .asks(rule, path: "a?t=1"),
            .asks("Cache-Control: max-age=60", path: "a?t=1", after: 61), .asks(path: "a?t=2"),
            .gets(path: "a?t=1", of: 2)),
        HTTPScript(
            "with Vary", .asks(rule + " | Vary: Foo", "Foo: 1", path: "a?t=1"),
            .asks(rule + " | Vary: Foo", "Foo: 2", path: "a?t=2"), .gets(.cached, "Foo: 1", path: "a?t=3", of: 1),
            .gets(.cached, "Foo: 2", path: "a?t=4", of: 2)),
    ]

    @Test(arguments: Self.scripts)
    func `what is stored for several URLs`(script: HTTPScript) async throws {
        try await HTTPScriptPlayer().play(script)
    }

    @Test func `queries whose names and values run together are told apart`() throws {
        let rule = try #require(NoVarySearch("params=(\"x\")"))
        #expect(rule.normalized("ab=c") != rule.normalized("a=bc"))
        #expect(rule.normalized("a=bc&x=1") == rule.normalized("a=bc"))
    }
}
