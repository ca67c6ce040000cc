internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

@Suite("HTTP caching: Vary (RFC 9111 §4.1)", .timeLimit(.minutes(60)), .paced)
struct HTTPVaryTests {
    @Test(arguments: [
        ("*", true), ("*, *", true), (", *", true), ("*, Foo", true), ("Foo, *", true), ("Foo", false), ("", false),
        ("**", false), ("Foo,, Bar", false),
    ])
    func `§4.1 a star among the names`(value: String, isAny: Bool) {
        #expect(HTTPVary(["Vary": value]).isAny == isAny)
        #expect(
            HTTPVary(HTTPFields([HTTPField(name: "Vary", value: ""), HTTPField(name: "vary", value: value)])).isAny
                == isAny)
    }

    @Test func `§4.1 more names than are told apart are as a star`() {
        let names = (0..<12_000).map { "X-\($0)" }
        let few = HTTPVary(["Vary": names.prefix(HTTPVary.mostNames).joined(separator: ",")])
        #expect(!few.isAny)
        #expect(few.names.count == HTTPVary.mostNames)
        #expect(few.nominated(by: ["X-1": "a"]).match(["X-1": "a"]))
        let many = HTTPVary(["Vary": names.joined(separator: ",")])
        #expect(many.isAny)
        #expect(many.names.isEmpty)
        #expect(!HTTPVary(["Vary": String(repeating: "Foo, ", count: 12_000)]).isAny)
        // Such as an entry that somebody has made.
        #expect(!names.map { CacheEntry.NominatedField(name: $0, value: nil) }.match([:]))
    }

    @Test func `§4.1 what varies by more names than are told apart is asked for each time`() async throws {
        let vary = (0..<200).map { "X-\($0)" }.joined(separator: ",")
        let answer = "Cache-Control: max-age=60 | ETag: \"a\" | Vary: \(vary)"
        try await HTTPScriptPlayer().play(HTTPScript("many names", .asks(answer), .asks(answer)))
    }

    struct Example: Sendable, CustomTestStringConvertible {
        let title: String
        let vary: String
        let first: String
        let second: String
        let matches: Bool

        init(_ title: String, _ vary: String, _ first: String, _ second: String, _ matches: Bool) {
            (self.title, self.vary, self.first, self.second, self.matches) = (title, vary, first, second, matches)
        }

        var testDescription: String { self.title }
    }

    static let examples = [
        Example("§4.1 the same", "Foo", "Foo: 1", "Foo: 1", true),
        Example("§4.1 another value", "Foo", "Foo: 1", "Foo: 2", false),
        Example("§4.1 the stored request had none", "Foo", "", "Foo: 1", false),
        Example("§4.1 the new request has none", "Foo", "Foo: 1", "", false),
        Example("§4.1 neither has one", "Foo", "", "", true),
        Example("§4.1 none is not an empty one", "Foo", "Foo:", "", false),
        Example("§4.1 names in other case", "FOO", "foo: 1", "Foo: 1", true),
        Example("§4.1 fields that are not named", "Foo", "Foo: 1 | Bar: 1", "Foo: 1 | Bar: 2", true),
        Example("§4.1 two fields", "Foo, Bar", "Foo: 1 | Bar: a", "Bar: a | Foo: 1", true),
        Example("§4.1 two fields, one differs", "Foo, Bar", "Foo: 1 | Bar: a", "Foo: 1 | Bar: b", false),
        Example("§4.1 two fields, one is missing", "Foo, Bar", "Foo: 1 | Bar: a", "Foo: 1", false),
        Example("§4.1 three fields in another order", "A, B, C", "A: 1 | B: 2 | C: 3", "C: 3 | A: 1 | B: 2", true),
        Example("§4.1 no field at all", "", "Foo: 1", "Foo: 2", true),
        Example("§4.1 several lines", "Foo", "Foo: 1, 2", "Foo: 1 | Foo: 2", true),
        Example("§4.1 spaces around commas", "Foo", "Foo: 1,2", "Foo:  1, 2 ", true),
        Example("§4.1 tabs", "Foo", "Foo: 1,2", "Foo: 1\t,\t2", true),
        Example("§4.1 empty members", "Foo", "Foo: 1,2", "Foo: 1,,2,", true),
        Example("§4.1 spaces around parameters", "Accept", "Accept: a/b;q=0.5", "Accept: a/b ; q=0.5", true),
        Example("§4.1 spaces in a quoted string", "Foo", "Foo: \"a,b\"", "Foo: \"a, b\"", false),
        Example("§4.1 spaces in a value", "Foo", "Foo: a b", "Foo: ab", false),
        Example("§4.1 the order in a field of unknown meaning", "Foo", "Foo: 1, 2", "Foo: 2, 1", false),
        Example("§4.1 case in a field of unknown meaning", "Foo", "Foo: a", "Foo: A", false),
        Example(
            "§4.1 case of languages", "Accept-Language", "Accept-Language: en, de", "Accept-Language: eN, De", true),
        Example(
            "§4.1 spaces of languages", "Accept-Language", "Accept-Language: en, de", "Accept-Language:  en ,   de",
            true),
        Example(
            "§4.1 the order of languages counts to some servers", "Accept-Language", "Accept-Language: en, de",
            "Accept-Language: de, en", false),
        Example(
            "§4.1 the order of codings", "Accept-Encoding", "Accept-Encoding: gzip, br", "Accept-Encoding: br, GZIP",
            true),
        Example("§4.1 another coding", "Accept-Encoding", "Accept-Encoding: gzip, br", "Accept-Encoding: gzip", false),
    ]

    @Test(arguments: Self.examples)
    func `which request matches`(example: Example) {
        let vary = HTTPVary(["Vary": example.vary])
        let nominated = vary.nominated(by: HTTPCaseText.fields(example.first))
        #expect(nominated.match(HTTPCaseText.fields(example.second)) == example.matches)
    }

    @Test(arguments: ["Cookie", "Authorization", "X-Api-Key"])
    func `a secret is kept as a digest (G14)`(name: String) throws {
        let vary = HTTPVary(["Vary": name])
        let nominated = vary.nominated(by: [name: "my secret"])
        #expect(nominated.first?.value?.contains("my secret") == false)
        #expect(nominated.match([name: "my secret"]) && !nominated.match([name: "another"]))
    }

    // MARK: - One in place of another

    private static let foo = "Cache-Control: max-age=60 | Vary: Foo"

    @Test func `§4.1 a response takes the place of the one that it is newer than, whatever fields it depends on`()
        async throws
    {
        let memory = MemoryCache()
        try await HTTPScriptPlayer(cache: memory).play(
            HTTPScript(
                "another Vary", .asks(Self.foo + " | ETag: \"a\"", "Foo: 1"),
                .asks(Self.foo + " | ETag: \"b\"", "Foo: 2"),
                .asks("Cache-Control: max-age=60 | Vary: Bar | ETag: \"c\"", "Foo: 1", use: .ignore),
                .asks("", "Foo: 1 | Bar: 1", sent: "If-None-Match: \"c\", \"b\"")))
        // The list, and the two that are in it.
        #expect(memory.count == 3)
    }

    @Test func `§4.1 nor is one left beside it that others have stored while it was on its way`() async throws {
        let world = FixtureWorld {
            $0.cache = MemoryCache()
            $0.options = $0.options.caching(.http)
        }
        let gate = StubGate()
        world.transport.route(where: { _ in true }) { _, number in
            let fields: HTTPFields = ["Cache-Control": "max-age=60", "Vary": number == 2 ? "Bar" : "Foo"]
            let reply = StubReply.text("\(number)", headers: fields)
            return number == 2 ? reply.held(by: gate) : reply
        }
        func call(_ fields: HTTPFields) -> FixtureText { FixtureText { $0.headers = fields } }
        #expect(try await world.client.send(call(["Foo": "2"])) == "1")
        let slow = world.client.request(call(["Foo": "1"]))
        await slow.start()
        await gate.waitUntilReached()
        #expect(try await world.client.send(call(["Foo": "1"])) == "3")
        gate.open()
        #expect(try await slow.value == "2")
        #expect(try await world.client.send(call(["Foo": "1"])) == "2")
        #expect(try await world.client.send(call(["Foo": "1", "Bar": "1"])) == "4")
    }
}
