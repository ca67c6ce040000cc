internal import TestEffort
internal import Testing

@testable internal import Errand

@Suite("Structured fields (RFC 9651)", .timeLimit(.minutes(60)), .paced)
struct StructuredFieldTests {
    private static let items: [(text: String, value: StructuredField.BareItem?)] = [
        ("5", .integer(5)), ("-007;a=1", .integer(-7)), ("999999999999999", .integer(999_999_999_999_999)),
        ("9999999999999999", nil), ("-", nil), ("+1", nil), ("1.5", .decimal(1.5)), ("1.", nil), ("1.1234", nil),
        ("1234567890123.1", nil), ("\"a\\\"b\\\\\"", .string("a\"b\\")), ("\"a", nil), ("\"\\a\"", nil),
        ("\"é\"", nil), ("*a/b:c", .token("*a/b:c")), ("a b", nil), ("", nil), ("?1", .boolean(true)),
        ("?0; b", .boolean(false)), ("?2", nil), ("?", nil), ("@1659578233", .date(1_659_578_233)), ("@1.5", nil),
        ("%\"f%c3%bcr\"", .displayString("für")), ("%\"%C3%BC\"", nil), ("%\"%c3\"", nil), ("%a", nil),
        ("  5  ", .integer(5)), ("5;A=1", nil), ("5;", nil), ("5;a=", nil), ("5 ;a", nil), ("5,", nil),
    ]

    @Test(arguments: Self.items)
    func `an item is its value, or malformed as a whole`(text: String, value: StructuredField.BareItem?) {
        #expect(StructuredField.item(text)?.value == value)
    }

    private static let sequences: [(text: String, bytes: [UInt8]?)] = [
        (":aGk=:", [0x68, 0x69]), (":aGk:", [0x68, 0x69]), (":aA==:", [0x68]), (":aA:", [0x68]), (":aB:", [0x68]),
        ("::", []), (":aGlq:", [0x68, 0x69, 0x6A]), (":a:", nil), (":aA=:", nil), (":aA===:", nil), (":aG=k:", nil),
        (":aG-_:", nil), (":a Gk:", nil), (":aGk", nil),
    ]

    @Test(arguments: Self.sequences)
    func `the padding of a byte sequence may be missing`(text: String, bytes: [UInt8]?) {
        #expect(StructuredField.item(text)?.value.bytes == bytes)
    }

    @Test func `of a repeated key the last one counts`() {
        let members = StructuredField.dictionary("a=1, b, a=2;x=1;x=2")
        #expect(members?.count == 2)
        #expect(members?["a"] == .item(.init(value: .integer(2), parameters: ["x": .integer(2)])))
        #expect(members?["b"]?.value == .boolean(true))
    }

    @Test(arguments: [
        "a=1,", ",", "a=1 b=2", "A=1", "a==1", "a=(1 2", "a=(1,2)", "a=(\"1\"\"2\")", "a=1;;b", "a=\"", "1=a", "a, ,b",
    ])
    func `a dictionary that is malformed anywhere is none`(text: String) {
        #expect(StructuredField.dictionary(text) == nil)
    }

    @Test func `a list has items and inner lists`() {
        let list = StructuredField.list("a;q=1 ,\t(  \"b\" c );d, ()")
        #expect(
            list == [
                .item(.init(value: .token("a"), parameters: ["q": .integer(1)])),
                .innerList(
                    [
                        .init(value: .string("b"), parameters: [:]), .init(value: .token("c"), parameters: [:]),
                    ], ["d": .boolean(true)]),
                .innerList([], [:]),
            ])
        #expect(StructuredField.list("")?.isEmpty == true)
    }

    @Test func `lines of one field are one value`() {
        var fields: HTTPFields = ["X": "a=1, b=2"]
        fields.append(name: "x", value: "a=3")
        #expect(fields.structuredDictionary("X")?["a"]?.value == .integer(3))
        #expect(fields.structuredItem("Y") == nil)
    }

    private static let digest = SHA256(of: "hello")
    private static let base64 = "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ"

    private static let digests: [(field: String, isFound: Bool)] = [
        ("sha-256=:\(base64)=:", true), ("sha-256=:\(base64):", true),
        ("sha-512=:AA==:, sha-256=:\(base64)=:;a=1", true),
        ("sha-256=:AAAA:, sha-256=:\(base64)=:", true), ("sha-256=:\(base64)=:, sha-256=:AAAA:", false),
        ("x=\"a,sha-256=:\(base64)=:\"", false), ("sha-256=:\(base64)=:,", false), ("sha-256=:\(base64)=:, =", false),
        ("SHA-256=:\(base64)=:", false), ("sha-256=\"\(base64)=\"", false), ("sha-256=(:\(base64)=:)", false),
    ]

    @Test(arguments: Self.digests)
    func `a digest is the last one of a dictionary that is well formed`(field: String, isFound: Bool) {
        let head = HTTPResponse.Head(status: .ok, headers: ["Repr-Digest": field])
        #expect(head.representationDigest == (isFound ? Self.digest : nil))
    }

    private static let limits: [(field: String, left: Int?)] = [
        ("\"a\";r=3;t=20", 3), ("a;r=3;t=20", 3), ("\"a;r=1;t=1\";r=3;t=20", 3), ("\"a,b\";r=3;t=20", 3),
        ("\"a\";r=9;r=3;t=20", 3), ("\"a\";r=3;t=20,", nil), ("\"a\";r=3;t=20, \"b", nil), ("\"a\";r=3.0;t=20", nil),
        ("\"a\";r=0;t=-1, \"b\";r=3;t=20", 3), ("(\"a\");r=3;t=20", nil),
    ]

    @Test(arguments: Self.limits)
    func `a rate limit is an item of a list that is well formed`(field: String, left: Int?) {
        #expect(RateLimitField(["RateLimit": field])?.left == left)
    }

    @Test func `the detail of a cache status is a token or a string`() {
        func text(_ detail: String) -> String { ResponseSource.CacheStatus(detail: detail).description }
        #expect(text("revalidated") == "Errand; hit; detail=revalidated")
        #expect(text("1 a\"") == "Errand; hit; detail=\"1 a\\\"\"")
        #expect(text("-a") == "Errand; hit; detail=\"-a\"")
        #expect(text("é") == "Errand; hit")
    }
}
